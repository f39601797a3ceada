/** The two commands about one person. */
import { createClient } from '@newsletter-kit/core';
import { test as base } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { run } from './command.ts';

const test = base.extend({ sandboxOptions: { seed: 'empty', autoAdvance: true } });

test('shows what the service knows of an address, in any spelling, and unsubscribes it', async ({
  sandboxOnPort: sandbox,
}) => {
  const client = createClient(sandbox.clientOptions);
  await client.subscriptions.create({ email: 'ada@example.com', utm_source: 'fair', double_opt_override: 'off' });
  const known = await run(['person', ' Ada@EXAMPLE.com'], sandbox.env);
  expect(known).toMatchObject({ code: 0, stderr: '' });
  expect(known.stdout).toMatch(/^email +ada@example\.com$/m);
  expect(known.stdout).toMatch(/^utm_source +fair$/m);

  const ended = await run(['unsubscribe', 'ada@example.com', '--json'], sandbox.env);
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ type: 'unsubscribed', before: 'active', status: 'inactive' });
  const writes = (): number => sandbox.requests().filter(({ method }) => method === 'PATCH').length;
  expect(writes()).toBe(1);
  expect(await run(['unsubscribe', 'ada@example.com'], sandbox.env)).toMatchObject({ code: 0 });
  expect(writes()).toBe(1);
});

test('says that nobody has an address, and what is none', async ({ sandboxOnPort: sandbox }) => {
  for (const command of ['person', 'unsubscribe']) {
    const nobody = await run([command, 'bo@example.com'], sandbox.env);
    expect(nobody).toMatchObject({ code: 66, stdout: '', stderr: expect.stringContaining('no subscription') });
    expect(nobody.stderr).not.toContain('bo@');
    expect(await run([command, 'ada'], sandbox.env)).toMatchObject({ code: 64 });
  }
});
