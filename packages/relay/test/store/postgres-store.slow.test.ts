/** The PostgreSQL store: conformance suite, statements, tables, and errors at its opening. */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StartupError, StoreUnavailableError } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { clicked } from '../clicked.ts';
import { newSignup } from '../new-signup.ts';
import { PostgresServer } from '../postgres-server.ts';
import { describeSignupStore } from './conformance.ts';
import { describeCounters } from './counter-conformance.ts';
import { describeMailboxes } from './mailbox-conformance.ts';
import { describeFlood } from './mailbox-flood.ts';
import { describeTransfer } from './transfer-conformance.ts';
import { describeWebhookQueue } from './webhook-conformance.ts';
import { forms, fresh, open, server } from './fresh-postgres.ts';

describe('a signup store in PostgreSQL', () => {
  const place = async () => {
    const address = await server.database();
    return { open: () => openPostgresStore(address) };
  };
  describeSignupStore(place);
  describeWebhookQueue(place);
  describeCounters(place);
  describeMailboxes(place);
  describeFlood(place);

  describe('an export, imported into it', () => {
    describeTransfer(async () => (await fresh()).store);
  });

  it('counts no post above a limit that two relays reach at the same time', async () => {
    const { address, store } = await fresh();
    const places = [store.counters, (await open(address)).counters];
    const count = (n: number) =>
      places[n % 2]?.count(
        [
          { key: 'a', most: 30, windowMs: 60_000 },
          { key: `post ${n}`, most: 1, windowMs: 60_000 },
        ],
        0,
      );
    const posts = await Promise.all(Array.from({ length: 200 }, async (_, n) => ({ n, reached: await count(n) })));
    const within = posts.filter(({ reached }) => reached?.length === 0);
    expect(within.length).toBeLessThanOrEqual(30);
    // Those refused are not counted: what is left of the limit can still be used, and so can their own counters.
    for (let left = within.length; left < 30; left += 1) expect(await count(1000 + left)).toEqual([]);
    expect(await count(2000)).toMatchObject([{ key: 'a' }]);
    const own = posts
      .filter(({ reached }) => reached?.length !== 0)
      .map(({ n }) => ({ key: `post ${n}`, most: 1, windowMs: 60_000 }));
    expect(await places[0]?.count(own, 0)).toEqual([]);
  });

  it('reads the clock of the database', async () => {
    const { store } = await fresh();
    const time = await store.serverTime?.();
    expect(Math.abs((time ?? 0) - Date.now())).toBeLessThan(600_000);
  });

  it('knows how long another program has read', async () => {
    const { address, store } = await fresh();
    expect(await store.oldestReaderMs?.()).toBe(0);
    const reader = new pg.Client({ connectionString: address });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM newsletter_relay.signup');
    const first = (await store.oldestReaderMs?.()) ?? 0;
    expect(first).toBeGreaterThan(0);
    expect((await store.oldestReaderMs?.()) ?? 0).toBeGreaterThan(first);
  });

  it('writes many signups in a few transactions, each with its consent', async () => {
    const { address, store } = await fresh();
    const consent = { kind: 'given', sentence: 'Yes.', version: null, page: null, visitor: null } as const;
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.accept(newSignup(`p${i}@example.com`, { consent }))));
    const [row] = await server.run(
      `SELECT count(*)::int AS together, count(DISTINCT s.xmin::text)::int AS transactions
       FROM newsletter_relay.signup s JOIN newsletter_relay.consent c ON c.signup = s.id AND c.xmin = s.xmin`,
      address,
    );
    expect(row?.['together']).toBe(300);
    expect(row?.['transactions']).toBeLessThan(10);
  });

  it('fails the outcome alone that cannot be written, not those that are written with it', async () => {
    const { store } = await fresh();
    const id = await store.accept(newSignup('ada@example.com'));
    await store.claim({ forms, limit: 1, now: Date.now() });
    const outcome = { state: 'delivered', at: Date.now() } as const;
    const settled = await Promise.allSettled([store.settle(['no id'], outcome), store.settle([id], outcome)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await store.counts()).toMatchObject({ delivered: 1 });
  });

  it('writes the same, and syncs it, for a repeated or suspected signup as for a new one', async () => {
    const { address, store } = await fresh();
    const receivedAt = Date.now();
    const accept = (email: string, suspected: string | null = null) =>
      store.accept(newSignup(email, { receivedAt, suspected }));
    await accept('same@example.com');
    for (const [email, suspected] of [
      ['new1@example.com', null],
      ['same@example.com', null],
      ['robo@example.com', 'the honeypot was filled in'],
    ] as const) {
      const rows = async () =>
        Number((await server.run('SELECT count(*) AS n FROM newsletter_relay.signup', address))[0]?.['n']);
      const before = await rows();
      const [from] = await server.run('SELECT pg_current_wal_insert_lsn()::text AS lsn', address);
      await accept(email, suspected);
      const [to] = await server.run(
        `SELECT pg_current_wal_flush_lsn() > '${String(from?.['lsn'])}'::pg_lsn AS synced`,
        address,
      );
      expect(to?.['synced'], email).toBe(true);
      expect(await rows(), email).toBe(before + 1);
    }
  });

  it('stores every character that a visitor may send', async () => {
    const { store } = await fresh();
    const submission = {
      email: 'ada@example.com',
      utm_source: 'a\u0000b \ud83d 🌷',
      custom_fields: [{ name: "'; DROP TABLE signup; --", value: '\\x00?$1' }],
    };
    const id = await store.accept(newSignup('ada@example.com', { submission, origin: 'a\u0000 \ud83d b' }));
    expect(await store.claim({ forms, limit: 1, now: Date.now() })).toMatchObject([{ submission }]);
    await store.settle([id], { state: 'dead', at: Date.now(), reason: 'the service said \u0000 and $1?' });
    expect(await store.list({ reason: 'and $1?' }, { limit: 1 })).toMatchObject([
      { id, reason: 'the service said  and $1?' },
    ]);
  });
});

describe('the tables', () => {
  it('of an unpublished version are refused', async () => {
    const address = await server.database();
    await server.run(
      `CREATE SCHEMA newsletter_relay;
       CREATE TABLE newsletter_relay.setting (name text PRIMARY KEY, value text NOT NULL);
       INSERT INTO newsletter_relay.setting VALUES ('version', '5')`,
      address,
    );
    await expect(openPostgresStore(address)).rejects.toThrow(
      'were written by a relay before the first published one (version 5): export its signups with that relay',
    );
  });

  it('count for each connection in rows of its own, which the erasure of what has expired joins', async () => {
    const { address, store } = await fresh();
    const other = await open(address);
    const accepted = (n: number) => (n % 2 ? store : other).accept(newSignup(`p${n}@example.com`));
    await Promise.all(Array.from({ length: 40 }, (_, n) => accepted(n)));
    const [delivered, dead] = await store.claim({ forms, limit: 2, now: Date.now() });
    await store.settle([delivered?.id ?? ''], { state: 'delivered', at: Date.now() });
    await other.settle([dead?.id ?? ''], { state: 'dead', at: Date.now(), reason: 'refused' });
    await other.erase(dead?.submission.email ?? '');
    const counts = { unconfirmed: 0, review: 0, waiting: 38, sent: 0, delivered: 1, dead: 0 };
    expect(await store.counts()).toEqual(counts);
    const rows = `SELECT count(DISTINCT connection)::int AS connections, max(connection) AS last FROM newsletter_relay.tally`;
    expect((await server.run(rows, address))[0]?.['connections']).toBeGreaterThan(1);
    await other.close();
    await store.close();
    const later = await open(address);
    await waitUntil('the server has ended the connections', async () => {
      await later.expire({ delivered: null, review: null, dead: null, unconfirmed: null, consent: null });
      return (await server.run(rows, address))[0]?.['last'] === 0;
    });
    expect(await later.counts()).toEqual(counts);
  });
});

describe('what operators read', () => {
  it('is ended after a second, and takes no connection from a click', async () => {
    const { address, store } = await fresh();
    const id = await store.accept(newSignup('ada@example.com', { needsConfirmation: true }));
    await store.erase('eve@example.com');
    await server.run(
      `ALTER TABLE newsletter_relay.suppression RENAME TO hashes;
       CREATE VIEW newsletter_relay.suppression AS SELECT hash FROM newsletter_relay.hashes WHERE pg_sleep(60) IS NOT NULL`,
      address,
    );
    const ended: string[] = [];
    const read = async (): Promise<unknown> => {
      const failure = await store.suppressions({ limit: 1 }).catch((error: unknown) => error);
      ended.push('read');
      return failure;
    };
    const reads = Array.from({ length: 4 }, read);
    expect((await store.linked(id))?.open).toHaveLength(1);
    expect(await clicked(store, id, Date.now())).toBe(true);
    expect(ended).toEqual([]);
    expect(await reads[0]).toEqual(
      new StoreUnavailableError(
        'The store cannot be read: the read took longer than a second, and was ended; ask for less, by form, state or time.',
      ),
    );
    for (const failure of await Promise.all(reads)) expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect((await store.overview(Date.now())).counts.waiting).toBe(1);
  });
});

describe('the consent ledger', () => {
  it('is append-only', async () => {
    const { address, store } = await fresh();
    const consent = { kind: 'given', sentence: 'Yes.', version: null, page: null, visitor: null } as const;
    await store.accept(newSignup('ada@example.com', { consent }));
    await expect(server.run("UPDATE newsletter_relay.consent SET sentence = 'No.'", address)).rejects.toThrow(
      'the consent ledger is append-only',
    );
  });
});

describe('the error when it cannot be opened', () => {
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
      'runs with fsync off and may lose acknowledged signups: set fsync = on',
    );
  });

  it('a connection pooler refuses the time limits', async () => {
    const pooler = createServer((socket) => {
      const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
      const length = Buffer.alloc(4);
      length.writeInt32BE(4 + fields.length);
      socket
        .on('error', () => undefined)
        .once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])));
    });
    onTestFinished(() => void pooler.close());
    await new Promise<void>((resolve) => void pooler.listen(0, '127.0.0.1', resolve));
    const { port } = pooler.address() as AddressInfo;
    await expect(openPostgresStore((await server.database()).replace(/:\d+\//, `:${port}/`))).rejects.toThrow(
      'list statement_timeout, lock_timeout and idle_in_transaction_session_timeout in its ignore_startup_parameters',
    );
  });

  it('the database is not in UTF8', async () => {
    const name = `test_latin_${randomUUID().replaceAll('-', '')}`;
    await server.run(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await expect(openPostgresStore(server.address(name))).rejects.toThrow(
      'is a database in LATIN1: create one in UTF8',
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
