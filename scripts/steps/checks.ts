/** What is checked without running anything: types, lint rules, unused code. */
import { globSync } from 'node:fs';
import { root } from '../chain/root.ts';
import { run, runScript } from './command.ts';

/**
 * Every project of the repository that says what belongs to it, and core's host-free floors once more without the types of
 * any host; a build's variant checks the same files again.
 */
export function typeProjects(): readonly string[] {
  return globSync('{*,*/*,*/*/*}/tsconfig{,.host-free}.json', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
    .concat(globSync('tsconfig.json', { cwd: root }))
    .sort();
}

/** @returns true where every project type-checks; all of them are looked at, so that one run shows every mistake */
export async function checkTypes(): Promise<boolean> {
  let ok = true;
  for (const project of typeProjects()) {
    if (await run('tsc', ['--noEmit', '--project', project])) continue;
    console.error(`  in ${project}`);
    ok = false;
  }
  return ok;
}

/** @returns true where no rule of `.oxlintrc.json` is broken, those that need types included */
export function lint(): Promise<boolean> {
  return run('oxlint', ['--type-aware', '--deny-warnings', '--quiet']);
}

/** @returns true where no file, export or dependency is unused */
export function findUnused(): Promise<boolean> {
  return run('knip', ['--no-progress']);
}

/** @returns true where the built tag is as large as size.json says, to the byte; needs the build */
export function checkSize(): Promise<boolean> {
  return runScript('widget', 'size');
}
