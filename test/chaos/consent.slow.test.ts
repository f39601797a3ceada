/**
 * Consent never rises: whoever unsubscribed after a signup was received is not made active again by a repetition of
 * that signup, and every acknowledged signup is in the end delivered or dead. Random histories in virtual time.
 *
 * `CONSENT_HISTORIES=5000 npm test -- test/chaos/consent` runs more of them.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openStore } from '@newsletter-kit/relay';
import { expect, it, vi } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';
import { history, historyConfigs, runHistory } from './consent-history.ts';

// Every relay observes its process: thousands of relays in one process would slow it down.
vi.mock('prom-client', async (load) => ({ ...(await load<object>()), collectDefaultMetrics: () => {} }));

const histories = Number(process.env['CONSENT_HISTORIES'] ?? 500);

it(
  'consent never rises, and no signup is lost',
  async () => {
    const folder = scratchFolder();
    const configOf = historyConfigs(folder);
    const seen = { accepted: 0, calls: 0, bulks: 0, kills: 0, rises: 0 };
    let number = 0;
    await fc.assert(
      fc.asyncProperty(history, async (each) => {
        const path = join(folder, `${(number += 1)}.db`);
        const told = await runHistory(each, {
          config: configOf(each.reactivate),
          open: () => openStore({ kind: 'sqlite', path }),
        });
        for (const suffix of ['', '-wal', '-shm', '-lock']) rmSync(path + suffix, { force: true });
        for (const name of ['accepted', 'calls', 'bulks', 'kills', 'rises'] as const) seen[name] += told[name];
        expect(told.problems).toEqual([]);
      }),
      { numRuns: histories },
    );
    console.log(`${histories} histories:`, seen);
    // The histories hold what they are about.
    expect(seen.rises).toBeGreaterThan(histories / 50);
    expect(seen.kills).toBeGreaterThan(histories / 4);
  },
  histories * 400 + 60_000,
);
