/** The PostgreSQL store: the conformance suite, its transactions and jobs, and what it says where it cannot open. */
import { TestClock } from 'pg-boss';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StartupError, type NewSignup, type SignupStore } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { eventually } from '../eventually.ts';
import { PostgresServer } from '../postgres-server.ts';
import { describeSignupStore } from './conformance.ts';
import { fresh, ofPerson, server } from './fresh-postgres.ts';

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

  it('syncs the write-ahead log for a repeated or suspected signup as for a new one', async () => {
    const { address, store } = await fresh();
    const receivedAt = Date.now();
    const accept = (email: string, suspected = false) => store.accept({ ...ofPerson(email), receivedAt, suspected });
    await accept('same@example.com');
    for (const [email, suspected] of [
      ['new@example.com', false],
      ['same@example.com', false],
      ['robot@example.com', true],
    ] as const) {
      const [before] = await server.run('SELECT pg_current_wal_insert_lsn()::text AS lsn', address);
      await accept(email, suspected);
      const [after] = await server.run(
        `SELECT pg_current_wal_flush_lsn() > '${String(before?.['lsn'])}'::pg_lsn AS synced`,
        address,
      );
      expect(after?.['synced'], email).toBe(true);
    }
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
      (address) => address.replace(/test_\w+$/, 'nowhere'),
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
