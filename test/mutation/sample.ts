/**
 * `npm run mutate -- sample ROOM`: changes today's code of a room in a few random ways, one at a time, and lists the
 * changes that `npm run check` passes. The seed is that of the tests, `TEST_SEED`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { runCaptured } from '../../scripts/command.ts';
import { git, listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { UserError } from '../../scripts/user-error.mjs';
import { roomOf, rooms, weightOf } from '../../scripts/weight.ts';
import { copyRepository } from '../support/repository-copy.ts';
import { seeded } from '../support/seeded.ts';
import { testSeed } from '../support/test-seed.ts';

/** A small change of a file. */
interface Change {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The text of the whole file with the change. */
  readonly text: string;
}

/** What the check says of a change, by its exit code. */
const verdicts: Readonly<Record<number, string>> = { 0: 'passed', 1: 'noticed', 2: 'named as not checked' };

/**
 * @param args - `ROOM`, and `--count N` for another number of changes than ten
 * @returns true: what the check passes is material for better tests, and no failure
 * @throws UserError where there is no such room
 */
export async function sampleMutations(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { count: { type: 'string', default: '10' } },
  });
  const [room = ''] = positionals;
  const sources = listFiles().filter((path) => roomOf(path) === room && isSource(path));
  if (sources.length === 0)
    throw new UserError(`There is no room "${room}" with code.`, `The rooms are ${Object.keys(rooms).join(', ')}.`);
  const seed = testSeed();
  console.log(`TEST_SEED=${seed}`);
  const lines: string[] = [];
  const copy = await copyRepository('mutants');
  try {
    const person = ['-c', 'user.name=Mutation', '-c', 'user.email=mutation@example.com'];
    git(['init', '--quiet'], copy);
    git(['add', '--all'], copy);
    git([...person, 'commit', '--quiet', '--no-verify', '--message', 'Copy'], copy);
    for (const change of await drawChanges(sources, Number(values.count), seeded(seed))) {
      const line = `- **${await verdictOf(change, copy)}** ${describe(change)}`;
      console.log(line);
      lines.push(line);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  const folder = join(root, '.output', 'mutation');
  mkdirSync(folder, { recursive: true });
  const passed = lines.filter((line) => line.startsWith('- **passed**')).length;
  const page = `## ${room}: npm run check passes ${passed} of ${lines.length} changes (seed ${seed})\n\n${lines.join('\n')}\n`;
  writeFileSync(join(folder, `sample-${room}.md`), page);
  return true;
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

async function verdictOf({ file, text }: Change, copy: string): Promise<string> {
  const path = join(copy, file);
  const before = readFileSync(path);
  writeFileSync(path, text);
  const { code } = await runCaptured(process.execPath, ['scripts/run.mjs', 'check'], { cwd: copy });
  writeFileSync(path, before);
  return verdicts[code ?? 1] ?? 'noticed';
}

function describe({ file, line, before, after }: Change): string {
  const code = (text: string): string => `\`${text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").slice(0, 90) || ' '}\``;
  return `${file}:${line} ${code(before)} → ${code(after)}`;
}
