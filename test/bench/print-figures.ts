/**
 * Runs the measurements one after the other, each in a process of its own against the built packages, and prints the
 * figures. A complete run also writes `benchmarks.md` and `benchmarks.json` of the documentation.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/root.ts';
import { findChromium } from '../support/browsers/find.ts';
import type { Figure } from './figure.ts';
import { measurements, type Measurement } from './measurements.ts';
import { resultsOf, toLine, toPage, type Environment, type Outcome, type Report, type Result } from './report.ts';

/** Time limit of one measurement, in minutes. */
const limit = 20;

/**
 * @param part - measures only the scripts whose name contains it, and writes nothing
 * @param folder - of the documentation site, which gets the page and the JSON file
 */
export async function printFigures(part = '', folder = join(root, 'docs')): Promise<void> {
  const environment = await readEnvironment();
  const { machine, versions } = environment;
  console.log(`\nNode ${versions['Node']}, ${machine.cores} × ${machine.processor}, load ${machine.load.toFixed(1)}\n`);
  const results: Result[] = [];
  for (const measurement of measurements.filter(({ script }) => script.includes(part))) {
    const found = resultsOf(measurement, await measure(measurement));
    for (const result of found) console.log(toLine(result));
    results.push(...found);
  }
  if (part === '') await writeReport({ ...environment, results }, folder);
}

/** Writes `src/content/docs/benchmarks.md` and `src/data/benchmarks.json`. */
export async function writeReport(report: Report, folder: string): Promise<void> {
  const page = join(folder, 'src', 'content', 'docs', 'benchmarks.md');
  const data = join(folder, 'src', 'data', 'benchmarks.json');
  for (const [path, text] of [
    [page, toPage(report)],
    [data, `${JSON.stringify(report, null, 2)}\n`],
  ] as const) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    console.log(`Wrote ${path}`);
  }
}

/** The figures, or the reason that there are none. */
async function measure({ script }: Measurement): Promise<Outcome> {
  try {
    const file = join(root, 'test', 'bench', script);
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
      cwd: join(root, 'test'),
      timeout: limit * 60_000,
    });
    return JSON.parse(stdout) as Record<string, Figure>;
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** The error that the process printed, such as the name of a package that is not installed, without paths. */
export function reasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'killed' in error && error.killed === true)
    return `The measurement took longer than ${limit} minutes.`;
  const printed =
    typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : String(error);
  const [, message = printed.trim().split('\n').at(-1) ?? ''] =
    /^(?:\w*Error(?: \[\w+\])?): (.+)$/m.exec(printed) ?? [];
  return `The measurement failed: ${message.replaceAll(`${root}/`, '').replace(/ imported from .*/, '')}`;
}

async function readEnvironment(): Promise<Environment> {
  const versions: Record<string, string> = { Node: process.versions.node };
  const packages: Readonly<Record<string, string>> = {
    'Newsletter Kit': join(root, 'package.json'),
    ...Object.fromEntries(
      ['@beehiiv/sdk', 'ky', '@tryghost/signup-form', '@typeform/embed'].map((name) => [
        name,
        join(root, 'test', 'node_modules', name, 'package.json'),
      ]),
    ),
  };
  for (const [name, file] of Object.entries(packages)) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) versions[name] = (JSON.parse(text) as { readonly version: string }).version;
  }
  const chromium = findChromium();
  if (chromium) {
    const { stdout } = await promisify(execFile)(chromium, ['--version']);
    versions['Chromium'] = /[\d.]{3,}/.exec(stdout)?.[0] ?? stdout.trim();
  }
  return {
    date: new Date().toISOString(),
    machine: {
      processor: cpus()[0]?.model.trim() ?? 'unknown processor',
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()} ${arch()}`,
      load: loadavg()[0] ?? 0,
    },
    versions,
  };
}
