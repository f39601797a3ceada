/**
 * Power cuts: a disk keeps synced writes, and any part of the others. From the trace of one run under load, the test
 * reconstructs the disk after a power cut at many moments; every signup answered with 202 before it must be on it.
 *
 * `POWER_CUTS=500 npm test -- test/chaos/power-cut` tests more moments.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { everySignup, openStore } from '@newsletter-kit/relay';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve } from '../../packages/relay/test/commands/relay-process.ts';
import { waitUntil } from '../support/waits.ts';
import { canTrace } from '../../packages/relay/test/machine.ts';
import { diskAfter, readTrace, straceOptions, type DiskEvent } from './disk-trace.ts';

const cuts = Number(process.env['POWER_CUTS'] ?? 60);
const signups = 400;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'newsletter-power-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nearly as much as a signup may hold, so that the log is folded into the file while the load goes on. */
const long = { utm_content: '🌷'.repeat(500), utm_term: '🌱'.repeat(500), utm_campaign: '🌻'.repeat(500) };

/** Everything a relay does on its disk and tells its callers, from the first moment of its store. */
async function underLoad(): Promise<DiskEvent[]> {
  const trace = join(folder, 'trace');
  const relay = await serve(folder, {}, `exec strace ${straceOptions.join(' ')} -o ${trace} "$@"`);
  let next = 0;
  const call = async (): Promise<void> => {
    while (next < signups) expect((await relay.signUp(`p${next++}@example.com`, long)).status).toBe(202);
  };
  await Promise.all(Array.from({ length: 12 }, call));
  relay.child.kill('SIGTERM');
  await relay.ended;
  return readTrace(await waitUntil('the trace is whole', () => wholeTrace(trace)));
}

/** The text of a trace once its process has ended. */
function wholeTrace(file: string): string | null {
  const text = readFileSync(file, 'latin1');
  return text.endsWith('+++ exited with 0 +++\n') ? text : null;
}

/** Who had a 202 after each event: the address that came in last on the connection it went out on. */
function acknowledgedBy(events: readonly DiskEvent[]): (cut: number) => string[] {
  const asking = new Map<string, string>();
  const acknowledged: { readonly email: string; readonly at: number }[] = [];
  events.forEach((event, at) => {
    if (event.kind === 'in') {
      const email = /"email":"([^"]+)"/.exec(event.data.toString('latin1'))?.[1];
      if (email) asking.set(event.connection, email);
    } else if (event.kind === 'out' && event.data.subarray(0, 12).toString() === 'HTTP/1.1 202') {
      acknowledged.push({ email: asking.get(event.connection) ?? 'nobody', at });
    }
  });
  return (cut) => acknowledged.filter(({ at }) => at <= cut).map(({ email }) => email);
}

async function keptOn(disk: ReadonlyMap<string, Buffer>, at: string): Promise<Set<string>> {
  mkdirSync(at, { recursive: true });
  // The lock and the shared memory beside it are made anew; neither holds a signup.
  for (const name of ['relay.db', 'relay.db-wal']) {
    const [, content] = [...disk].find(([file]) => basename(file) === name) ?? [];
    if (content) writeFileSync(join(at, name), content);
  }
  const store = await openStore({ kind: 'sqlite', path: join(at, 'relay.db') });
  try {
    const kept = new Set<string>();
    for await (const { submission } of everySignup(store)) if (submission) kept.add(submission.email);
    return kept;
  } finally {
    await store.close();
    rmSync(at, { recursive: true, force: true });
  }
}

it.skipIf(!canTrace())(
  'a power cut at any moment loses no signup answered with 202',
  async () => {
    const events = await underLoad();
    const acknowledged = acknowledgedBy(events);
    // The trace saw everything: each signup on its connection, and the log folded into the file.
    expect(acknowledged(events.length).sort()).toEqual(
      Array.from({ length: signups }, (_, n) => `p${n}@example.com`).sort(),
    );
    expect(events.filter((event) => event.kind === 'write' && event.file.endsWith('relay.db')).length).toBeGreaterThan(
      10,
    );

    const moment = fc.integer({ min: events.findIndex(({ kind }) => kind === 'out'), max: events.length - 1 });
    await fc.assert(
      fc.asyncProperty(moment, fc.infiniteStream(fc.boolean()), async (cut, luck) => {
        const kept = await keptOn(
          diskAfter(events, cut, () => luck.next().value),
          join(folder, `cut-${cut}`),
        );
        expect(acknowledged(cut).filter((email) => !kept.has(email))).toEqual([]);
      }),
      { numRuns: cuts },
    );

    // Without the syncs the same cut takes them all: the proof can fail.
    const unsynced = events.filter(({ kind }) => kind !== 'sync');
    expect(
      (
        await keptOn(
          diskAfter(unsynced, unsynced.length - 1, () => false),
          join(folder, 'unsynced'),
        )
      ).size,
    ).toBe(0);
  },
  300_000,
);
