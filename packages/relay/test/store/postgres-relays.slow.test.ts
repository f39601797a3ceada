/** Several relays on one PostgreSQL, and a PostgreSQL that stops or freezes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimMs, everySignup, StoreUnavailableError, type SignupStore } from '../../src/index.ts';
import { type Operator, storeOperator } from '../../src/ops/operator.ts';
import { createConnections } from '../../src/store/postgres/connections.ts';
import { claimsLock as lockKey } from '../../src/store/postgres/database.ts';
import type { ClaimedSignup } from '../../src/store/signup-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { found, newSignup } from '../new-signup.ts';
import { PostgresServer } from '../postgres-server.ts';
import { post, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { startReceiver, webhookSettings } from '../webhooks/receiver.ts';
import { forms, fresh, open, server } from './fresh-postgres.ts';
import { clicked } from '../clicked.ts';

const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

describe('several relays on one PostgreSQL', () => {
  const relays = async (isolation = 'read committed'): Promise<{ address: string; stores: SignupStore[] }> => {
    const address = await server.database();
    const name = new URL(address).pathname.slice(1);
    await server.run(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
    return { address, stores: await Promise.all(Array.from({ length: 3 }, () => open(address))) };
  };

  it('may start for the first time at the same moment', async () => {
    const { stores } = await relays();
    await stores[0]?.accept(newSignup('ada@example.com'));
    expect((await stores[2]?.counts())?.waiting).toBe(1);
  });

  it.each(['read committed', 'serializable'])(
    'never take out the same signup or the same person, and join what each of them got (%s)',
    async (isolation) => {
      const { stores } = await relays(isolation);
      const people = Array.from({ length: 60 }, (_, i) => `p${i}@example.com`);
      // Each relay gets each person twice, in one content and in another.
      await Promise.all(
        stores.flatMap((store) =>
          people.flatMap((email) => [
            store.accept(newSignup(email)),
            store.accept(newSignup(email, { submission: { email, utm_source: 'again' } })),
          ]),
        ),
      );
      const claims = stores.flatMap((store) =>
        Array.from({ length: 6 }, (_, i) =>
          store.claim({
            forms,
            limit: 23,
            now: Date.now(),
            // Some in bulk, some each for itself.
            ...(i % 2 && { batch: { id: `018f0000-0000-7000-8000-00000000000${i}`, publicationId } }),
          }),
        ),
      );
      const taken = (await Promise.all(claims)).flat();
      const emails = taken.map(({ submission }) => submission.email);
      expect(new Set(emails).size).toBe(emails.length);
      expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
      // Once the first of each person is settled the rest goes: two contents of each person in all.
      await stores[0]?.settle(
        taken.map(({ id }) => id),
        { state: 'delivered', at: Date.now() },
      );
      const contents = [...taken, ...(await deliverAll(stores[1]))].map(({ submission }) => JSON.stringify(submission));
      expect(new Set(contents).size).toBe(contents.length);
      expect(await stores[2]?.counts()).toMatchObject({ waiting: 0, sent: 0, delivered: 120 });
    },
  );

  it('count delivered signups correctly while they settle, confirm, import and erase concurrently', async () => {
    const { address, stores } = await relays();
    const [one, two, three] = stores as [SignupStore, SignupStore, SignupStore];
    const emails = Array.from({ length: 90 }, (_, i) => `p${i}@example.com`);
    await Promise.all(emails.map((email) => one.accept(newSignup(email))));
    const now = Date.now();
    const single = await one.claim({ forms, limit: 45, now });
    const batch = { id: '018f0000-0000-7000-8000-000000000001', publicationId };
    const together = await two.claim({ forms, limit: 100, now, batch });
    expect(together).toHaveLength(45);
    const scan = { until: 0, newest: null, cursor: null, startedAt: null };
    await Promise.all([
      ...single.map(({ id }, i) => (i % 2 ? one : three).settle([id], { state: 'delivered', at: now })),
      ...together.map(({ submission }) => two.confirm(publicationId, [found(submission.email)], now, scan)),
      ...single.slice(0, 20).map(({ submission }) => three.erase(submission.email)),
      one.load([{ ...(await storedExample(one)), id: '018f0000-0000-7000-8000-0000000000ff', state: 'delivered' }], []),
    ]);
    const [real] = await server.run(
      "SELECT count(*)::int AS n FROM newsletter_relay.signup WHERE state = 'delivered'",
      address,
    );
    expect(await two.counts()).toMatchObject({ waiting: 0, sent: 0, delivered: real?.['n'] });
    expect(real?.['n']).toBe(90 - 20 + 1);
  });

  it('scan a publication one at a time; each page renews the lease', async () => {
    const { stores } = await relays();
    const [one, two] = stores as [SignupStore, SignupStore];
    const id = await one.accept(newSignup('ada@example.com'));
    await one.claim({ forms, limit: 1, now: 0, batch: { id: '018f0000-0000-7000-8000-000000000001', publicationId } });
    const step = (cursor: string) => ({ until: 1, newest: 2, cursor, startedAt: 3 });
    expect(await one.leaseScan(publicationId, 1000, 2000)).toEqual({ scan: null });
    expect(await two.leaseScan(publicationId, 1999, 2999)).toBeNull();
    expect(await two.leaseScan('pub_other', 1999, 2999)).toEqual({ scan: null });
    await one.confirm(publicationId, [], 1900, step('first'));
    expect(await two.leaseScan(publicationId, 2899, 3899)).toBeNull();
    expect(await one.leaseScan(publicationId, 2000, 3000)).toEqual({ scan: step('first') });
    expect(await two.leaseScan(publicationId, 3000, 4000)).toEqual({ scan: step('first') });
    // The one that lost it reports what it still saw, and leaves the place alone.
    expect(await one.confirm(publicationId, [found('ada@example.com')], 3001, step('late'))).toMatchObject([{ id }]);
    expect(await one.leaseScan(publicationId, 3002, 4002)).toBeNull();
    expect(await two.leaseScan(publicationId, 3003, 4003)).toEqual({ scan: step('first') });
    // Whoever holds it may release it.
    await one.releaseScan(publicationId);
    expect(await one.leaseScan(publicationId, 3004, 4004)).toBeNull();
    await two.releaseScan(publicationId);
    expect(await one.leaseScan(publicationId, 3004, 4004)).toEqual({ scan: step('first') });
    expect(await two.leaseScan(publicationId, 4004, 5004)).toEqual({ scan: step('first') });
    // One that ends leaves it to the others.
    await two.close();
    expect(await one.leaseScan(publicationId, 4005, 5005)).toEqual({ scan: step('first') });
  });

  it('deliver a backlog together, and one continues where the other stopped', async () => {
    const { stores } = await relays();
    const [first, second] = stores as [SignupStore, SignupStore];
    const api = sandboxApi({ seed: 'empty' });
    const sent: string[] = [];
    api.instead = async (request) => {
      if (request.method === 'POST') {
        const body = (await request.clone().json()) as { email?: string; subscriptions?: { email: string }[] };
        sent.push(...(body.subscriptions ?? [{ email: body.email ?? '' }]).map(({ email }) => email));
      }
      return api.sandbox.fetch(request);
    };
    let later = 0;
    const parts = {
      api: api.fetch,
      now: () => Date.now() + later,
      delivery: { backoff: { firstMs: 20, maxMs: 60 }, concurrency: 5, bulk: { above: 100, lookAfterMs: 4000 } },
    };
    const emails = Array.from({ length: 1500 }, (_, i) => `p${i}@example.com`).toSorted();
    await Promise.all(emails.map((email, i) => (i % 2 ? first : second).accept(newSignup(email))));
    const [one, two] = [runRelay({ ...parts, store: first }), runRelay({ ...parts, store: second })];
    one.start();
    two.start();
    await waitUntil('both have sent', () => sent.length > 1200);
    await one.stop(10_000);
    await first.close();
    const arrived = async () => (await api.subscriptions()).map(({ email }) => email).toSorted();
    await waitUntil('all have arrived', async () => (await arrived()).length === emails.length);
    // The second relay has left the scan to the first, and checks again at the end of its lease.
    later = claimMs;
    await waitUntil('all are delivered', async () => (await second.counts()).delivered === emails.length);
    await two.stop(10_000);
    expect(sent.toSorted()).toEqual(emails);
    expect(await arrived()).toEqual(emails);
  });

  it('send each webhook once, in the order of its signup', async () => {
    const { stores } = await relays();
    const receiver = await startReceiver();
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const running = stores.map((store) => runRelay({ api: api.fetch, store, settings: webhookSettings(receiver) }));
    await Promise.all(running.map((relay) => relay.deliver({ untilMs: Date.now() + 10_000 })));
    const [one, two, three] = stores as [SignupStore, SignupStore, SignupStore];
    const ids = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const id = await one.accept(newSignup(`p${i}@example.com`, { needsConfirmation: true }));
        await clicked(i % 2 ? two : three, id, Date.now());
        return id;
      }),
    );
    for (const relay of running) relay.start();
    await waitUntil('all are received', () => receiver.received.length >= 120);
    expect(receiver.received).toHaveLength(120);
    for (const id of ids)
      expect(receiver.received.filter(({ data }) => data.signup === id).map(({ type }) => type)).toEqual([
        'signup.confirmed',
        'signup.delivered',
      ]);
  });

  it.each<[string, (operator: Operator) => Promise<unknown>]>([
    ['resume', (operator) => operator.resumeWebhooks('default')],
    ['redrive', (operator) => operator.redriveWebhooks('default')],
  ])('send what waits for a failing receiver after a %s by another process', async (_name, command) => {
    const { stores } = await relays();
    const [store, others] = stores as [SignupStore, SignupStore];
    const receiver = await startReceiver();
    receiver.instead = () => Promise.resolve(new Response(null, { status: 503, headers: { 'retry-after': '3000' } }));
    const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
    const relay = runRelay({ api: api.fetch, store, settings: webhookSettings(receiver) });
    relay.start();
    const signUp = async (email: string): Promise<void> => {
      expect((await relay.fetch(post({ email }))).status).toBe(202);
    };
    await signUp('ada@example.com');
    await waitUntil('an attempt has failed', async () => (await store.webhooks.overview())[0]?.reason ?? null);
    // This one is due, and waits for the receiver alone.
    await signUp('bob@example.com');
    await waitUntil('both are delivered', async () => (await store.counts()).delivered === 2);
    receiver.instead = null;
    await command(storeOperator(others));
    await waitUntil('the second is received', () =>
      receiver.received.some(({ data }) => data.email === 'bob@example.com'),
    );
  });

  it('answer 503 while another one hangs during a claim, which the server ends', async () => {
    const { address, store } = await fresh();
    await store.accept(newSignup('ada@example.com'));
    const claim = () => store.claim({ forms, limit: 1, now: Date.now() });
    const slow = createConnections(address, { name: 'test', max: 1, connectMs: 5000, serverMs: 4000, answerMs: 9000 });
    onTestFinished(() => slow.close());
    const isHeld = async () => (await server.run(claimsLock, address)).length > 0;
    const hanging = slow.transaction(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${lockKey})`);
      await expect(claim()).rejects.toThrow('The store cannot be written: another process keeps it locked.');
      await waitUntil('the server has ended the transaction', async () => !(await isHeld()));
      await query('SELECT 1');
    });
    await expect(hanging).rejects.toThrow();
    expect(await claim()).toHaveLength(1);
  });
});

const claimsLock = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** A signup of this store, as an export gives it. */
async function storedExample(store: SignupStore) {
  const [example] = await store.list({}, { limit: 1 });
  if (!example) throw new Error('The store is empty.');
  return example;
}

describe('a PostgreSQL that fails', () => {
  /** Without a time limit of the store, there is no answer for 45 seconds. */
  const within = { timeout: 30_000, interval: 50 };

  const own = async (): Promise<{ database: PostgresServer; store: SignupStore }> => {
    const database = new PostgresServer();
    onTestFinished(() => database.remove());
    await database.create();
    return { database, store: await open(await database.database()) };
  };

  it('makes relays answer 503 until it is back, and loses no acknowledged signup', async () => {
    const { database, store } = await own();
    const acknowledged: string[] = [];
    let count = 0;
    const accept = async (): Promise<void> => {
      acknowledged.push(await store.accept(newSignup(`p${(count += 1)}@example.com`)));
    };
    await Promise.all(Array.from({ length: 50 }, accept));
    const during = Promise.allSettled(Array.from({ length: 50 }, accept));
    await database.crash();
    for (const result of await during)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreUnavailableError);
    await expect(accept()).rejects.toThrow(
      new StoreUnavailableError(
        'The store cannot be written: nothing answers there; start PostgreSQL, or correct host and port.',
      ),
    );
    await expect(store.claim({ forms, limit: 1, now: Date.now() })).rejects.toThrow(StoreUnavailableError);
    await database.start();
    await works('it takes signups again', accept);
    const kept = new Set<string>();
    for await (const { id } of everySignup(store)) kept.add(id);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(await store.claim({ forms, limit: 1000, now: Date.now() })).toHaveLength(kept.size);
  });

  it('that freezes makes relays answer 503 within seconds, until it resumes', async () => {
    const { database, store } = await own();
    const relay = runRelay({ store, settings: { RELAY_LIMIT_IP: '1000/1h' } });
    const acknowledged = new Set<string>();
    const send = async (n: number): Promise<number> => {
      const email = `p${n}@example.com`;
      const { status } = await relay.fetch(post({ email }), '203.0.113.9');
      if (status === 202) acknowledged.add(email);
      return status;
    };
    const all = Array.from({ length: 40 }, (_, n) => n);
    expect(await Promise.all(all.slice(0, 20).map(send))).toEqual(Array.from({ length: 20 }, () => 202));

    database.freeze();
    const answers: number[] = [];
    for (const n of all) void send(n).then((status) => answers.push(status));
    await expect.poll(() => answers.length, within).toBe(all.length);
    expect(answers).toEqual(all.map(() => 503));
    const failures: unknown[] = [];
    for (const ask of [
      () => store.claim({ forms, limit: 1, now: Date.now() }),
      () => store.settle(['018f0000-0000-7000-8000-000000000001'], { state: 'delivered', at: 0 }),
      () => store.nextDueAt(forms),
      () => store.paused(),
      () => store.probe(0, 'write'),
      () => store.accept(newSignup('ada@example.com')),
    ])
      void ask().catch((error: unknown) => failures.push(error));
    await expect.poll(() => failures.length, within).toBe(6);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(StoreUnavailableError);
      expect(String(failure)).toContain('it does not answer in time; check host, port and firewall');
    }

    database.thaw();
    await works('it takes signups again', () => store.accept(newSignup('ada@example.com')));
    expect(await Promise.all(all.map(send))).toEqual(all.map(() => 202));
    expect(acknowledged.size).toBe(40);
    const kept = new Set<string>();
    for await (const { submission } of everySignup(store)) kept.add(submission?.email ?? '');
    expect([...acknowledged].filter((email) => !kept.has(email))).toEqual([]);
    // What was written although it was answered with 503, and sent again, is joined.
    await relay.stop(0);
    const delivered = (await deliverAll(store)).map(({ submission }) => submission.email);
    expect(new Set(delivered).size).toBe(delivered.length);
    expect(delivered).toHaveLength(kept.size);
  });

  it('that freezes does not keep a relay from stopping', async () => {
    const { database, store } = await own();
    await store.accept(newSignup('ada@example.com'));
    database.freeze();
    const accepted = store.accept(newSignup('bob@example.com'));
    const refused = expect(accepted).rejects.toThrow(StoreUnavailableError);
    let closed = false;
    void store.close().then(() => (closed = true));
    await expect.poll(() => closed, within).toBe(true);
    await refused;
  });
});

async function works(what: string, work: () => Promise<unknown>): Promise<void> {
  await waitUntil(what, () =>
    work().then(
      () => true,
      () => false,
    ),
  );
}

/** Claims and delivers until nothing is left. */
async function deliverAll(store: SignupStore | undefined): Promise<ClaimedSignup[]> {
  const all: ClaimedSignup[] = [];
  for (let now = Date.now() + 86_400_000; ; now += claimMs) {
    const claimed = (await store?.claim({ forms, limit: 1000, now })) ?? [];
    if (claimed.length === 0) return all;
    await store?.settle(
      claimed.map(({ id }) => id),
      { state: 'delivered', at: now },
    );
    all.push(...claimed);
  }
}
