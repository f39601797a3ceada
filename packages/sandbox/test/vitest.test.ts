/** The fixture as a user's test has it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from '@newsletter-kit/core';
import { afterAll, describe, expect } from 'vitest';
import { test } from '../src/vitest.ts';
import type { Sandbox } from '../src/index.ts';

const met: Sandbox[] = [];

test('a test gets a sandbox of its own, and settings for a client of it', async ({ sandbox, clientOptions }) => {
  met.push(sandbox);
  const client = createClient(clientOptions);
  await client.subscriptions.create({ email: 'ada@example.com' });
  sandbox.clock.advance('PT1S');
  expect((await client.subscriptions.list({ status: 'active' })).items.map((one) => one.email)).toEqual([
    'ada@example.com',
  ]);
});

test('the next test starts with an empty publication', async ({ sandbox, clientOptions }) => {
  met.push(sandbox);
  expect((await createClient(clientOptions).subscriptions.list()).items).toEqual([]);
});

describe('with options', () => {
  test.override({ sandboxOptions: { seed: 'demo', now: () => Date.UTC(2026, 10, 4) } });

  test('the sandbox starts with the given options', async ({ sandbox, clientOptions }) => {
    expect(sandbox.clock.now()).toBe(Date.UTC(2026, 10, 4));
    expect((await createClient(clientOptions).subscriptions.list({ limit: 100 })).items).toHaveLength(100);
  });
});

test('a sandbox on a port is reached by fetch, and by programs through their environment', async ({
  sandboxOnPort,
}) => {
  met.push(sandboxOnPort);
  await createClient(sandboxOnPort.clientOptions).subscriptions.create({ email: 'ada@example.com' });
  const code =
    'fetch(`${process.env.NEWSLETTER_API_URL}/publications/${process.env.NEWSLETTER_PUBLICATION_ID}/subscriptions`, { headers: { Authorization: `Bearer ${process.env.NEWSLETTER_API_KEY}` } }).then((answer) => answer.text()).then(console.log)';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], {
    env: { ...process.env, ...sandboxOnPort.env },
  });
  expect(stdout).toContain('"email":"ada@example.com"');
  expect(sandboxOnPort.requests().map((entry) => entry.operation)).toEqual([
    'subscriptions.create',
    'subscriptions.list',
  ]);
});

afterAll(async () => {
  expect(met).toHaveLength(3);
  for (const sandbox of met) expect((await sandbox.fetch('http://sandbox.test/v2/')).status).toBe(503);
});
