/**
 * The checks of `npm run check`. They run side by side, the quickest first, and a failed one is printed at once: its
 * first line names the check and the file.
 */
import { join } from 'node:path';
import { enginesToTest } from '../test/support/browsers/engines.ts';
import { chooseTests, type ChosenTests } from './changed-tests.ts';
import { findChanges } from './changes.ts';
import { lintArguments, typeCheck, unusedArguments } from './checks.ts';
import { runCaptured, type Ended } from './command.ts';
import { isBuiltInto, readImports } from './import-graph.ts';
import { root } from './root.ts';
import { describeFailures, inTurn } from './run-steps.ts';
import { runVitestQuietly, runWidgetTests, type TestReport } from './test-runs.ts';
import { UserError } from './user-error.mjs';
import { exceededBudgets } from './weight-ledger.ts';
import { describeWeightChange } from './weight.ts';

interface QuickCheck {
  readonly title: string;
  readonly run: () => Promise<Ended>;
}

/** A change of these files can change the lint result of any file. */
const lintSettings =
  /^(\.oxlintrc\.json|scripts\/lint-[a-z-]+\.mjs|package\.json|pnpm-lock\.yaml)|tsconfig[^/]*\.json$/;
const sources = /\.(ts|tsx|mts|js|mjs)$/;
/** When the first progress line is printed, and how often, in milliseconds. */
const progressIntervalMs = 15_000;

/** The exit code where all that ran passed, and something that ships or builds was not tested. */
const notChecked = 2;

/**
 * @param since - the commit to compare with
 * @returns the exit code: 0 where every check passed, 1 where one failed, 2 where no test reaches some changed code
 */
export async function runQuickCheck(since: string | undefined): Promise<number> {
  const begun = Date.now();
  const { files, base } = findChanges(since);
  const graph = readImports(root);
  const tests = chooseTests(graph, files);
  const results: string[] = [];
  const running = new Set<string>();
  let ok = true;
  const quickest: readonly QuickCheck[] = [
    { title: 'Unused code', run: findUnused },
    { title: 'Lint', run: () => lintFiles(files) },
    { title: 'Size of the tag', run: () => measureTag(files.some((file) => isBuiltInto(graph, file, tag))) },
    { title: 'Tests of the tag', run: () => runTagTests(tests) },
  ];
  const longest: readonly QuickCheck[] = [
    { title: 'Types', run: typeCheck },
    { title: 'Tests', run: () => runTests(tests) },
  ];

  const runOne = async ({ title, run }: QuickCheck): Promise<void> => {
    running.add(title);
    const from = Date.now();
    const ended = await run();
    running.delete(title);
    const took = `${((Date.now() - from) / 1000).toFixed(1)} s`;
    if (ended.ok) results.push(`✓ ${title} (${took})${ended.output && ` · ${ended.output}`}`);
    else console.log(`✗ ${title}: ${ended.output.trim() || 'it failed without a message'}\n`);
    ok &&= ended.ok;
  };

  const progress = setInterval(
    () => console.log(`  ${Math.round((Date.now() - begun) / 1000)} s: ${[...running].join(', ')}`),
    progressIntervalMs,
  );
  try {
    // A file that cannot be parsed would fail every other check as well.
    await runOne({ title: 'Format', run: format });
    if (ok) await inTurn([[quickest, longest]], runOne);
  } finally {
    clearInterval(progress);
  }
  const exceeded = exceededBudgets();
  ok &&= exceeded.length === 0;
  results.push(`  Weight: ${describeWeightChange(base)}`, ...exceeded.map((each) => `✗ Weight: ${each}`));
  const { unchecked, slow } = tests;
  if (slow.length > 0) results.push(`– Slow tests alone run ${slow.join(', ')}`);
  if (unchecked.length > 0) results.push(...unchecked.map((each) => `Not checked: ${each}`));
  const outcome = !ok ? 'Failed' : unchecked.length > 0 ? 'Passed, but for what was not checked,' : 'All passed';
  console.log(`${results.join('\n')}\n${outcome} in ${Math.round((Date.now() - begun) / 1000)} s.`);
  if (!ok) return 1;
  return unchecked.length > 0 ? notChecked : 0;
}

/** Formats the files that differ; fails only for a file that cannot be parsed. */
async function format(): Promise<Ended> {
  const { ok, output } = await runCaptured('oxfmt', ['--list-different']);
  if (ok) return { ok, output: '' };
  // A file that cannot be parsed: oxfmt prints the reason and the location in a frame.
  const [, reason, location] = /[x×] (.+)\n\s*[,╭][-─]\[(.+?)\]/.exec(output) ?? [];
  if (reason && location) return { ok, output: `${location}: ${reason}\n${output}` };
  const formatted = await runCaptured('oxfmt', []);
  return formatted.ok ? { ok: true, output: `formatted ${output.split('\n').join(', ')}` } : formatted;
}

async function findUnused(): Promise<Ended> {
  const { ok, output } = await runCaptured('knip', [...unusedArguments, '--reporter', 'compact']);
  // Its first line is only a heading.
  return { ok, output: ok ? '' : output.replace(/^(.+) \(\d+\)\n/, '$1: ') };
}

async function lintFiles(files: readonly string[]): Promise<Ended> {
  const everything = files.some((file) => lintSettings.test(file));
  const linted = files.filter((file) => sources.test(file));
  if (!everything && linted.length === 0) return { ok: true, output: 'no source file changed' };
  const { ok, output } = await runCaptured('oxlint', [
    ...lintArguments,
    '--format',
    'unix',
    ...(everything ? [] : linted),
  ]);
  return { ok, output: ok ? '' : output };
}

/** The configuration that builds the tag. */
const tag = 'widget/vite.config.ts';

/** Builds the tag and compares its size with the limits, where a source of it changed. */
async function measureTag(changed: boolean): Promise<Ended> {
  if (!changed) return { ok: true, output: 'no source of it changed' };
  const cwd = join(root, 'widget');
  const built = await runCaptured(process.execPath, ['scripts/build.ts'], { cwd });
  if (built.ok) return runCaptured(process.execPath, ['--run', 'size'], { cwd });
  return { ok: false, output: `The tag cannot be built.\n${built.output}` };
}

/** Tests that reach the change, by vitest. */
async function runTests({ files: { vitest: chosen }, related }: ChosenTests): Promise<Ended> {
  if (chosen.length === 0) return { ok: true, output: 'no fast test reaches the change' };
  return describeRun(await runVitestQuietly('check', chosen), chosen, related);
}

/** Tests that reach the change, in Chromium. */
async function runTagTests({ files: { widget: chosen }, related }: ChosenTests): Promise<Ended> {
  if (chosen.length === 0) return { ok: true, output: 'none reaches the change' };
  try {
    return describeRun(await runWidgetTests(enginesToTest(['chromium']), chosen), chosen, related);
  } catch (error) {
    if (error instanceof UserError) return { ok: false, output: error.message.replace(/^✗ /, '') };
    throw error;
  }
}

function describeRun(
  { ok, output, passed, failed, failures }: TestReport & Ended,
  chosen: readonly string[],
  related: number,
): Ended {
  const few = chosen.length <= 3 ? ` (${chosen.join(', ')})` : '';
  if (ok)
    return { ok, output: `${passed} passed in ${chosen.length} of the ${related} files that reach the change${few}` };
  const described = describeFailures(failures).join('\n').replace(/^✗ /, '');
  return { ok, output: `${described || output}\n${passed} passed, ${failed} failed` };
}
