/**
 * The figures of docs/src/content/docs/operate/scale.md: what a signup takes on the disk, and what each store takes in,
 * with the relay as it is shipped and 32 callers at a time. PostgreSQL runs beside it on the same machine.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type NewSignup, type SignupStore, type StoreAddress } from '@newsletter-kit/relay';
import { newSignup } from '../../../packages/relay/test/new-signup.ts';
import { PostgresServer } from '../../../packages/relay/test/postgres-server.ts';
import { median, reportFigures, type Figure } from '../figure.ts';
import { load, percentile, type Load } from './callers.ts';
import { startRelay } from './servers.ts';

const callers = 32;
const requests = 4000;
const rounds = 3;
const kept = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const postgres = new PostgresServer();
await postgres.create();
const [version] = await postgres.run('SHOW server_version');

const sentence = 'Yes, send me the weekly newsletter. I can leave at any time with the link in each mail.';
const submission = (email: string): NewSignup['submission'] => ({
  email,
  utm_source: 'newsletter',
  utm_medium: 'email',
  utm_campaign: 'spring-sale',
  referring_site: 'https://shop.example/page',
  custom_fields: [{ name: 'First Name', value: 'Ada' }],
  consent: sentence,
});

let people = 0;
const body = (): string => JSON.stringify(submission(`visitor.${(people += 1)}@example.com`));

interface Place {
  readonly address: StoreAddress;
  readonly setting: string;
  /** Bytes it holds now, indexes included. */
  size(): Promise<number>;
  /** Frees the room of what was erased, which the store itself uses again. */
  compact(): Promise<void>;
}

async function sqlite(): Promise<Place> {
  const path = join(mkdtempSync(join(folder, 'store-')), 'relay.db');
  const size = () =>
    Promise.resolve(
      readdirSync(join(path, '..')).reduce(
        (sum, name) =>
          name.startsWith('relay.db') && !name.endsWith('-wal') ? sum + statSync(join(path, '..', name)).size : sum,
        0,
      ),
    );
  const compact = async () => {
    const db = new DatabaseSync(path);
    db.exec('VACUUM');
    db.close();
    return Promise.resolve();
  };
  return Promise.resolve({ address: { kind: 'sqlite', path }, setting: `sqlite:${path}`, size, compact });
}

async function database(): Promise<Place> {
  const url = await postgres.database();
  const size = async (): Promise<number> => {
    await postgres.run('VACUUM', url);
    const [row] = await postgres.run(
      "SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'newsletter_relay' AND c.relkind = 'r'",
      url,
    );
    return Number(row?.['bytes']);
  };
  const compact = async () => void (await postgres.run('VACUUM FULL', url));
  return { address: { kind: 'postgres', url }, setting: url, size, compact };
}

/** Fills a store, and has it delivered and expire. @returns bytes of a signup while it waits, and in the end */
async function sizes({ address, size, compact }: Place): Promise<{ waiting: number; expired: number }> {
  const work = async (step: (store: SignupStore) => Promise<void>): Promise<number> => {
    const store = await openStore(address);
    await step(store);
    // An SQLite store takes its log over into the file when it is closed.
    await store.close();
    await compact();
    return size();
  };
  const receivedAt = Date.now();
  const consent = {
    kind: 'given',
    sentence,
    version: '2026-11',
    page: 'https://shop.example/news',
    visitor: '192.0.2.0',
  } as const;
  const empty = await work(async () => {});
  const full = await work(async (store) => {
    for (let at = 0; at < kept; at += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, i) => {
          const email = `kept.${at + i}@example.com`;
          return store.accept(
            newSignup(email, { submission: submission(email), origin: 'https://shop.example', consent, receivedAt }),
          );
        }),
      );
  });
  const expired = await work(async (store) => {
    for (;;) {
      const claimed = await store.claim({ forms: ['default'], limit: 500, now: receivedAt });
      if (claimed.length === 0) break;
      await store.settle(
        claimed.map(({ id }) => id),
        { state: 'delivered', at: receivedAt },
      );
    }
    const before = receivedAt + 1;
    await store.expire({ delivered: before, review: null, dead: null, unconfirmed: null, consent: null });
  });
  return { waiting: (full - empty) / kept, expired: Math.max(0, expired - empty) / kept };
}

/** Signups per second, and the 99th percentile of their answers. */
async function rate(place: Place): Promise<{ readonly rate: Figure; readonly p99: Figure }> {
  const relay = await startRelay(place.setting, { RELAY_SECRET: 'a-secret-for-the-measurement-alone' });
  await load(relay.address, callers, requests, body);
  const loads: Load[] = [];
  for (let round = 0; round < rounds; round += 1) loads.push(await load(relay.address, callers, requests, body));
  await relay.stop();
  const p99 = median(loads.map((each) => percentile(each, 0.99)));
  const perSecond = median(loads.map((each) => each.rate));
  return {
    rate: { value: perSecond, detail: `99 of 100 answers within ${p99.toFixed(0)} ms; median of ${rounds} rounds` },
    p99: { value: p99, detail: `at ${Math.round(perSecond)} signups per second; median of ${rounds} rounds` },
  };
}

/** Memory of a relay that has had nothing to do for three minutes, in MB: V8 gives memory back only then. */
async function idle({ setting }: Place): Promise<Figure> {
  const relay = await startRelay(setting);
  await new Promise((resolve) => setTimeout(resolve, 180_000));
  const { resident, own } = relay.memory();
  await relay.stop();
  return { value: resident, detail: `resident, ${own.toFixed(0)} of it its own` };
}

const bytes = (value: number, detail: string): Figure => ({ value, detail });

try {
  const file = await sqlite();
  const inFile = await sizes(file);
  const inDatabase = await sizes(await database());
  const onSqlite = await rate(await sqlite());
  const onPostgres = await rate(await database());
  const [sqliteIdle, postgresIdle] = await Promise.all([idle(await sqlite()), idle(await database())]);
  const of = `mean of ${kept.toLocaleString('en')} signups of about 350 bytes of JSON with an entry in the consent ledger`;
  reportFigures({
    sqliteBytes: bytes(inFile.waiting, of),
    sqliteExpiredBytes: bytes(inFile.expired, 'delivered, its content erased, the ledger kept; after VACUUM'),
    postgresBytes: bytes(inDatabase.waiting, of),
    postgresExpiredBytes: bytes(
      inDatabase.expired,
      'delivered, its content erased, the ledger kept; after VACUUM FULL',
    ),
    sqliteRate: onSqlite.rate,
    postgresRate: {
      ...onPostgres.rate,
      detail: `${onPostgres.rate.detail}; PostgreSQL ${String(version?.['server_version'])}`,
    },
    sqliteP99: onSqlite.p99,
    postgresP99: onPostgres.p99,
    sqliteIdle,
    postgresIdle,
  });
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
