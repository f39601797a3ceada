/** The starter on a machine where something is missing: one sentence that says what to do, never a stack trace. */
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/chain/root.ts';
import { starter } from './starter.ts';

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'newsletter-checkout-'));
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'scripts'])
    await cp(join(root, file), join(checkout, file), { recursive: true });
  await symlink(join(root, 'packages'), join(checkout, 'packages'));
});
afterEach(() => rm(checkout, { recursive: true, force: true }));

describe('the starter', () => {
  it('says that npm is missing', async () => {
    const { ended, output } = starter(['build'], { PATH: checkout }, checkout);
    expect(await ended).toBe(1);
    expect(output()).toContain('npm was not found');
    expect(output()).not.toMatch(/^\s+at /m);
  });

  it.each(['notice', 'silent'])('says that the registry cannot be reached, with npm %s', async (loglevel) => {
    const nowhere = {
      npm_config_loglevel: loglevel,
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: join(checkout, 'cache'),
      npm_config_fetch_retries: '0',
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
    expect(output()).toContain('node scripts/run.mjs start');
  });
});
