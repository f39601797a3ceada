/** The PostgreSQL store behind a relay. `postgres-store.slow.test.ts` runs the conformance suite. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { operatorRequest, post, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { fresh, open, server } from './fresh-postgres.ts';

it('keeps a signup over a restart of the relay, which delivers it', async () => {
  const address = await server.database();
  const before = await open(address);
  expect((await runRelay({ store: before }).fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
  await before.close();
  const api = sandboxApi();
  const store = await open(address);
  expect((await store.person('Ada@example.com')).signups).toMatchObject([{ state: 'waiting' }]);
  runRelay({ store, api: api.fetch }).start();
  await waitUntil('it is delivered', async () => (await store.counts()).delivered === 1);
  expect(api.received).toMatchObject([{ email: 'ada@example.com' }]);
});

it('is not ready while signups cannot be stored, because another process has locked their table', async () => {
  const { address, store } = await fresh();
  const relay = runRelay({ store });
  const locker = new pg.Client({ connectionString: address });
  onTestFinished(() => locker.end());
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE newsletter_relay.signup');
  const [posted, ready] = await Promise.all([
    relay.fetch(post({ email: 'ada@example.com' })),
    relay.fetch(operatorRequest('/readyz')),
  ]);
  expect([posted.status, posted.headers.get('retry-after'), ready.status]).toEqual([503, '5', 503]);
  expect(await ready.json()).toMatchObject({
    reason: expect.stringContaining('another process keeps it locked') as string,
  });
  await locker.query('ROLLBACK');
  expect((await relay.fetch(new Request('http://relay.example/readyz'))).status).toBe(200);
  expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
});
