/** n8n's own judgement of a community package, run here before anything is published. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { start } from '../../scripts/program.ts';

const tools = join(import.meta.dirname, 'verification');

/** What was found: the exit code, and what was printed. */
export interface Verdict {
  readonly code: number | string;
  readonly said: string;
}

export function installTools(): Promise<void> {
  return installLocked({ folder: tools, title: "n8n's linter and scanner", needs: 'the npm registry' });
}

/** The scanner over the sources, or over what was packed. */
export function scan(folder: string, leg: 'source' | 'tarball'): Promise<Verdict> {
  return judge([join(tools, 'scan.mjs'), folder, leg], tools);
}

/**
 * A copy of what the package is made of, beside the modules that the linter resolves imports with.
 * The sources stand alone there, as in a repository that holds nothing else.
 */
export async function stageSources(): Promise<{ folder: string; remove(): Promise<void> }> {
  if (!existsSync(join(root, 'packages', 'core', 'dist')))
    throw new Error('core is not built. Run npm run build first; npm test does.');
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-sources-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await fillWithSources(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

async function fillWithSources(folder: string): Promise<void> {
  for (const name of ['package.json', 'eslint.config.mjs', 'nodes', 'credentials'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@newsletter-kit'), { recursive: true });
  for (const name of ['.bin', '@n8n', 'eslint', 'n8n-workflow', 'typescript'])
    await symlink(join(tools, 'node_modules', name), join(modules, name));
  await symlink(join(root, 'packages', 'core'), join(modules, '@newsletter-kit', 'core'));
}

/** The linter that n8n gives to authors, in the mode that allows no rule to be changed. */
export function lintStrictly(folder: string): Promise<Verdict> {
  return judge([join(tools, 'node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs'), 'lint'], folder);
}

async function judge(args: readonly string[], cwd: string): Promise<Verdict> {
  const judging = start(process.execPath, args, { cwd });
  const code = await judging.ended;
  return { code, said: judging.output() };
}
