/** The check of the types, and the arguments of the other static checks. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.ts';
import { runCaptured, type Ended } from './command.ts';

const solution = 'tsconfig.solution.json';
/** The settings of the last check. */
const checkedWith = join(root, '.cache', 'types', 'settings');

/**
 * Checks every project again whose files, or what they import, have changed since the last time. All of them are looked
 * at, so that one run shows every error.
 *
 * @returns what the compiler printed; `ok` where every project type-checks
 */
export async function typeCheck(): Promise<Ended> {
  const settings = hashSettings();
  const known = existsSync(checkedWith) && readFileSync(checkedWith, 'utf8') === settings;
  // One checker for each project: several would each work out the same types again. With another `lib`, or
  // another declaration of a global, the compiler still reports the errors it remembers of files that did not change.
  const ended = await runCaptured('tsc', [
    '--build',
    solution,
    '--checkers',
    '1',
    '--pretty',
    'false',
    ...(known ? [] : ['--force']),
  ]);
  mkdirSync(dirname(checkedWith), { recursive: true });
  writeFileSync(checkedWith, settings);
  return ended;
}

/** @returns true where every project type-checks; errors are printed */
export async function checkTypes(): Promise<boolean> {
  const { ok, output } = await typeCheck();
  if (output) console.error(output);
  return ok;
}

/** A hash of the compiler's settings, of the declared globals, and of what is installed. */
function hashSettings(): string {
  const configs = globSync(['**/tsconfig*.json', '**/*.d.ts'], {
    cwd: root,
    exclude: (path) => /(^|[\\/])(node_modules|dist|\.cache)$/.test(path),
  });
  const hash = createHash('sha256');
  for (const file of [...configs.toSorted(), 'pnpm-lock.yaml'])
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** oxlint's arguments before the files: with the rules that need types. */
export const lintArguments = ['--type-aware', '--deny-warnings', '--quiet'];

/** knip's arguments. */
export const unusedArguments = ['--no-progress', '--no-config-hints'];
