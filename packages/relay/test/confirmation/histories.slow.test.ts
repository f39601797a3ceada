/**
 * A mailbox gets no more mails than promised, every form that its owner ticked is delivered, and nothing that nobody
 * chose. Random histories on a clock of their own.
 *
 * `MAILBOX_HISTORIES=1000 npm test -- packages/relay/test/confirmation/histories` runs fewer of them on each store.
 */
import fc from 'fast-check';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { testSeed } from '../../../../test/support/test-seed.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { SignupStore } from '../../src/index.ts';
import { memoryDriver } from '../memory-store.ts';
import { sharedPostgres } from '../postgres-server.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { freshObject, storeObjects } from '../worker/store-objects.ts';
import { history, historyConfig, runHistory } from './histories.ts';

// Every relay observes its process: thousands of relays in one process would slow it down.
vi.mock('prom-client', async (load) => ({ ...(await load<object>()), collectDefaultMetrics: () => {} }));

const histories = Number(process.env['MAILBOX_HISTORIES'] ?? 10_000);

storeObjects();

/** What a history leaves: opening a database takes longer than a history. */
const left = ['signup', 'consent', 'confirmation_mailbox', 'suppression'];
const emptyIn = (schema = ''): string => left.map((table) => `DELETE FROM ${schema}${table}`).join('; ');

/** A store, and what empties it. */
type Emptied = readonly [store: SignupStore, empty: () => unknown];

function inMemory(): Promise<Emptied> {
  const driver = memoryDriver();
  const deletes = left.map((table) => driver.prepare(`DELETE FROM ${table}`));
  return Promise.resolve([sqliteStore(driver), () => deletes.forEach((each) => each.run())]);
}

async function inPostgres(): Promise<Emptied> {
  const address = await sharedPostgres().database();
  const store = await openPostgresStore(address);
  const client = new pg.Client(address);
  await client.connect();
  onTestFinished(() => store.close());
  onTestFinished(() => client.end());
  return [store, () => client.query(emptyIn('newsletter_relay.'))];
}

async function inAnObject(): Promise<Emptied> {
  const object = freshObject();
  const store = await object.open();
  // Its first call creates the tables.
  await store.paused();
  return [store, () => object.sql(emptyIn())];
}

/** So many histories happen at a time, each in a store of its own: most of one is waiting for answers of the store. */
const lanes = 4;

it.each([
  ['SQLite', inMemory],
  ['PostgreSQL', inPostgres],
  ['a Durable Object', inAnObject],
] as const)(
  'on %s the owner of a mailbox decides',
  async (_store, open) => {
    const config = historyConfig(scratchFolder());
    const seen = { mails: 0, confirmed: 0, refused: 0, versions: 0 };
    const inLane = async (lane: number): Promise<void> => {
      const api = sandboxApi({ seed: 'demo', profile: 'unlimited' });
      const [store, empty] = await open();
      let number = 0;
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          number += 1;
          await empty();
          const told = await runHistory(steps, { number, store, config, api });
          for (const name of ['mails', 'confirmed', 'refused', 'versions'] as const) seen[name] += told[name];
          expect(told.problems).toEqual([]);
        }),
        { numRuns: Math.ceil(histories / lanes), seed: testSeed() + lane },
      );
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => inLane(lane)));
    console.log(`${histories} histories:`, seen);
    // The histories hold what they are about.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThanOrEqual(Math.floor(histories / 50));
  },
  // A tenth of a second each on a quiet machine; on a busy one each answer of a server waits for its turn.
  histories * 3000 + 60_000,
);
