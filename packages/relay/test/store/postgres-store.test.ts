/** The PostgreSQL store behind a relay. `postgres-store.slow.test.ts` runs the conformance suite. */
import { expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { post, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { open, server } from './fresh-postgres.ts';

it('keeps a signup over a restart of the relay, which delivers it', async () => {
  const address = await server.database();
  const before = await open(address);
  expect((await runRelay({ store: before }).fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
  await before.close();
  const api = sandboxApi();
  const store = await open(address);
  expect((await store.person('Ada@example.com')).signups).toMatchObject([{ state: 'waiting' }]);
  runRelay({ store, api: api.fetch }).start();
  await eventually('it is delivered', async () => (await store.counts()).delivered === 1);
  expect(api.received).toMatchObject([{ email: 'ada@example.com' }]);
});
