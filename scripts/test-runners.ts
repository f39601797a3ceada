/** Which runner a file of tests belongs to, and the files that an argument of `npm test` means. */
import { isAbsolute, relative, sep } from 'node:path';
import { nearMiss } from '../packages/core/src/engine/near-miss.ts';
import { ringOf, testFiles } from '../test/rings.ts';
import { root } from './root.ts';
import { UserError } from './user-error.mjs';

/** vitest, the tests of the tag in browsers, and vitest with a real n8n. */
export type Runner = 'vitest' | 'widget' | 'n8n';

/** @param path - of a file of tests, from the root of the repository */
export function runnerOf(path: string): Runner {
  if (path.startsWith('widget/')) return 'widget';
  return path.startsWith('test/n8n/') ? 'n8n' : 'vitest';
}

/** Whether `npm test` runs a file of tests. */
export function isFast(path: string): boolean {
  return ringOf(path) === 'fast';
}

/** What was given to `npm test`. */
export interface Selection {
  /** The files of each runner; none where the arguments are options alone. */
  readonly files: Readonly<Record<Runner, readonly string[]>>;
  /** Options of vitest, with their values. */
  readonly options: readonly string[];
}

/**
 * Reads the arguments of `npm test`: paths, parts of paths, and options of vitest.
 *
 * @throws UserError for a path that no runner has
 */
export async function readSelection(args: readonly string[]): Promise<Selection> {
  const all = testFiles();
  const options: string[] = [];
  const files = new Set<string>();
  for (const [index, arg] of args.entries()) {
    const found = all.filter((file) => file.includes(fromRoot(arg)));
    const afterOption = args[index - 1]?.startsWith('-') ?? false;
    // What follows an option is its value, unless it is the path of tests.
    const isPath = !afterOption || arg.endsWith('.test.ts') || (arg.includes('/') && found.length > 0);
    if (arg.startsWith('-') || !isPath) options.push(arg);
    else if (found.length === 0) throw unknownPath(arg, all);
    else for (const file of found) files.add(file);
  }
  const by = Object.groupBy(files, runnerOf);
  return { files: { vitest: by.vitest ?? [], widget: by.widget ?? [], n8n: by.n8n ?? [] }, options };
}

/** A path from the caller's folder or from the root, with slashes. */
function fromRoot(path: string): string {
  const inside = isAbsolute(path) ? relative(root, path) : path.replace(/^\.[\\/]/, '');
  return inside.split(sep).join('/');
}

function unknownPath(path: string, all: readonly string[]): UserError {
  const meant = nearMiss(fromRoot(path), all);
  return new UserError(
    `No file of tests has "${path}" in its path.`,
    meant
      ? `Did you mean ${meant}?`
      : 'Name a file or folder of tests, from the root of the repository, such as packages/relay/test/admission.',
  );
}
