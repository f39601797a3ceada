/** The results of `npm run bench`: goals, reasons of missing figures, the page and the JSON file. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { measurements, type Goal, type Measurement } from '../bench/measurements.ts';
import { reasonOf, writeReport } from '../bench/print-figures.ts';
import { resultsOf, toLine, toPage, type Report } from '../bench/report.ts';

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
    ...resultsOf(measurement, { below: figure(4.999), atMost: figure(5.01), atLeast: figure(12_345, { echo: 0.4 }) }),
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
    ['atLeast', Number.NaN, 'not measured'],
  ] as const)('with the goal %s 5 and the value %d is %s', (name, value, verdict) => {
    const found = resultsOf(measurement, { [name]: figure(value) }).find(({ id }) => id === `core/example.${name}`);
    expect(found?.verdict).toBe(verdict);
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
      '✓ met Core: time of a call 4.999 ms (goal < 5 ms) median of 5',
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
    expect(reasonOf(Object.assign(new Error('Command failed'), { stderr }))).toBe(
      "The measurement failed: Cannot find package '@beehiiv/sdk'",
    );
  });

  it('says that it took too long', () => {
    expect(reasonOf(Object.assign(new Error('Command failed'), { killed: true, stderr: '' }))).toMatch(/took longer/);
  });
});

describe('the page', () => {
  const page = toPage(report);

  it('begins with machine, versions and date', () => {
    const [, text = ''] = page.split(/^---\n.*?^---\n/ms);
    expect(text.trim().split('\n').slice(0, 5)).toEqual([
      '- Machine: 2 × Example 9000, 24 GB of memory, Linux 6 x64; load 0.0 before the run',
      '- Versions: Node 24.1.0, @beehiiv/sdk 0.1.9',
      '- Date: 2026-11-23',
      '',
      '2 of 4 figures met their goal, 1 fell short, and 1 was not measured.',
    ]);
  });

  it('lists what falls short or was not measured before the tables', () => {
    const [, missed = ''] = /## What falls short\n\n(.*?)\n\n##/s.exec(page) ?? [];
    expect(missed.split('\n')).toEqual([
      String.raw`- **Core: memory \| of a call**: 5.01 ms, goal ≤ 5 ms. median of 5`,
      '- **n8n: creations**: not measured, goal ≤ 1 ms. n8n is not installed.',
    ]);
  });

  it('has a row for each figure', () => {
    expect(page.match(/^\| (?!Figure|-).*$/gm)).toEqual([
      '| time of a call | < 5 ms | 4.999 ms | – | met |',
      String.raw`| memory \| of a call | ≤ 5 ms | 5.01 ms | 5.01 × a \<bare\> fetch | short |`,
      '| signups | ≥ 5 ms | 12,345 ms | 0.4 × echo | met |',
      '| creations | ≤ 1 ms | not measured | – | not measured |',
    ]);
  });
});

describe('the files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'newsletter-bench-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are written where the documentation site reads them', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await writeReport(report, folder);
    vi.restoreAllMocks();
    expect(JSON.parse(await readFile(join(folder, 'src/data/benchmarks.json'), 'utf8'))).toEqual(report);
    expect(await readFile(join(folder, 'src/content/docs/benchmarks.md'), 'utf8')).toBe(toPage(report));
  });
});

describe('the goals', () => {
  const titles = measurements.flatMap(({ goals }) => Object.values(goals).map(({ title }) => title));

  it('have titles that name the package and differ', () => {
    expect(titles.filter((title) => !/^(Core|Sync|Sandbox|Relay|Tag|n8n): \S/.test(title))).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
