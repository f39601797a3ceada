/**
 * A fresh clone: the scripts without development tools install little and find every module; the others install the
 * rest, in either order.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifest, scriptsWithoutTools } from '../../scripts/install.mjs';
import { root } from '../../scripts/root.ts';
import { servers } from '../../scripts/servers.ts';
import { freePorts } from '../support/free-ports.ts';
import { copyWithoutDependencies } from '../support/repository-copy.ts';
import { findNodeBefore, starter, type Started } from './starter.ts';

/** Megabytes that a clone may take after `npm start`, pnpm and its store aside. */
const limit = 400;
const oldNode = findNodeBefore(24);

/** How each script of {@link scriptsWithoutTools} is run, besides `start`. */
const commands: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['sandbox', '--help'],
  relay: ['relay', '--help'],
  newsletter: ['newsletter', '--help'],
  node: ['node', 'client.mjs'],
};

/** A clone in which nothing is installed, until the test is over. */
async function clone(): Promise<string> {
  const folder = await copyWithoutDependencies();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'client.mjs'), "import { createClient } from '@newsletter-kit/core';\ncreateClient;\n");
  return folder;
}

/** Runs a script in a terminal that has no tools of this repository. */
function run(
  folder: string,
  args: readonly string[],
  node?: string,
  env: Readonly<Record<string, string>> = {},
): Started {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(root));
  const clean = { PATH: path.join(delimiter), NODE_ENV: undefined, NODE_OPTIONS: undefined, NODE_PATH: undefined };
  return starter(args, { ...clean, ...env }, folder, node);
}

async function runStart(folder: string, node?: string): Promise<string> {
  const ports = await freePorts();
  const started = run(folder, ['start'], node, {
    ...Object.fromEntries(servers.map(({ name, portVariable }) => [portVariable, String(ports[name])])),
    RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
  });
  onTestFinished(() => void started.child.kill('SIGTERM'));
  await started.says(/Ctrl-C stops everything/);
  for (const page of ['/', '/playground', '/sources'])
    expect((await fetch(`http://127.0.0.1:${ports.demo}${page}`)).status, page).toBe(200);
  started.child.kill('SIGTERM');
  expect(await started.ended).toBe(0);
  return started.output();
}

async function output(started: Started): Promise<string> {
  expect(await started.ended, started.output()).toBe(0);
  return started.output();
}

/** Size of all files in a folder, in megabytes; links are not followed, and a file with two names counts once. */
function megabytes(folder: string): number {
  const seen = new Set<number>();
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { ino, size } = lstatSync(join(folder, path));
    return seen.has(ino) ? 0 : (seen.add(ino), size);
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

describe('a fresh clone', () => {
  it.for([
    ['a Node that is new enough', process.execPath],
    ...(oldNode ? [['an older Node', oldNode] as const] : []),
  ] as const)(
    'starts with %s, without development tools, and installs these with the first command that needs them',
    async ([, node]) => {
      const folder = await clone();
      const started = await runStart(folder, node);
      expect(started).toContain('and what this command runs');
      expect(started.includes('Node 24'), 'brings its own Node').toBe(node === oldNode);
      expect(existsSync(join(folder, 'node_modules', 'typescript'))).toBe(false);
      expect(megabytes(folder)).toBeLessThan(limit);

      for (const args of Object.values(commands))
        expect(await output(run(folder, args, node))).not.toContain('▸ Installing');

      expect(await output(run(folder, ['format'], node))).toContain('▸ Installing the development tools');
      expect(await runStart(folder, node)).not.toContain('▸ Installing');
    },
  );

  it('installs everything with a command that needs tools, and nothing more with npm start', async () => {
    const folder = await clone();
    expect(await output(run(folder, ['format']))).toContain('all packages and the development tools');
    expect(await runStart(folder)).not.toContain('▸ Installing');
    expect(existsSync(join(folder, 'node_modules', 'typescript'))).toBe(true);
  });

  it('is asked for every script that is said to need no tools', () => {
    expect(new Set(['start', ...Object.keys(commands)])).toEqual(scriptsWithoutTools);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining([...scriptsWithoutTools]));
  });
});
