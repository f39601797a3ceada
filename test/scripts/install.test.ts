/** The starter's errors on a machine without npm or network: they say what to do, without a stack trace. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { starter } from './starter.ts';

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'newsletter-checkout-'));
  for (const file of ['.pnpmfile.cjs', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'scripts'])
    await cp(join(root, file), join(checkout, file), { recursive: true });
  await symlink(join(root, 'packages'), join(checkout, 'packages'));
});
afterEach(() => rm(checkout, { recursive: true, force: true }));

describe('the starter', () => {
  it('reports that npm is missing', async () => {
    const { ended, output } = starter(['build'], { PATH: checkout }, checkout);
    expect(await ended).toBe(1);
    expect(output()).toContain('npm was not found');
    expect(output()).not.toMatch(/^\s+at /m);
  });

  it.each(['notice', 'silent'])('reports that the registry cannot be reached, with npm %s', async (loglevel) => {
    const nowhere = {
      npm_config_loglevel: loglevel,
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: join(checkout, 'cache'),
    };
    const { ended, output } = starter(['build'], nowhere, checkout);
    expect(await ended).toBe(1);
    expect(output()).toContain('The npm registry cannot be reached.');
    expect(output()).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['an unknown task', ['sail'], 'There is no task "sail".'],
    ['no task', [], 'No task was named.'],
  ])('lists the tasks for %s', async (_name, args, sentence) => {
    const { ended, output } = starter(args, {}, checkout);
    expect(await ended).toBe(1);
    expect(output()).toContain(sentence);
    expect(output()).toContain('Run "node scripts/run.mjs NAME", where NAME is start, ');
  });
});

describe('npm install', () => {
  it('fails and prints the commands to run instead', async () => {
    const { error, output } = await npm(['install']);
    expect(error).not.toBeNull();
    expect(output).toContain('run npm start, npm test or npx pnpm@12 install');
  });

  it('names the major version of pnpm that package.json pins', async () => {
    const { packageManager } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      packageManager: string;
    };
    expect(packageManager).toMatch(/^pnpm@12\.\d+\.\d+$/);
  });
});

/** Runs npm in the checkout, without a network. */
function npm(args: readonly string[]): Promise<{ error: Error | null; output: string }> {
  const env = {
    ...process.env,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_cache: join(checkout, 'cache'),
    npm_config_loglevel: 'notice',
  };
  return new Promise((resolve) => {
    execFile('npm', args, { cwd: checkout, env }, (error, stdout, stderr) => {
      resolve({ error, output: stdout + stderr });
    });
  });
}
