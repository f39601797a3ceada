/**
 * A mailbox gets no more mails than promised, every form that its owner ticked is delivered, and nothing that nobody
 * chose. Random histories on a clock of their own.
 *
 * `MAILBOX_HISTORIES=1000 npm test -- packages/relay/test/confirmation/histories` runs fewer of them.
 */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { SignupStore } from '../../src/index.ts';
import { memoryDriver } from '../memory-store.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { history, historyConfig, runHistory } from './histories.ts';

// Every relay observes its process: thousands of relays in one process would slow it down.
vi.mock('prom-client', async (load) => ({ ...(await load<object>()), collectDefaultMetrics: () => {} }));

const histories = Number(process.env['MAILBOX_HISTORIES'] ?? 10_000);

const inMemory = (): Promise<SignupStore> => Promise.resolve(new SqliteStore(memoryDriver()));

it.each([['SQLite', histories, inMemory]] as const)(
  'on %s the owner of a mailbox decides',
  async (_store, count, fresh) => {
    const config = historyConfig(scratchFolder());
    const api = sandboxApi({ seed: 'demo', profile: 'unlimited' });
    const seen = { mails: 0, confirmed: 0, refused: 0, versions: 0 };
    let number = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const store = await fresh();
        const told = await runHistory(steps, { number: (number += 1), store, config, api });
        await store.close();
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
