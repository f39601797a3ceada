/**
 * A mailbox gets no more mails than promised, every form that its owner ticked is delivered, and nothing that nobody
 * chose. Random histories on a clock of their own.
 *
 * `MAILBOX_HISTORIES=1000 npm test -- packages/relay/test/confirmation/histories` runs fewer of them; a tenth as many
 * on PostgreSQL and in Durable Objects.
 */
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
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

const inMemory = (): Promise<SignupStore> => Promise.resolve(sqliteStore(memoryDriver()));

/** One store, emptied for each history: opening a database takes longer than a history. */
async function inPostgres(): Promise<() => Promise<SignupStore>> {
  const server = sharedPostgres();
  const address = await server.database();
  const store = await openPostgresStore(address);
  onTestFinished(() => store.close());
  const tables = ['signup', 'consent', 'confirmation_mailbox', 'suppression'].map((name) => `newsletter_relay.${name}`);
  return async () => {
    await server.run(`TRUNCATE ${tables.join(', ')}`, address);
    return store;
  };
}

const few = Math.ceil(histories / 10);

it.each([
  ['SQLite', histories, () => Promise.resolve(inMemory)],
  ['PostgreSQL', few, inPostgres],
  ['a Durable Object', few, () => Promise.resolve(() => freshObject().open())],
] as const)(
  'on %s the owner of a mailbox decides',
  async (_store, count, open) => {
    const fresh = await open();
    const config = historyConfig(scratchFolder());
    const api = sandboxApi({ seed: 'demo', profile: 'unlimited' });
    const seen = { mails: 0, confirmed: 0, refused: 0, versions: 0 };
    let number = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        number += 1;
        const told = await runHistory(steps, { number, store: await fresh(), config, api });
        for (const name of ['mails', 'confirmed', 'refused', 'versions'] as const) seen[name] += told[name];
        expect(told.problems).toEqual([]);
      }),
      { numRuns: count },
    );
    console.log(`${count} histories:`, seen);
    // The histories hold what they are about.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThanOrEqual(Math.floor(count / 50));
  },
  histories * 500 + 60_000,
);
