/**
 * The packages as a stranger gets them: packed, then installed by npm into an empty folder, without our sources around.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pnpm } from '../../scripts/install.mjs';
import { publishedPackages } from '../../scripts/pack.ts';
import { root } from '../../scripts/root.ts';

const execute = promisify(execFile);
const shell = process.platform === 'win32';

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs what was installed with one version of Node. */
export interface Runner {
  /** Runs Node on this code, as a module of the folder. @param options - of Node, before the code */
  node(code: string, options?: readonly string[]): Promise<Ended>;
  /** Runs a command that the packages brought. */
  command(name: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

/** Runs with the Node of this process. */
export interface Installation extends Runner {
  readonly folder: string;
  /** Runs with another Node, by its executable. */
  under(node: string): Runner;
  remove(): Promise<void>;
}

/** Packs what was built, a tarball each. */
export async function packPackages(
  folder: string,
  packages: readonly (typeof publishedPackages)[number][] = publishedPackages,
): Promise<void> {
  const missing = packages.find(({ path }) => !existsSync(join(root, path, 'dist')));
  if (missing) throw new Error(`${missing.path} is not built. Run npm run build first; npm test does.`);
  const filters = packages.flatMap(({ name }) => ['--filter', `@newsletter-kit/${name}`]);
  // One start of pnpm for all.
  await execute('npx', ['--yes', pnpm, ...filters, 'pack', '--out', join(folder, '%s-%v.tgz')], { cwd: root, shell });
}

/** @param beside - packages of others that are installed, too, such as `hono@4.0.0` */
export function installPacked(...beside: readonly string[]): Promise<Installation> {
  return install(publishedPackages, beside);
}

/** Installs one of the packages, without the others. */
export function installOnePacked(
  name: (typeof publishedPackages)[number]['name'],
  ...beside: readonly string[]
): Promise<Installation> {
  return install(
    publishedPackages.filter((each) => each.name === name),
    beside,
  );
}

async function install(
  packages: readonly (typeof publishedPackages)[number][],
  beside: readonly string[],
): Promise<Installation> {
  const tarballs = await mkdtemp(join(tmpdir(), 'newsletter-tarballs-'));
  try {
    await packPackages(tarballs, packages);
    const files = (await readdir(tarballs)).map((name) => join(tarballs, name));
    return await installInEmptyFolder(...files, ...beside);
  } finally {
    await rm(tarballs, { recursive: true, force: true });
  }
}

/** @param specifiers - what `npm install` takes, such as a path of a tarball */
export async function installInEmptyFolder(...specifiers: readonly string[]): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-packed-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
    await execute(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...specifiers],
      { cwd: folder, shell },
    );
  } catch (error) {
    await remove();
    throw error;
  }
  const under = (node: string): Runner => {
    const run = async (
      file: string,
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
    ): Promise<Ended> => {
      // The commands run under this Node; an environment of its own keeps our conditions and settings out.
      const path = [dirname(node), process.env['PATH']].join(delimiter);
      const options = {
        cwd: folder,
        timeout: 120_000,
        env: { PATH: path, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
      };
      return execute(file, [...args], options).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code?: number; stdout?: string; stderr?: string }) => ({
          code: error.code ?? -1,
          stdout: error.stdout ?? '',
          stderr: error.stderr ?? '',
        }),
      );
    };
    return {
      node: (code, options = []) => run(node, [...options, '--input-type=module', '--eval', code]),
      command: (name, args, env) => run(join(folder, 'node_modules', '.bin', name), args, env),
    };
  };
  return { folder, ...under(process.execPath), under, remove };
}
