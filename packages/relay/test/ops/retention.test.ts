/** Retention: each kind of record is erased at the end of its retention, and no other. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StoreUnavailableError, type SignupStore } from '../../src/index.ts';
import { startRetentionJob, type RetentionDays } from '../../src/ops/retention.ts';
import { createLog } from '../../src/log.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { changedStore } from '../changed-store.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 2, 1);
const consent = { kind: 'given', sentence: 'Yes', version: null, page: null, visitor: null } as const;
const never: RetentionDays = { delivered: null, review: null, unconfirmed: null, consent: null };

/** One of each kind, all of the same moment. */
async function filled(): Promise<SignupStore> {
  const store = openSqliteStore(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => store.close());
  const receivedAt = start;
  const delivered = await store.accept(newSignup('delivered@example.com', { receivedAt, consent }));
  const dead = await store.accept(newSignup('dead@example.com', { receivedAt }));
  await store.claim({ forms: ['default'], limit: 9, now: start });
  await store.settle([delivered], { state: 'delivered', at: start });
  await store.settle([dead], { state: 'dead', at: start, reason: 'refused' });
  await store.accept(newSignup('review@example.com', { receivedAt, suspected: 'the honeypot was filled in' }));
  await store.accept(newSignup('unconfirmed@example.com', { receivedAt, needsConfirmation: true }));
  await store.accept(newSignup('waiting@example.com', { receivedAt }));
  return store;
}

async function held(store: SignupStore): Promise<string[]> {
  const signups = await store.list({}, { limit: 99 });
  const consents = await store.listConsents({ limit: 99 });
  return [...signups.map(({ state, submission }) => (submission ? state : 'erased')), ...consents.map(() => 'consent')];
}

const all = ['delivered', 'dead', 'review', 'unconfirmed', 'waiting', 'consent'];

it.each([
  ['delivered', ['erased', 'dead', 'review', 'unconfirmed', 'waiting', 'consent']],
  ['review', ['delivered', 'unconfirmed', 'waiting', 'consent']],
  ['unconfirmed', ['delivered', 'dead', 'review', 'waiting', 'consent']],
  ['consent', ['delivered', 'dead', 'review', 'unconfirmed', 'waiting']],
] as const)('%s: erases it after its days, not before, and nothing else', async (kind, left) => {
  const store = await filled();
  let now = start + 7 * dayMs;
  const clock = { now: () => now, serviceTime: () => Promise.resolve(now), elapsed: () => 0 };
  const parts = { store, retention: { ...never, [kind]: 7 }, log: createLog({ level: 'silent' }), ...clock };
  await startRetentionJob(parts)();
  expect((await held(store)).sort()).toEqual([...all].sort());
  now += 1;
  await startRetentionJob(parts)();
  expect((await held(store)).sort()).toEqual([...left].sort());
});

it('runs periodically, also after a failure of the store', async () => {
  const store = await filled();
  let looks = 0;
  const failing = changedStore(store, {
    expire: (retention) => {
      looks += 1;
      return looks === 1 ? Promise.reject(new StoreUnavailableError('full')) : store.expire(retention);
    },
  });
  const retention = { ...never, review: 1 };
  const now = (): number => start + 2 * dayMs;
  const serviceTime = () => Promise.resolve(now());
  const log = createLog({ level: 'silent' });
  const stop = startRetentionJob({ store: failing, retention, log, now, serviceTime, everyMs: 5 });
  await waitUntil('the signup in review is gone', async () => (await store.counts()).review === 0);
  await stop();
});

const yearMs = 365 * dayMs;
const service = start + dayMs;

it.each<[what: string, now: number, said: number | null, erases: boolean]>([
  ['agrees with the service', service, service, true],
  ['is four minutes ahead', service + 240_000, service, true],
  ['is six minutes ahead', service + 360_000, service, false],
  ['is five years ahead', service + 5 * yearMs, service, false],
  ['is five years behind', service - 5 * yearMs, service, false],
  ['cannot be confirmed', service, null, false],
])('erases only by a confirmed clock: one that %s', async (_what, now, said, erases) => {
  const store = await filled();
  const lines: string[] = [];
  await startRetentionJob({
    store,
    retention: { ...never, delivered: 0 },
    log: createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } }),
    now: () => now,
    serviceTime: () => Promise.resolve(said),
  })();
  expect(await held(store)).toEqual(
    erases ? expect.arrayContaining(['erased']) : expect.not.arrayContaining(['erased']),
  );
  expect(lines.length).toBe(erases ? 0 : 1);
});

it('erases nothing early after the confirmed clock was set five years forward', async () => {
  const store = await filled();
  let now = service;
  let elapsed = 0;
  const runs: number[] = [];
  const watched = changedStore(store, {
    expire: (retention) => {
      runs.push(retention.review ?? 0);
      return store.expire(retention);
    },
  });
  const stop = startRetentionJob({
    store: watched,
    retention: { ...never, review: 30 },
    log: createLog({ level: 'silent' }),
    now: () => now,
    serviceTime: () => Promise.resolve(service),
    elapsed: () => elapsed,
    everyMs: 5,
  });
  await waitUntil('it has run', () => Promise.resolve(runs.length > 0));
  now += 5 * yearMs;
  elapsed = 3_600_000.5;
  const before = runs.length;
  await waitUntil('it has run twice more', () => Promise.resolve(runs.length > before + 1));
  await stop();
  expect(runs.at(-1)).toBe(service + 3_600_000 - 30 * dayMs);
  expect((await store.counts()).review).toBe(1);
});
