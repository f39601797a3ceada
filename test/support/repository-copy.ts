/** Copies of the repository, for tests that edit it or begin where nothing is built. */
import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

/**
 * Copies the files of the repository, with uncommitted changes; dependencies are those of the original, nothing is
 * built. Whoever calls deletes the copy.
 *
 * @param name - the beginning of its name under `.cache`
 * @returns the folder of the copy
 */
export async function copyRepository(name: string): Promise<string> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const copy = await mkdtemp(join(root, '.cache', `${name}-`));
  await copyFiles(copy);
  await linkDependencies(copy);
  return copy;
}

/**
 * Copies the files of the repository to a folder from which the dependencies of the original are not found. Whoever
 * calls deletes the copy.
 *
 * @returns the folder of the copy
 */
export async function copyWithoutDependencies(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'newsletter-clone-'));
  await copyFiles(copy);
  return copy;
}

/** Gives a clone or copy the dependencies of the original, in every folder with a `package.json`. */
export async function linkDependencies(copy: string): Promise<void> {
  for (const path of listFiles()) if (basename(path) === 'package.json') await linkFolder(dirname(path), copy);
}

async function copyFiles(copy: string): Promise<void> {
  for (const path of listFiles()) await cp(join(root, path), join(copy, path));
}

/** Copies the links of pnpm: those to other packages of the workspace are relative, and resolve inside the copy. */
async function linkFolder(folder: string, copy: string): Promise<void> {
  const from = join(root, folder, 'node_modules');
  const to = join(copy, folder, 'node_modules');
  const names = await readdir(from).catch((): string[] => []);
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names) {
    if (name === '.pnpm') await symlink(join(from, name), join(to, name));
    // Tests beside this one write into the caches.
    else if (!name.endsWith('cache'))
      await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
}
