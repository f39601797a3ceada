/** Number of rows that each statement of the PostgreSQL store reads from a large table, counted by the server. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { found, newSignup } from '../new-signup.ts';
import { forms, server } from './fresh-postgres.ts';
import { clicked } from '../clicked.ts';

const many = { delivered: 100_000, held: 20_000, sent: 20_000, webhooks: 20_000 };
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';
const batch = { id: '018f0000-0000-7000-8000-000000000001', publicationId };
const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };
const scan = { until: 0, newest: null, cursor: null, startedAt: null };
const now = Date.now();
const first = now - 1e9;

/** Rows of tables and of indexes that the server has read so far in this database. */
const reads = `SELECT coalesce(sum(seq_tup_read), 0)::int + (SELECT coalesce(sum(idx_tup_read), 0)::int FROM pg_stat_user_indexes) AS rows
  FROM pg_stat_user_tables`;

/** Sessions of a store; the server adds up what one has read when it ends. */
const sessions = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'newsletter-relay'`;

/** Signups of people in this form, whose hashes are made as the relay makes them. */
function insert(form: string, count: number, columns: Readonly<Record<string, string | number>>): string {
  const person = `translate(left(encode(sha256(convert_to('${form}' || n || '@example.com', 'UTF8')), 'base64'), 22), '+/', '-_')`;
  return `INSERT INTO newsletter_relay.signup (id, form, received_at, submission, content, attempts, ${Object.keys(columns).join(', ')})
    SELECT (lpad(to_hex(${first} + n), 12, '0') || '70008' || left(md5(n || '${form}'), 15))::uuid, '${form}', ${first} + n,
      json_build_object('email', '${form}' || n || '@example.com')::text, ${person} || left(md5('content'), 22), 1,
      ${Object.values(columns)
        .map((value) => (typeof value === 'string' ? `'${value}'` : value))
        .join(', ')}
    FROM generate_series(1, ${count}) AS n`;
}

/** Replaces the time limits of the store's statements: rows are counted here, and a busy machine takes its time. */
const withoutTimeLimits = (address: string): string =>
  `${address}?${new URLSearchParams({
    statement_timeout: '0',
    lock_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    query_timeout: '240000',
  }).toString()}`;

const emails = (form: string): string[] => Array.from({ length: 100 }, (_, n) => `${form}${n + 1}@example.com`);

const failed = { state: 'waiting', at: now, nextAttemptAt: now + 1, reason: 'no', tried: false } as const;

describe.each(['of now', 'of before the backlog'])('with statistics %s', (statistics) => {
  let address: string;

  beforeAll(async () => {
    address = await server.database();
    await (await openPostgresStore(address)).close();
    await server.run(
      `ALTER TABLE newsletter_relay.signup SET (autovacuum_enabled = off);
       INSERT INTO newsletter_relay.batch VALUES ('${batch.id}', '${publicationId}', 0, 0)`,
      address,
    );
    await server.run(insert('default', many.delivered, { state: 'delivered', settled_at: now }), address);
    await server.run('VACUUM ANALYZE', address);
    await server.run(insert('held', many.held, { state: 'waiting', next_attempt_at: 0 }), address);
    await server.run(insert('sent', many.sent, { state: 'sent', batch: batch.id }), address);
    for (const destination of ['crm', 'down', 'stopped'])
      await server.run(
        `INSERT INTO newsletter_relay.webhook_destination VALUES ('${destination}', 'none', ${destination === 'stopped' ? "'410'" : 'NULL'});
         INSERT INTO newsletter_relay.webhook_message (destination, type, signup, form, at, next_attempt_at)
         SELECT '${destination}', 'signup.delivered', id, form, ${now}, ${destination === 'down' ? now + 1e6 : 0}
         FROM (SELECT id, form FROM newsletter_relay.signup WHERE form = 'default' LIMIT ${many.webhooks}) AS s`,
        address,
      );
    if (statistics === 'of now') await server.run('VACUUM ANALYZE', address);
    // Otherwise a commit below waits for the disk to take all of this.
    await server.run('CHECKPOINT', address);
  });

  async function rowsRead(work: (store: SignupStore) => Promise<unknown>): Promise<number> {
    const store = await openPostgresStore(withoutTimeLimits(address));
    try {
      const before = Number((await server.run(reads, address))[0]?.['rows']);
      await work(store);
      await store.close();
      await waitUntil('its sessions have ended', async () => (await server.run(sessions, address)).length === 0);
      return Number((await server.run(reads, address))[0]?.['rows']) - before;
    } finally {
      await store.close();
    }
  }

  const idsOf = async (store: SignupStore, form: string): Promise<string[]> =>
    (await store.person(`${form}${1}@example.com`)).signups.map(({ id }) => id);

  it.each<[string, (store: SignupStore) => Promise<unknown>]>([
    ['accept signups', (store) => Promise.all([1, 2, 3].map((n) => store.accept(newSignup(`p${n}@example.com`))))],
    ['claim', (store) => store.claim({ forms, limit: 1, now })],
    ['claim a batch', (store) => store.claim({ forms, limit: 50, now, batch })],
    ['claim from a large backlog', (store) => store.claim({ forms: ['held'], limit: 100, now })],
    ['claim a batch from a large backlog', (store) => store.claim({ forms: ['held'], limit: 100, now, batch })],
    ['settle', async (store) => store.settle(await idsOf(store, 'held'), failed)],
    ['release', async (store) => store.release(await idsOf(store, 'held'))],
    ['count a backlog', (store) => store.backlog([...forms, 'held'], 100)],
    ['know what is due next', (store) => store.nextDueAt([...forms, 'held'])],
    [
      'confirm',
      async (store) =>
        expect(
          await store.confirm(
            publicationId,
            emails('sent').map((email) => found(email)),
            now,
            scan,
          ),
        ).toHaveLength(100),
    ],
    [
      'confirm nothing',
      (store) =>
        store.confirm(
          publicationId,
          emails('default').map((email) => found(email)),
          now,
          scan,
        ),
    ],
    ['confirm a person', async (store) => clicked(store, (await idsOf(store, 'held'))[0] ?? '', now)],
    ['find a person', async (store) => expect((await store.person('held1@example.com')).signups).toHaveLength(1)],
    ['find a signup by address', (store) => store.list({ email: 'held1@example.com' }, { limit: 10 })],
    ['list the newest', (store) => store.list({}, { limit: 50 })],
    [
      'list those before them',
      async (store) =>
        expect(await store.list({}, { limit: 50, after: (await idsOf(store, 'default'))[0] })).toHaveLength(0),
    ],
    ['erase a person', (store) => store.erase('held1@example.com')],
    ['claim webhooks', async (store) => expect(await store.webhooks.claim('crm', 4, now)).toHaveLength(4)],
    ['claim none of those that wait', (store) => store.webhooks.claim('down', 4, now)],
    ['claim none of a destination that is held', (store) => store.webhooks.claim('stopped', 4, now)],
    ['know that a held destination has none due', (store) => store.webhooks.nextDueAt('stopped')],
    ['know when a webhook is due', (store) => store.webhooks.nextDueAt('down')],
    ['write a probe', (store) => store.probe(now, 'fill')],
    ['ask whether delivery is paused', (store) => store.paused()],
    ['count', (store) => store.counts()],
    [
      'expire nothing',
      (store) => store.expire({ delivered: now - 1, review: now, dead: now, unconfirmed: now, consent: now }),
    ],
  ])('reads few rows to %s', async (_what, work) => {
    expect(await rowsRead(work)).toBeLessThan(2500);
  });

  it.each<[string, (store: SignupStore) => Promise<unknown>]>([
    ['sum up', (store) => store.overview(now)],
    ['list batches', (store) => store.openBatches(publicationId)],
    ['end a batch', (store) => store.endBatch('018f0000-0000-7000-8000-000000000002', failed)],
    ['pull forward', (store) => store.pullForward(now, 1000)],
    ['list what waits of a form', (store) => store.list({ states: ['waiting'], form: 'default' }, { limit: 50 })],
    ['list dead letters', (store) => store.list({ states: ['dead'], reason: 'refused' }, { limit: 50 })],
    ['redrive', (store) => store.redrive({ reason: 'refused' }, now)],
    ['discard', (store) => store.discard({ states: ['dead'] })],
  ])('reads few of the delivered to %s', async (_what, work) => {
    // The others, once for each figure of the sum.
    expect(await rowsRead(work)).toBeLessThan(1.2 * many.delivered);
  });

  it('reads only changed rows to erase the content of some', async () => {
    const some = `UPDATE newsletter_relay.signup SET settled_at = 1 WHERE state = 'delivered' AND received_at <= ${first + 1500}`;
    await server.run(some, address);
    expect(await rowsRead((store) => store.expire({ ...keep, delivered: 2 }))).toBeLessThan(10_000);
  });
});
