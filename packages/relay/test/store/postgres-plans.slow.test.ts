/** What the PostgreSQL store reads, by the server's own count, of a table with many delivered signups. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Consent, SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { eventually } from '../eventually.ts';
import { newSignup } from '../new-signup.ts';
import { forms, server } from './fresh-postgres.ts';

const delivered = 100_000;
const held = 20_000;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const batch = { id: '018f0000-0000-7000-8000-000000000001', publicationId };
const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
const click: Consent = { sentence: null, version: null, page: null, visitor: null };
const now = Date.now();
let address: string;

/** Rows of tables and of indexes that the server has read so far in this database. */
const reads = `SELECT coalesce(sum(seq_tup_read), 0)::int + (SELECT coalesce(sum(idx_tup_read), 0)::int FROM pg_stat_user_indexes) AS rows
  FROM pg_stat_user_tables`;

/** Sessions of a store; the server adds up what one has read when it ends. */
const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'newsletter-relay'`;

beforeAll(async () => {
  address = await server.database();
  await (await openPostgresStore(address)).close();
  const row = (state: string, form: string, more: string, count: number): string =>
    `INSERT INTO newsletter_relay.signup (id, form, state, received_at, submission, content, attempts, ${more.split('=')[0]})
     SELECT (lpad(to_hex(${now - 1e9} + n), 12, '0') || '7000' || '8' || left(md5(n || '${form}'), 15))::uuid, '${form}', '${state}', ${now - 1e9} + n,
       '{"email":"p@example.com"}', left(md5(n || '${form}'), 22) || left(md5('content'), 22), 1, ${more.split('=')[1]}
     FROM generate_series(1, ${count}) AS n`;
  await server.run(row('delivered', 'default', `settled_at=${now}`, delivered), address);
  await server.run(row('waiting', 'held', 'next_attempt_at=0', held), address);
  await server.run(`UPDATE newsletter_relay.setting SET value = '${delivered}' WHERE name = 'delivered'`, address);
  await server.run('VACUUM ANALYZE', address);
});

describe(`of a table with ${delivered} delivered signups, and ${held} of a form that is held, are read only few`, () => {
  it.each<[string, (store: SignupStore) => Promise<unknown>]>([
    ['to accept signups', (store) => Promise.all([1, 2, 3].map((n) => store.accept(newSignup(`p${n}@example.com`))))],
    ['to claim', (store) => store.claim({ forms, limit: 1, now })],
    ['to claim a batch', (store) => store.claim({ forms, limit: 50, now, batch })],
    [
      'to settle',
      async (store) =>
        store.settle(await idsOf(store), {
          state: 'waiting',
          at: now,
          nextAttemptAt: now + 1,
          reason: 'no',
          tried: false,
        }),
    ],
    ['to release', async (store) => store.release(await idsOf(store))],
    ['to count a backlog', (store) => store.backlog([...forms, 'held'], 100)],
    ['to know what is due next', (store) => store.nextDueAt([...forms, 'held'])],
    ['to list batches', (store) => store.openBatches(publicationId)],
    [
      'to confirm',
      (store) =>
        store.confirm(
          publicationId,
          Array.from({ length: 100 }, (_, n) => `p${n}@example.com`),
          now,
          { until: 0, newest: null, cursor: null, startedAt: null },
        ),
    ],
    [
      'to end a batch',
      (store) => store.endBatch(batch.id, { state: 'waiting', at: now, nextAttemptAt: now, reason: 'no', tried: true }),
    ],
    ['to confirm a person', async (store) => store.confirmPerson((await idsOf(store))[0] ?? '', now, click)],
    ['to find a person', (store) => store.person('p1@example.com')],
    ['to find a signup by address', (store) => store.list({ email: 'p1@example.com' }, { limit: 10 })],
    ['to list the newest', (store) => store.list({}, { limit: 50 })],
    ['to list dead letters', (store) => store.list({ states: ['dead'], reason: 'refused' }, { limit: 50 })],
    ['to list what waits of a form', (store) => store.list({ states: ['waiting'], form: 'default' }, { limit: 50 })],
    ['to redrive', (store) => store.redrive({ reason: 'refused' }, now)],
    ['to discard', (store) => store.discard({ states: ['dead'] })],
    ['to erase a person', (store) => store.erase('p1@example.com')],
    [
      'to expire nothing',
      (store) => store.expire({ delivered: now - 1, review: now, dead: now, unconfirmed: now, consent: now }),
    ],
    ['to write a probe', (store) => store.probe(now)],
    ['to ask whether delivery is paused', (store) => store.paused()],
  ])('%s', async (_what, work) => {
    expect(await rowsRead(work)).toBeLessThan(2500);
  });

  it.each<[string, (store: SignupStore) => Promise<unknown>]>([
    ['the counts', (store) => store.counts()],
    ['the overview', (store) => store.overview(now)],
    ['pulling forward', (store) => store.pullForward(now, 1000)],
  ])('of the delivered none: %s', async (_what, work) => {
    expect(await rowsRead(work)).toBeLessThan(delivered);
  });

  it('to erase the content of some', async () => {
    await server.run(
      `UPDATE newsletter_relay.signup SET settled_at = 1 WHERE form = 'default' AND state = 'delivered' AND received_at <= ${now - 1e9 + 1500}`,
      address,
    );
    expect(await rowsRead((store) => store.expire({ ...keep, delivered: 2 }))).toBeLessThan(10_000);
  });
});

async function idsOf(store: SignupStore): Promise<string[]> {
  return (await store.list({ states: ['sent', 'waiting'], form: 'default' }, { limit: 20 })).map(({ id }) => id);
}

async function rowsRead(work: (store: SignupStore) => Promise<unknown>): Promise<number> {
  const store = await openPostgresStore(address);
  const ended = () =>
    eventually('its sessions have ended', async () => (await server.run(sessions, address)).length === 0);
  try {
    const before = Number((await server.run(reads, address))[0]?.['rows']);
    await work(store);
    await store.close();
    await ended();
    return Number((await server.run(reads, address))[0]?.['rows']) - before;
  } finally {
    await store.close();
  }
}
