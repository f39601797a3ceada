/** Runs the steps of a task one after the other and prints a summary for people and for CI. */
import { stripVTControlCharacters } from 'node:util';
import { endCommands } from './command.ts';

/** A test that failed, or what broke a file before or after its tests. */
export interface Failure {
  /** File and name of the test, and the browser where there are several. */
  readonly test: string;
  readonly error: string;
}

/** The result of a step; test runs add counts and failures. */
export interface StepOutcome {
  readonly ok: boolean;
  readonly passed?: number;
  readonly failed?: number;
  readonly failures?: readonly Failure[];
}

/** A step of a task. */
export interface Step {
  readonly title: string;
  /** Prints nothing by itself while it runs, so a progress line shows that it is alive. */
  readonly silent?: boolean;
  readonly run: () => Promise<StepOutcome>;
}

/** Steps in order. Those of an inner list run side by side; its lists are sequences, each beside the others. */
export type Plan<Each = Step> = readonly (Each | readonly (Each | readonly Each[])[])[];

/** Runs each step of a plan when its turn comes. */
export async function inTurn<Each>(plan: Plan<Each>, run: (step: Each) => Promise<void>): Promise<void> {
  const sequence = async (steps: readonly Each[]): Promise<void> => {
    for (const step of steps) await run(step);
  };
  for (const steps of plan) await Promise.all([steps].flat().map((each) => sequence([each].flat() as Each[])));
}

/** How often a silent step prints its progress line, in milliseconds. */
const progressIntervalMs = 5000;

/** A step that passes or fails; an error is printed. */
export function check(title: string, passes: () => Promise<boolean>): Step {
  const printed = (error: unknown): boolean => (console.error(error), false);
  return { title, silent: true, run: async () => ({ ok: await passes().catch(printed) }) };
}

/**
 * Runs every step, also after one failed, so that one run shows everything. The summary names the tests that failed,
 * because a log that was cut off keeps its end. Where tests ran, the last line is `N passed, N failed`: tests as their
 * runners counted them, and each failed step without a failed test.
 *
 * @param minutes - the time limit: the steps that run are ended, those that follow are not begun, all of them fail, and
 *   the summary is printed. Default: none
 * @returns true where nothing failed
 */
export async function runSteps(plan: Plan, minutes?: number): Promise<boolean> {
  const lines: string[] = [];
  const failures: Failure[] = [];
  const limit = minutes === undefined ? new AbortController().signal : AbortSignal.timeout(minutes * 60_000);
  const failure = failureAt(limit, minutes);
  let passed = 0;
  let failed = 0;
  let counted = false;
  const runOne = async ({ title, silent, run }: Step): Promise<void> => {
    if (limit.aborted) {
      lines.push(`✗ ${title}: not begun before the time limit of ${minutes} minutes`);
      failed += 1;
      return;
    }
    console.log(`\n━━ ${title}`);
    const begun = Date.now();
    const progress =
      silent && setInterval(() => console.log(`  ${secondsSince(begun, 0)} s: ${title}`), progressIntervalMs);
    const outcome = await Promise.race([run(), failure]).finally(() => clearInterval(progress || undefined));
    const counts = outcome.passed === undefined ? '' : ` · ${outcome.passed} passed, ${outcome.failed ?? 0} failed`;
    const ended = limit.aborted ? ` · ended by the time limit of ${minutes} minutes` : '';
    const line = `${outcome.ok ? '✓' : '✗'} ${title} (${secondsSince(begun, 1)} s)${counts}${outcome.ok ? '' : ended}`;
    console.log(line);
    lines.push(line);
    counted ||= outcome.passed !== undefined;
    passed += outcome.passed ?? 0;
    failed += outcome.failed ?? 0;
    failures.push(...(outcome.failures ?? []));
    if (!outcome.ok && !outcome.failed) failed += 1;
  };
  await inTurn(plan, runOne);
  console.log(`\n━━ Summary\n${lines.join('\n')}`);
  if (failures.length > 0) console.log(`\n${describeFailures(failures).join('\n')}`);
  if (counted) console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0;
}

/** How long the commands of a step may take to end after the time limit, in milliseconds. */
const endingMs = 30_000;

/** Ends all commands once the limit is reached. @returns then, a while later, the outcome of a step that still runs */
function failureAt(limit: AbortSignal, minutes: number | undefined): Promise<StepOutcome> {
  return new Promise((resolve) =>
    limit.addEventListener('abort', () => {
      console.error(`\n✗ The time limit of ${minutes} minutes is reached.`);
      endCommands();
      setTimeout(() => resolve({ ok: false }), endingMs);
    }),
  );
}

function secondsSince(begun: number, digits: number): string {
  return ((Date.now() - begun) / 1000).toFixed(digits);
}

/** Limits that keep all failures within the end of a log. */
const mostFailures = 20;
const linesPerFailure = 12;
const longestLine = 240;

/** Describes the failures in lines; the ones left out are counted. */
export function describeFailures(failures: readonly Failure[]): readonly string[] {
  const described = failures.slice(0, mostFailures).flatMap(({ test, error }) => {
    const lines = stripVTControlCharacters(error)
      .split('\n')
      .filter((line) => line.trim());
    const shown = lines.length > linesPerFailure ? [...lines.slice(0, linesPerFailure - 1), '…'] : lines;
    return [`✗ ${test}`, ...shown.map((line) => `    ${line}`)];
  });
  const more = failures.length - mostFailures;
  return [...described, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) =>
    line.length > longestLine ? `${line.slice(0, longestLine)}…` : line,
  );
}
