/**
 * Runs the measurements one after the other, each in a process of its own against the built packages, and prints the
 * figures. A run of all writes `benchmarks.md` and `benchmarks.json` of the documentation, or, where a figure was not
 * measured, a report beside them in `.output`.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/root.ts';
import { findChromium } from '../support/browsers/find.ts';
import { NoResult, resultOf } from '../../scripts/result-channel.ts';
import { UserError } from '../../scripts/user-error.mjs';
import type { Figure } from './figure.ts';
import { measurements, type Measurement } from './measurements.ts';
import { reportFiles, resultsOf, toLine, type Environment, type Outcome, type Result } from './report.ts';

/** Time limit of one measurement, in minutes. */
const limit = 20;

/** What is measured, and where the files are written. */
export interface Bench {
  readonly measurements: readonly Measurement[];
  /** The root of the repository, or of a copy. */
  readonly folder: string;
}

/**
 * @param part - measures only the scripts whose name contains it, and writes nothing
 * @returns true where every figure was measured
 * @throws UserError where no script has such a name
 */
export async function printFigures(
  part = '',
  { measurements: all, folder }: Bench = { measurements, folder: root },
): Promise<boolean> {
  const chosen = choose(part, all);
  const environment = await readEnvironment();
  const { machine, versions } = environment;
  console.log(`\nNode ${versions['Node']}, ${machine.cores} × ${machine.processor}, load ${machine.load.toFixed(1)}\n`);
  const results: Result[] = [];
  for (const measurement of chosen) {
    const found = resultsOf(measurement, await measure(measurement));
    for (const result of found) console.log(toLine(result));
    results.push(...found);
  }
  const missing = results.filter(({ verdict }) => verdict === 'not measured').map(({ id }) => id);
  if (part === '')
    for (const [path, text] of Object.entries(reportFiles({ ...environment, results }))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
      console.log(`Wrote ${path}`);
    }
  if (missing.length > 0) console.error(`✗ Not measured: ${missing.join(', ')}. The reasons are above.`);
  return missing.length === 0;
}

/**
 * @param part - what the names of the chosen scripts contain
 * @throws UserError where no script has such a name
 */
export function choose(part: string, all: readonly Measurement[] = measurements): readonly Measurement[] {
  const chosen = all.filter(({ script }) => script.includes(part));
  if (chosen.length > 0) return chosen;
  throw new UserError(
    `No measurement has "${part}" in its name.`,
    `Those in test/bench are ${all.map(({ script }) => script).join(', ')}.`,
  );
}

/** The figures, or the reason that there are none. */
async function measure({ script }: Measurement): Promise<Outcome> {
  try {
    return await resultOf<Readonly<Record<string, Figure>>>(resolve(root, 'test', 'bench', script), [], {
      cwd: join(root, 'test'),
      execArgv: ['--disable-warning=ExperimentalWarning'],
      timeout: limit * 60_000,
    });
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** The error that the process printed, such as the name of a package that is not installed, without paths. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof NoResult)) throw error;
  const { ending, printed } = error;
  if (ending === 'timed out') return `The measurement took longer than ${limit} minutes.`;
  if (ending === 'silent') return 'The measurement ended without a result.';
  const [, message = printed.trim().split('\n').at(-1) ?? ''] =
    /^(?:\w*Error(?: \[\w+\])?): (.+)$/m.exec(printed) ?? [];
  return `The measurement failed: ${message.replaceAll(`${root}/`, '').replace(/ imported from .*/, '') || 'it printed nothing'}`;
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
