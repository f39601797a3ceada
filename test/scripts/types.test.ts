/** `tsc --build` checks every file once. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

const shell = process.platform === 'win32';
const tsc = join(root, 'node_modules', '.bin', 'tsc');

interface Config {
  readonly files?: readonly string[];
  readonly references?: readonly { readonly path: string }[];
}

/** The effective configuration of a project, with its patterns resolved to files. */
function shown(project: string): Config {
  return JSON.parse(
    execFileSync(tsc, ['--showConfig', '--project', project], { cwd: root, encoding: 'utf8', shell }),
  ) as Config;
}

/** The project and all it refers to; a reference to a folder means the `tsconfig.json` in it. */
function filesByProject(project: string, found = new Map<string, readonly string[]>()): typeof found {
  if (found.has(project)) return found;
  const { files = [], references = [] } = shown(project);
  const folder = dirname(project);
  found.set(
    project,
    files.map((file) => relative(root, resolve(folder, file)).replaceAll('\\', '/')),
  );
  for (const { path } of references) {
    const target = resolve(folder, path);
    filesByProject(
      existsSync(target) && statSync(target).isDirectory() ? join(target, 'tsconfig.json') : target,
      found,
    );
  }
  return found;
}

it('checks each TypeScript file of the repository in exactly one project', () => {
  const checked = [...filesByProject(join(root, 'tsconfig.solution.json')).values()].flat().toSorted();
  const tracked = listFiles()
    .filter((file) => /\.[cm]?tsx?$/.test(file))
    .toSorted();
  expect(tracked).not.toEqual([]);
  expect(checked.filter((file) => /\.[cm]?tsx?$/.test(file))).toEqual(tracked);
});
