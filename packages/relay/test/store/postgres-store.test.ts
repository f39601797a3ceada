/** The PostgreSQL store: the conformance suite, and what is its own – several relays, a server that goes away, the jobs. */
import { TestClock } from 'pg-boss';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everySignup, StartupError, StoreUnavailableError, type NewSignup, type SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { eventually } from '../eventually.ts';
import { PostgresServer, postgresServer } from '../postgres-server.ts';
import { describeSignupStore } from './conformance.ts';

const server = postgresServer();

const ofPerson = (email: string): NewSignup => ({
  form: 'default',
  submission: { email },
  suspected: false,
  origin: null,
  idempotencyKey: null,
  receivedAt: Date.now(),
});

describe('a signup store in PostgreSQL', () => {
  describeSignupStore(async () => {
    const address = await server.database();
    return { open: () => openAtTime(address, new TestClock(0)) };
  });

  it('writes a signup and its job in one transaction, and many signups in a few', async () => {
    const { address, store } = await fresh();
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.accept(ofPerson(`p${i}@example.com`))));
    const [row] = await server.run(
      `SELECT count(*)::int AS together, count(DISTINCT s.xmin::text)::int AS transactions
       FROM newsletter_relay.signup s JOIN newsletter_relay_queue.job j ON j.id = s.id AND j.xmin = s.xmin`,
      address,
    );
    expect(row?.['together']).toBe(300);
    expect(row?.['transactions']).toBeLessThan(10);
  });

  it('does not let one signup that cannot be written take the others of its group along', async () => {
    const { store } = await fresh();
    const broken = { ...ofPerson('broken@example.com'), receivedAt: 1.5 }; // no whole number: the column refuses it
    const results = await Promise.allSettled([
      store.accept(ofPerson('a@example.com')),
      store.accept(broken),
      store.accept(ofPerson('b@example.com')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.counts()).waiting).toBe(2);
  });

  it('keeps every character that a visitor may send', async () => {
    const { store } = await fresh();
    const submission = {
      email: 'ada@example.com',
      utm_source: 'a\u0000b \ud83d 🌷',
      custom_fields: [{ name: "'; DROP TABLE signup; --", value: '\\x00?$1' }],
    };
    const { id } = await store.accept({ ...ofPerson('ada@example.com'), submission });
    expect(await store.claim(1, Date.now())).toMatchObject([{ submission }]);
    await store.settle([id], { state: 'dead', at: Date.now(), reason: 'the service said \u0000 and $1?' });
    expect(await store.list({ reason: 'and $1?' }, { limit: 1 })).toMatchObject([
      { id, reason: 'the service said  and $1?' },
    ]);
  });

  it('keeps what waits for years', async () => {
    const clock = new TestClock(Date.now());
    const { store } = await fresh({ clock });
    await store.accept(ofPerson('ada@example.com'));
    for (let year = 0; year < 10; year += 1) {
      await clock.setTime(clock.now() + 366 * 86_400_000);
      await clock.tick(20_000); // the queue's own upkeep runs
    }
    expect(await store.claim(1, clock.now())).toHaveLength(1);
  });

  it('gives jobs to signups that have lost theirs', async () => {
    const { address, store } = await fresh();
    const [lost, cancelled] = await Promise.all([
      store.accept(ofPerson('ada@example.com')),
      store.accept(ofPerson('bob@example.com')),
    ]);
    await server.run(`DELETE FROM newsletter_relay_queue.job WHERE id = '${lost.id}'`, address);
    await server.run(`UPDATE newsletter_relay_queue.job SET state = 'cancelled' WHERE id = '${cancelled.id}'`, address);
    expect(await store.claim(10, Date.now())).toEqual([]);
    await store.close();
    const again = await openPostgresStore(address);
    onTestFinished(() => again.close());
    expect(
      await eventually('both are due', async () =>
        (await again.nextDueAt(Date.now())) === null ? null : again.claim(10, Date.now()),
      ),
    ).toHaveLength(2);
  });
});

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

describe('what is said when it cannot be opened', () => {
  it.each<[string, (address: string) => string, string]>([
    [
      'nothing listens there',
      (address) => address.replace(/:\d+\//, ':9/'),
      'nothing answers there; start PostgreSQL, or correct host and port',
    ],
    [
      'the password is wrong',
      (address) => address.replace('quite-secret', 'wrong-secret'),
      'the password is wrong; correct it',
    ],
    [
      'the database does not exist',
      (address) => address.replace(/test_\d+$/, 'nowhere'),
      'there is no such database; create it, or correct the name',
    ],
  ])('%s', async (_case, wrong, sentence) => {
    const failure = await openPostgresStore(wrong(await server.database())).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect((failure as StartupError).message).toContain(sentence);
    expect((failure as StartupError).message).not.toMatch(/secret|relay:/);
  });

  it('the server does not sync what it commits', async () => {
    const own = new PostgresServer();
    onTestFinished(() => own.remove());
    await own.create();
    await own.crash();
    await own.start(['fsync=off']);
    await expect(openPostgresStore(await own.database())).rejects.toThrow(
      'runs with fsync off and may lose what it said yes to: set fsync = on',
    );
  });

  it('a newer relay wrote the tables', async () => {
    const { address, store } = await fresh();
    await store.close();
    await server.run(`UPDATE newsletter_relay.setting SET value = '99' WHERE name = 'version'`, address);
    await expect(openPostgresStore(address)).rejects.toThrow(
      'were written by a newer relay (version 99): update this one',
    );
  });
});

async function fresh(
  options: Parameters<typeof openPostgresStore>[1] = {},
): Promise<{ address: string; store: SignupStore }> {
  const address = await server.database();
  const store = await openPostgresStore(address, options);
  onTestFinished(() => store.close());
  return { address, store };
}

/** A store whose server lives in the time that a test speaks of. */
async function openAtTime(address: string, clock: TestClock): Promise<SignupStore> {
  const store = await openPostgresStore(address, { clock });
  let current = 0;
  let turn = Promise.resolve();
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(value, target, args);
        const now = momentOf(name, args);
        if (now === undefined || now === current) return call();
        current = now;
        turn = turn.then(() => clock.setTime(now));
        return turn.then(call);
      };
    },
  });
}

function momentOf(name: string | symbol, args: readonly unknown[]): number | undefined {
  if (name === 'accept') return (args[0] as NewSignup).receivedAt;
  if (name === 'claim' || name === 'redrive') return args[1] as number;
  if (name === 'settle') return (args[1] as { at: number }).at;
  return undefined;
}
