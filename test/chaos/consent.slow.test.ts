/**
 * Retries never reactivate a subscription that was ended after the signup was received, and every acknowledged signup
 * ends as delivered or as a dead letter. Random histories in virtual time.
 *
 * `CONSENT_HISTORIES=5000 npm test -- test/chaos/consent` runs more of them; a tenth as many on PostgreSQL.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openStore } from '@newsletter-kit/relay';
import { expect, it, vi } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { historyConfigs, historyOf, runHistory, type HistoryParts } from './consent-history.ts';

// Every relay observes its process: thousands of relays in one process would slow it down.
vi.mock('prom-client', async (load) => ({ ...(await load<object>()), collectDefaultMetrics: () => {} }));

const histories = Number(process.env['CONSENT_HISTORIES'] ?? 500);

const postgres = postgresServer();

interface NewStore extends Omit<HistoryParts, 'config'> {
  /** Called when the history is over. */
  readonly remove: () => void | Promise<void>;
}

let files = 0;
function onFile(folder: string): Promise<NewStore> {
  const path = join(folder, `${(files += 1)}.db`);
  return Promise.resolve({
    open: () => openStore({ kind: 'sqlite', path }),
    remove() {
      for (const suffix of ['', '-wal', '-shm', '-lock']) rmSync(path + suffix, { force: true });
    },
  });
}

async function onPostgres(): Promise<NewStore> {
  const url = await postgres.database();
  return {
    open: () => openStore({ kind: 'postgres', url }),
    abandon: () => postgres.disconnect(url),
    remove: () => postgres.disconnect(url),
  };
}

it.each([
  ['an SQLite file', histories, historyOf(700_000), onFile],
  // Relays on PostgreSQL ask it every second, so that a long wait takes many queries.
  ['PostgreSQL', Math.ceil(histories / 10), historyOf(10_000), onPostgres],
])(
  'consent never rises, and no signup is lost, on %s',
  async (_, count, history, newStore) => {
    const folder = scratchFolder();
    const configOf = historyConfigs(folder);
    const seen = { accepted: 0, calls: 0, bulks: 0, kills: 0, rises: 0 };
    await fc.assert(
      fc.asyncProperty(history, async (each) => {
        const { remove, ...parts } = await newStore(folder);
        const told = await runHistory(each, { config: configOf(each.reactivate), ...parts });
        await remove();
        for (const name of ['accepted', 'calls', 'bulks', 'kills', 'rises'] as const) seen[name] += told[name];
        expect(told.problems).toEqual([]);
      }),
      { numRuns: count },
    );
    console.log(`${count} histories:`, seen);
    // The histories hold what they are about.
    expect(seen.rises).toBeGreaterThanOrEqual(Math.floor(count / 50));
    expect(seen.kills).toBeGreaterThanOrEqual(Math.floor(count / 4));
    expect(seen.bulks).toBeGreaterThanOrEqual(Math.floor(count / 100));
  },
  histories * 2_000 + 60_000,
);
