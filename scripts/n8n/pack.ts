/** Packs the package as it would be published, and unpacks it where n8n looks for community packages. */
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pnpm } from '../install.mjs';
import { buildIfStale } from '../build.ts';
import { root } from '../root.ts';
import { run } from '../program.ts';

/** The package's name, with which its node types begin. */
export const packageName = 'n8n-nodes-newsletter-kit';

/** Packs the package, and unpacks it into n8n's folder. */
export async function installPackage(userFolder: string, signal?: AbortSignal): Promise<void> {
  const target = packageFolder(userFolder);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await packInto(target, signal);
}

/** The folder in which n8n looks for the package. */
export function packageFolder(userFolder: string): string {
  return join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
}

/**
 * Lets the nodes import the n8n-workflow of this n8n. In a folder within the repository they would find the
 * repository's own: a second copy, which does not know the errors that n8n throws as instances of its classes.
 *
 * @param command - the path of the n8n command
 */
export async function linkWorkflowPackage(userFolder: string, command: string): Promise<void> {
  const [own = ''] = createRequire(await realpath(command))
    .resolve('n8n-workflow')
    .split(/[/\\]dist[/\\]/);
  const link = join(dirname(packageFolder(userFolder)), 'n8n-workflow');
  await rm(link, { recursive: true, force: true });
  await symlink(own, link, 'junction');
}

/**
 * Unpacks the packed package into a folder. Several processes can do it at a time: nothing in the repository changes,
 * unless a source is newer than the build.
 */
export async function packInto(target: string, signal?: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-pack-'));
  try {
    await buildIfStale('nodes');
    const staged = join(folder, 'package');
    await run(process.execPath, [join(root, 'scripts', 'n8n', 'stage.mjs'), staged], { signal });
    await run('npx', ['--yes', pnpm, 'pack', '--pack-destination', folder], { cwd: staged, signal });
    const [archive] = globSync('*.tgz', { cwd: folder });
    if (archive === undefined) throw new Error('pnpm pack wrote no archive.');
    await run('tar', ['xzf', join(folder, archive), '--strip-components', '1', '-C', target]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
