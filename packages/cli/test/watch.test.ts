import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run, start } from './command.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

test('reports new subscriptions until it is stopped', async ({ sandboxOnPort: sandbox }) => {
  const client = createClient(sandbox.clientOptions);
  await client.subscriptions.create({ email: 'before@example.com' });
  const watch = start(['watch', '--every', '1', '--json', '--expand', 'stats'], sandbox.env);
  const polls = () => sandbox.requests().filter(({ operation }) => operation === 'subscriptions.list').length;
  await waitUntil('a first poll', () => polls() > 0);
  await client.subscriptions.create({ email: 'ada@example.com' });
  const seen = await waitUntil(
    'the event',
    () => events(watch.stdout()).find(({ type }) => type === 'created') ?? null,
  );
  expect(seen).toMatchObject({ subscription: { email: 'ada@example.com', stats: {} } });
  watch.kill('SIGTERM');
  const { code, stdout } = await watch.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain('before@example.com');
});

test('continues from a stored state and reports the changes since then', async ({ sandboxOnPort: sandbox }) => {
  const client = createClient(sandbox.clientOptions);
  const state = join(scratchFolder(), 'watch.json');
  const poll = async (...args: string[]) =>
    run(['watch', '--once', '--state', state, '--events', 'created,status_changed', ...args], sandbox.env);
  await client.subscriptions.create({ email: 'ada@example.com', double_opt_override: 'off' });
  sandbox.clock.advance('PT10S');
  for (let round = 0; round < 3; round++) expect(await poll()).toMatchObject({ code: 0, stdout: '' });
  expect(statSync(state).mode & 0o777).toBe(0o600);
  expect(readFileSync(state, 'utf8')).not.toContain('@');

  const { items } = await client.subscriptions.list();
  await client.subscriptions.updateStatus({ subscription_ids: items.map(({ id }) => id), new_status: 'inactive' });
  await client.subscriptions.create({ email: 'grace@example.com', double_opt_override: 'off' });
  sandbox.clock.advance('PT10S');
  const reported = `${(await poll()).stdout}${(await poll()).stdout}`;
  expect(reported).toMatch(/^created {9}grace@example\.com \(sub_[\w-]+\), active$/m);
  expect(reported).toMatch(/^status_changed {2}ada@example\.com \(sub_[\w-]+\): active → inactive$/m);
  expect(reported.trim().split('\n')).toHaveLength(2);
});

test('reports changes since a given time', async ({ sandboxOnPort: sandbox }) => {
  await createClient(sandbox.clientOptions).subscriptions.create({ email: 'ada@example.com' });
  expect((await run(['watch', '--once', '--since', '2020-01-01T00:00:00Z'], sandbox.env)).stdout).toContain(
    'ada@example.com',
  );
  expect((await run(['watch', '--once'], sandbox.env)).stdout).toBe('');
});

test('continues after an outage of the service, and ends after a permanent failure', async ({
  sandboxOnPort: sandbox,
}) => {
  const broken = sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503, retryAfter: 3600 } });
  const watch = start(['watch', '--every', '1'], sandbox.env);
  await waitUntil('the outage', () => /The next poll tries again/.exec(watch.stderr()));
  sandbox.faults.remove(broken.id);
  await createClient(sandbox.clientOptions).subscriptions.create({ email: 'early@example.com' });
  const sent = sandbox.requests().length;
  await waitUntil('a poll that succeeds', () =>
    sandbox
      .requests()
      .slice(sent)
      .some(({ operation }) => operation === 'subscriptions.list'),
  );
  sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 401 } });
  expect((await watch.ended).code).toBe(77);
});

test('takes no other file for its state', async ({ sandboxOnPort: sandbox }) => {
  const state = join(scratchFolder(), 'watch.json');
  writeFileSync(state, 'nonsense');
  expect((await run(['watch', '--once', '--state', state], sandbox.env)).stderr).toContain(
    'this is not the state of a watch',
  );
  expect(readFileSync(state, 'utf8')).toBe('nonsense');
});
