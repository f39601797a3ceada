/** Rate limits and used tokens shared by relays on one PostgreSQL. */
import { expect, it } from 'vitest';
import { openStore } from '../../src/index.ts';
import { sharedPostgres } from '../postgres-server.ts';
import { post, runRelay, type RunningRelay } from '../running-relay.ts';
import { asked } from './ask.ts';

const server = sharedPostgres();

it('hold over all relays, and a token can be used once', async () => {
  const url = await server.database();
  let now = Date.now();
  const settings = {
    RELAY_LIMIT_IP: '6/1h',
    RELAY_LIMIT_ADDRESS: '2/1d',
    RELAY_FORM_TOKEN: 'true',
    RELAY_SECRET: 'a-secret-that-three-relays-share',
  };
  const stores = await Promise.all([1, 2, 3].map(() => openStore({ kind: 'postgres', url })));
  const relays = stores.map((store) => runRelay({ store, settings, now: () => now }));
  const at = (n: number): RunningRelay => relays[n % 3] ?? runRelay();
  const signUp = async (n: number, email: string, peer: string): Promise<number> => {
    const { token } = await asked(await at(n).fetch(post({ email }), peer), 'TOKEN_REQUIRED');
    now += 2500;
    // The token was given by another relay than the one that takes it.
    const answers = [
      await at(n + 1).fetch(post({ email, utm_term: `${n}`, token }), peer),
      await at(n + 2).fetch(post({ email: 'x@example.com', token }), peer),
    ];
    if (answers[0]?.status === 202) await asked(answers[1] ?? Response.error(), 'TOKEN_REQUIRED');
    return answers[0]?.status ?? 0;
  };
  const visitors: number[] = [];
  // Each round counts twice for the visitor: once for the signup, once for the token used again.
  for (let n = 0; n < 5; n += 1) visitors.push(await signUp(n, `p${n}@example.com`, '203.0.113.9'));
  expect(visitors).toEqual([202, 202, 202, 429, 429]);
  for (let n = 0; n < 6; n += 1) expect(await signUp(n, 'victim@example.com', `198.51.100.${n}`)).toBe(202);
  expect(await stores[0]?.counts()).toMatchObject({ waiting: 5, review: 4 });

  const rows = await server.run('SELECT key FROM newsletter_relay.counter', url);
  expect(rows.length).toBeGreaterThan(5);
  expect(JSON.stringify(rows)).not.toMatch(/@|example|203\.0|198\.51/);

  await Promise.all(relays.map((relay) => relay.stop(0)));
  await Promise.all(stores.map((store) => store.close()));
});

it('are counted in memory while the database does not answer', async () => {
  const url = await server.database();
  const store = await openStore({ kind: 'postgres', url });
  await server.run('DROP TABLE newsletter_relay.counter', url);
  const relay = runRelay({ store, settings: { RELAY_LIMIT_IP: '2/1h' } });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await relay.fetch(post({ email: `p${n}@example.com` }), '203.0.113.9')).status);
  expect(statuses).toEqual([202, 202, 429, 429]);
  await relay.stop(0);
  await store.close();
});
