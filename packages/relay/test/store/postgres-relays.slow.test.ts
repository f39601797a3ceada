/** Relays that share one PostgreSQL, and a PostgreSQL that goes away. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everySignup, StoreUnavailableError, type SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { eventually } from '../eventually.ts';
import { PostgresServer } from '../postgres-server.ts';
import { fresh, ofPerson, server } from './fresh-postgres.ts';

describe('several relays on one PostgreSQL', () => {
  const relays = async (): Promise<SignupStore[]> => {
    const address = await server.database();
    const stores = await Promise.all(Array.from({ length: 3 }, () => openPostgresStore(address)));
    for (const store of stores) onTestFinished(() => store.close());
    return stores;
  };

  it('may start for the first time at the same moment', async () => {
    const [first, , third] = await relays();
    await first?.accept(ofPerson('ada@example.com'));
    expect((await third?.counts())?.waiting).toBe(1);
  });

  it('keep a double submission once, whichever of them gets it', async () => {
    const stores = await relays();
    const people = Array.from({ length: 40 }, (_, i) => ({
      ...ofPerson(`p${i}@example.com`),
      idempotencyKey: i % 2 ? `key ${i}` : null,
    }));
    const all = await Promise.all(
      [...people, ...people.toReversed()].flatMap((each) => stores.map((store) => store.accept(each))),
    );
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(40);
    expect((await stores[0]?.counts())?.waiting).toBe(40);
  });

  it('never take out the same signup', async () => {
    const stores = await relays();
    const people = Array.from({ length: 34 }, (_, i) => ofPerson(`p${i}@example.com`));
    await Promise.all(
      stores.flatMap((store, at) => people.map((each) => store.accept({ ...each, form: `form ${at}` }))),
    );
    const taken = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 4 }, () => store.claim(10, Date.now()))),
    );
    const ids = taken.flat().map(({ id }) => id);
    expect(ids).toHaveLength(102);
    expect(new Set(ids).size).toBe(102);
  });

  it('take over within seconds what one had claimed whose process is gone', async () => {
    const { address, store } = await fresh();
    const { id } = await store.accept(ofPerson('ada@example.com'));
    await server.run(gone, address);
    expect(await store.claim(1, Date.now())).toEqual([]);
    const taken = await eventually('the claim is free', async () => (await store.claim(1, Date.now()))[0], 25_000);
    expect(taken.id).toBe(id);
  });

  it('keep what they have claimed for as long as they are at work on it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { address, store } = await fresh();
    await store.accept(ofPerson('ada@example.com'));
    await store.claim(1, Date.now());
    await server.run("UPDATE newsletter_relay_queue.job SET heartbeat_on = now() - interval '29 seconds'", address);
    await vi.advanceTimersByTimeAsync(10_000);
    const beat = "SELECT 1 FROM newsletter_relay_queue.job WHERE heartbeat_on > now() - interval '5 seconds'";
    await eventually('the claim is renewed', async () => (await server.run(beat, address)).length > 0);
  });
});

/** Claimed by a process that stopped to renew it a while ago. */
const gone = `UPDATE newsletter_relay_queue.job SET state = 'active', started_on = now() - interval '1 minute', heartbeat_on = now() - interval '31 seconds'`;

describe('a PostgreSQL that goes away', () => {
  it('turns signups away, and takes them again when it is back; nothing acknowledged is missing', async () => {
    const own = new PostgresServer();
    onTestFinished(() => own.remove());
    await own.create();
    const store = await openPostgresStore(await own.database());
    onTestFinished(() => store.close());
    const acknowledged: string[] = [];
    let count = 0;
    const post = async (): Promise<void> => {
      const { id } = await store.accept(ofPerson(`p${(count += 1)}@example.com`));
      acknowledged.push(id);
    };
    await Promise.all(Array.from({ length: 50 }, post));
    const during = Promise.allSettled(Array.from({ length: 50 }, post));
    await own.crash();
    for (const result of await during)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreUnavailableError);
    await expect(post()).rejects.toThrow(
      new StoreUnavailableError(
        'The store cannot be written: nothing answers there; start PostgreSQL, or correct host and port.',
      ),
    );
    await expect(store.claim(1, Date.now())).rejects.toThrow(StoreUnavailableError);
    await own.start();
    await eventually('it takes signups again', () =>
      post().then(
        () => true,
        () => false,
      ),
    );
    const kept = new Set<string>();
    for await (const { id } of everySignup(store)) kept.add(id);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(await store.claim(1000, Date.now())).toHaveLength(kept.size);
  });
});
