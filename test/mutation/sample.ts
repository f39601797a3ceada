/**
 * `npm run mutate -- sample ROOM`: changes today's code of a room in a few random ways, one at a time, and lists the
 * changes that `npm run check` passes. The seed is that of the tests, `TEST_SEED`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { git, listFiles } from '../../scripts/git.ts';
import { start } from '../../scripts/program.ts';
import { root } from '../../scripts/root.ts';
import { UserError } from '../../scripts/user-error.mjs';
import { roomOf, rooms, weightOf } from '../../scripts/weight.ts';
import { copyWithoutDependencies } from '../support/repository-copy.ts';
import { seeded } from '../support/seeded.ts';
import { testSeed } from '../support/test-seed.ts';
import { underLoad } from '../support/time-limit.ts';

/** A small change of a file. */
interface Change {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The text of the whole file with the change. */
  readonly text: string;
}

/** What the check says of a change. */
type Verdict = 'passed' | 'noticed' | 'named as not checked' | 'hung';

const verdicts: Readonly<Partial<Record<number | string, Verdict>>> = { 0: 'passed', 2: 'named as not checked' };

/** When the check of a change is ended on a quiet machine: a change can make a test run for ever. In milliseconds. */
const limitMs = 3 * 60_000;

/**
 * @param args - `ROOM`, and `--count N` for another number of changes than ten
 * @returns true: what the check passes is material for better tests, and no failure
 * @throws UserError where there is no such room, or the check fails without a change
 */
export async function sampleMutations(args: readonly string[]): Promise<boolean> {
  const { room, count } = readArguments(args);
  const sources = listFiles().filter((path) => roomOf(path) === room && isSource(path));
  if (sources.length === 0)
    throw new UserError(`There is no room "${room}" with code.`, `The rooms are ${Object.keys(rooms).join(', ')}.`);
  const seed = testSeed();
  console.log(`TEST_SEED=${seed}`);
  const changes = await drawChanges(sources, count, seeded(seed));
  const copy = await copyWithoutDependencies();
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const person = ['-c', 'user.name=Mutation', '-c', 'user.email=mutation@example.com'];
  git(['init', '--quiet'], copy);
  git(['add', '--all'], copy);
  git([...person, 'commit', '--quiet', '--no-verify', '--message', 'Copy'], copy);

  await assertPassing(changes, copy);
  const lines: string[] = [];
  for (const change of changes) {
    const begun = Date.now();
    const { verdict, by } = await checkChanges([change], copy);
    const line = `- **${verdict}** ${describe(change)}${by && ` (${by})`}`;
    console.log(`${line} · ${Math.round((Date.now() - begun) / 1000)} s`);
    lines.push(line);
  }
  const folder = join(root, '.output', 'mutation');
  mkdirSync(folder, { recursive: true });
  const passed = lines.filter((line) => line.startsWith('- **passed**')).length;
  const summary = `${room}: npm run check passes ${passed} of ${lines.length} changes (seed ${seed})`;
  console.log(summary);
  writeFileSync(join(folder, `sample-${room}.md`), `## ${summary}\n\n${lines.join('\n')}\n`);
  return true;
}

function readArguments(args: readonly string[]): { readonly room: string; readonly count: number } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { count: { type: 'string', default: '10' } },
    });
    const count = Number(values.count);
    if (!(Number.isInteger(count) && count > 0))
      throw new Error(`--count is a whole number of 1 or more, not "${values.count}".`);
    return { room: positionals[0] ?? '', count };
  } catch (error) {
    throw new UserError(
      error instanceof Error ? error.message : String(error),
      'Run "npm run mutate -- sample ROOM [--count N]".',
    );
  }
}

/** The same for the first check, which also installs and checks all types. */
const firstLimitMs = 10 * 60_000;

/** Without this, whatever breaks the copy would count as a noticed change. */
async function assertPassing(changes: readonly Change[], copy: string): Promise<void> {
  const comments = changes.map(({ file }) => ({
    file,
    text: `${readFileSync(join(root, file), 'utf8')}// Nothing.\n`,
  }));
  const { verdict, printed } = await checkChanges(comments, copy, firstLimitMs);
  if (verdict === 'passed' || verdict === 'named as not checked') return;
  throw new UserError(
    `npm run check does not pass the files as they are:\n${printed}`,
    'Mend that first: until then it would notice every change.',
  );
}

interface Checked {
  readonly verdict: Verdict;
  /** The check that failed; empty where none did. */
  readonly by: string;
  readonly printed: string;
}

/** Checks files with these texts, up to the first failure, and restores them. */
async function checkChanges(
  changes: readonly Pick<Change, 'file' | 'text'>[],
  copy: string,
  quietLimitMs = limitMs,
): Promise<Checked> {
  for (const { file, text } of changes) writeFileSync(join(copy, file), text);
  let failure: string | undefined;
  let hung = false;
  const check = start(process.execPath, ['scripts/run.mjs', 'check'], {
    cwd: copy,
    onLine(line) {
      if (failure !== undefined || !line.startsWith('✗ ')) return;
      failure = line;
      void check.stop();
    },
  });
  const timer = setTimeout(() => {
    hung = failure === undefined;
    void check.stop();
  }, underLoad(quietLimitMs));
  const code = await check.ended;
  clearTimeout(timer);
  await check.kill();
  git(['checkout', '--quiet', '--', '.'], copy);
  const [, by = ''] = /^✗ (.{0,90})/.exec(failure ?? '') ?? [];
  return { verdict: hung ? 'hung' : (verdicts[code] ?? 'noticed'), by, printed: check.output() };
}

/** TypeScript that ships or builds. */
function isSource(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.d.ts') && weightOf(path, '')?.[0] === 'product';
}

/** Draws changes, each of a file that is chosen by its length. */
async function drawChanges(files: readonly string[], count: number, random: () => number): Promise<Change[]> {
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const length = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  const changes: Change[] = [];
  // A file of types alone has nothing to change.
  for (let tries = 0; changes.length < count && tries < count * 10; tries += 1) {
    let rest = random() * length;
    const [file = '', text = ''] = [...texts].find(([, each]) => (rest -= each.length) < 0) ?? [];
    const found = await changesOf(file, text);
    const change = found[Math.floor(random() * found.length)];
    if (change && !changes.some((other) => other.text === change.text)) changes.push(change);
  }
  return changes;
}

const ignore = (): void => undefined;
const no = (): boolean => false;
/** Stryker's parser wants a log. */
const silent = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
};

/** All changes that Stryker makes of a file. */
async function changesOf(file: string, text: string): Promise<readonly Change[]> {
  const { mutants } = await new Instrumenter(silent).instrument([{ name: file, content: text, mutate: true }], {
    plugins: null,
    ignorers: [],
    excludedMutations: [],
  });
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  return mutants.map(({ location: { start, end }, replacement }) => {
    const from = (starts[start.line] ?? 0) + start.column;
    const to = (starts[end.line] ?? 0) + end.column;
    return {
      file,
      line: start.line + 1,
      before: text.slice(from, to),
      after: replacement,
      text: text.slice(0, from) + replacement + text.slice(to),
    };
  });
}

function describe({ file, line, before, after }: Change): string {
  const code = (text: string): string => `\`${text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").slice(0, 90) || ' '}\``;
  return `${file}:${line} ${code(before)} → ${code(after)}`;
}
