/** Other Node versions than the project's own, brought from the registry: each platform's binary is a package. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const binary = process.platform === 'win32' ? 'node.exe' : 'node';

/** The versions beside the one that runs this, exact as everything the project uses. */
const others = { '22': '22.23.3', '26': '26.10.0' } as const;

export interface Runtimes {
  /** The executables, oldest first, by major version. */
  readonly nodes: Readonly<Record<'22' | '24' | '26', string>>;
  remove(): Promise<void>;
}

export async function bringRuntimes(): Promise<Runtimes> {
  const { node, remove } = await bringNodes(Object.values(others));
  return { nodes: { '22': node(others['22']), '24': process.execPath, '26': node(others['26']) }, remove };
}

/** Some Node versions, in a temporary folder. */
export interface BroughtNodes {
  /** The executable of a version. */
  node(version: string): string;
  remove(): Promise<void>;
}

/** @param versions - exact ones */
export async function bringNodes(versions: readonly string[]): Promise<BroughtNodes> {
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-runtimes-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const dependencies = Object.fromEntries(versions.map((version) => [`node-${version}`, `npm:${platform}@${version}`]));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], {
      cwd: folder,
      shell: process.platform === 'win32',
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { node: (version) => join(folder, 'node_modules', `node-${version}`, 'bin', binary), remove };
}
