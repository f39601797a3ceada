/** The results of `npm run bench`: goals, reasons of missing figures, the page and the JSON file. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Goal, Measurement } from '../bench/measurements.ts';
import { printFigures, reasonOf } from '../bench/print-figures.ts';
import { committedReport, resultsOf, toLine, toPage, type Report } from '../bench/report.ts';
import { root } from '../../scripts/root.ts';
import { NoResult } from '../../scripts/result-channel.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const goal = (title: string, must: Goal['must'], peer?: string): Goal => ({
  title,
  unit: 'ms',
  must,
  ...(peer !== undefined && { peer }),
});
const measurement: Measurement = {
  script: 'core/example.ts',
  goals: {
    below: goal('Core: time of a call', { below: 5 }),
    atMost: goal('Core: memory | of a call', { atMost: 5 }, 'a <bare> fetch'),
    atLeast: goal('Relay: signups', { atLeast: 5 }),
  },
};
const figure = (value: number, ratios: Readonly<Record<string, number>> = {}) => ({
  value,
  detail: 'median of 5',
  ratios,
});
const report: Report = {
  date: '2026-11-23T20:00:00.000Z',
  machine: { processor: 'Example 9000', cores: 2, memoryGb: 24, system: 'Linux 6 x64', load: 0.04 },
  versions: { Node: '24.1.0', '@beehiiv/sdk': '0.1.9' },
  results: [
    ...resultsOf(measurement, { below: figure(4.99), atMost: figure(5.01), atLeast: figure(12_345, { echo: 0.4 }) }),
    ...resultsOf(
      { script: 'n8n/other.ts', goals: { creates: goal('n8n: creations', { atMost: 1 }) } },
      { missing: 'n8n is not installed.' },
    ),
  ],
};

describe('a figure', () => {
  it.each([
    ['below', 4.99, 'met'],
    ['below', 5, 'short'],
    ['atMost', 5, 'met'],
    ['atMost', 5.01, 'short'],
    ['atLeast', 5, 'met'],
    ['atLeast', 4.99, 'short'],
    ['below', 4.999, 'at the limit'],
    ['atMost', 4.999, 'at the limit'],
    ['atLeast', 5.001, 'at the limit'],
    ['atMost', 5.001, 'short'],
    ['atLeast', Number.NaN, 'not measured'],
  ] as const)('with the goal %s 5 and the value %d is %s', (name, value, verdict) => {
    const found = resultsOf(measurement, { [name]: figure(value) }).find(({ id }) => id === `core/example.${name}`);
    expect(found?.verdict).toBe(verdict);
  });

  it.each([
    ['a time of 49.995 ms', 50, 49.995, 'at the limit', '49.995 ms'],
    ['a time of 49.94 ms', 50, 49.94, 'met', '49.9 ms'],
    ['a count', 2000, 2000, 'met', '2,000 ms'],
    ['a count below', 2000, 1999, 'met', '1,999 ms'],
    ['none', 0, 0, 'met', '0 ms'],
  ] as const)('at most its bound is compared by the digits that are shown: %s', (_, atMost, value, verdict, shown) => {
    const [result] = resultsOf({ script: 'x.ts', goals: { x: goal('Core: x', { atMost }) } }, { x: figure(value) });
    expect(result?.verdict).toBe(verdict);
    expect(result && toLine(result)).toContain(` ${shown} `);
  });

  it('that a measurement did not print is not measured', () => {
    expect(resultsOf(measurement, {}).map(({ median, verdict }) => [median, verdict])).toEqual(
      Array.from({ length: 3 }, () => [null, 'not measured']),
    );
  });

  it('has the ratios to its peers: that of its goal, and those of the measurement', () => {
    expect(report.results.map(({ ratios }) => ratios)).toEqual([{}, { 'a <bare> fetch': 5.01 }, { echo: 0.4 }, {}]);
  });

  it('is printed with its goal', () => {
    expect(report.results.map((result) => toLine(result).replaceAll(/\s+/g, ' '))).toEqual([
      '✓ met Core: time of a call 4.99 ms (goal < 5 ms) median of 5',
      '✗ short Core: memory | of a call 5.01 ms (goal ≤ 5 ms) median of 5',
      '✓ met Relay: signups 12,345 ms (goal ≥ 5 ms) median of 5',
      '– none n8n: creations not measured (goal ≤ 1 ms) n8n is not installed.',
    ]);
  });
});

describe('a measurement that fails', () => {
  it('names the package that is not installed', () => {
    const stderr = [
      'node:internal/modules/package_json_reader:301',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@beehiiv/sdk' imported from /somewhere/calls.ts",
      '    at Object.getPackageJSONURL',
    ].join('\n');
    expect(reasonOf(new NoResult('calls.ts', 'failed', stderr))).toBe(
      "The measurement failed: Cannot find package '@beehiiv/sdk'",
    );
  });

  it('says that it took too long', () => {
    expect(reasonOf(new NoResult('calls.ts', 'timed out', ''))).toMatch(/took longer/);
  });
});

it('the page has a row for each figure', () => {
  expect(toPage(report).match(/^\| (?!Figure|-).*$/gm)).toEqual([
    '| time of a call | < 5 ms | 4.99 ms | – | met |',
    String.raw`| memory \| of a call | ≤ 5 ms | 5.01 ms | 5.01 × a \<bare\> fetch | short |`,
    '| signups | ≥ 5 ms | 12,345 ms | 0.4 × echo | met |',
    '| creations | ≤ 1 ms | not measured | – | not measured |',
  ]);
});

describe('a run of the bench', () => {
  const channel = JSON.stringify(join(root, 'scripts/result-channel.ts'));
  const scripts = {
    // What an installer prints on its first run.
    'printing.ts': `console.log('▸ Installing');\nsendResult({ below: { value: 1, detail: 'one' } });`,
    'silent.ts': `console.log('{}');`,
  } as const;

  /** Runs the scripts, in a folder with a committed page. */
  async function run(...names: readonly (keyof typeof scripts)[]) {
    const folder = scratchFolder();
    const page = join(folder, committedReport.page);
    await mkdir(dirname(page), { recursive: true });
    await writeFile(page, 'the last whole run');
    const chosen = names.map(async (name): Promise<Measurement> => {
      const script = join(folder, name);
      await writeFile(script, `import { sendResult } from ${channel};\n${scripts[name]}\n`);
      return { script, goals: { below: goal(`Core: ${name}`, { below: 5 }) } };
    });
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const complain = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      const isWhole = await printFigures('', { measurements: await Promise.all(chosen), folder });
      return { folder, isWhole, printed: print.mock.calls.join('\n'), complaints: complain.mock.calls.join('\n') };
    } finally {
      vi.restoreAllMocks();
    }
  }
  const read = (folder: string, path: string) => readFile(join(folder, path), 'utf8');

  it('writes page and JSON, whatever the measurements print', async () => {
    const { folder, isWhole, complaints } = await run('printing.ts');
    expect({ isWhole, complaints }).toEqual({ isWhole: true, complaints: '' });
    const written = JSON.parse(await read(folder, committedReport.data)) as Report;
    expect(written.results.map(({ median, verdict }) => [median, verdict])).toEqual([[1, 'met']]);
    expect(await read(folder, committedReport.page)).toBe(toPage(written));
  });

  it('fails, and writes a report with a hole beside the page', async () => {
    const { folder, isWhole, printed, complaints } = await run('printing.ts', 'silent.ts');
    expect(isWhole).toBe(false);
    expect(complaints).toMatch(/^✗ Not measured: \S+silent\.below\. /);
    expect(printed).toContain('The measurement ended without a result.');
    expect(await read(folder, committedReport.page)).toBe('the last whole run');
    await expect(read(folder, committedReport.data)).rejects.toThrow('ENOENT');
    const beside = JSON.parse(await read(folder, '.output/benchmarks-incomplete.json')) as Report;
    expect(beside.results.map(({ verdict }) => verdict)).toEqual(['met', 'not measured']);
    expect(await read(folder, '.output/benchmarks-incomplete.md')).toBe(toPage(beside));
  });

  it('refuses a name that no measurement has', async () => {
    await expect(printFigures('core/sise')).rejects.toThrow(
      /No measurement has "core\/sise" in its name.*core\/size\.ts/s,
    );
  });
});
