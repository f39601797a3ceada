/** Liveness, readiness, and reports of a failing store. */
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readyz, StoreHealth } from '../src/health.ts';
import { createLog, type Relay, type SignupStore, StoreUnavailableError } from '../src/index.ts';
import type { RelayEvent } from '../src/events.ts';
import type { Status } from '../src/ops/operator.ts';
import type { ProbeEffort } from '../src/store/signup-store.ts';
import { openSqliteStore } from '../src/store/sqlite/open-database.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { changedStore } from './changed-store.ts';
import { metricsOf, operatorRequest, post, runRelay } from './running-relay.ts';

const get = (path: string): Request => new Request(`http://relay.example${path}`);

it('is alive and ready', async () => {
  const relay = runRelay();
  for (const path of ['/livez', '/readyz']) expect((await relay.fetch(get(path))).status).toBe(200);
});

it('is not ready while it shuts down, but alive', async () => {
  const relay = runRelay();
  await relay.stop();
  expect((await relay.fetch(get('/readyz'))).status).toBe(503);
  expect((await relay.fetch(get('/livez'))).status).toBe(200);
});

it('writes a little once a minute by any clock, nothing after a signup, and more than one while it fails', async () => {
  let now = 0;
  let full = false;
  let room = 1e9;
  const probes: [at: number, effort: ProbeEffort][] = [];
  const { store } = runRelay();
  const sentence = 'The store cannot be written: the disk is full; free some space.';
  const probe: SignupStore['probe'] = async (...asked) => {
    probes.push(asked);
    if (full) throw new StoreUnavailableError(sentence);
    await store.probe(...asked);
  };
  const health = new StoreHealth({
    store: { probe },
    disk: () => Promise.resolve({ availableBytes: room, sizeBytes: 1e9, logBytes: 0 }),
    log: createLog({ level: 'silent' }),
    onEvent: () => {},
    now: () => now,
  });
  const stopping = new AbortController().signal;
  const ready = () => readyz({ health, stopping }, true);
  const statusesAt = async (moments: readonly number[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (now of moments) statuses.push((await ready()).status);
    return statuses;
  };
  expect(await statusesAt([100_000, 100_500, 115_000, 160_000, 2000])).toEqual([200, 200, 200, 200, 200]);
  expect(probes.splice(0)).toEqual([
    [100_000, 'write'],
    [115_000, 'look'],
    [160_000, 'write'],
    [2000, 'write'],
  ]);
  now = 60_000;
  health.succeeded('accept');
  expect(await statusesAt([90_000, 119_000, 121_000])).toEqual([200, 200, 200]);
  expect(probes.splice(0).map(([, effort]) => effort)).toEqual(['look', 'look', 'write']);

  full = true;
  now = 130_000;
  const unready = await ready();
  expect([unready.status, await unready.json()]).toEqual([503, { status: 'unready', reason: sentence }]);
  full = false;
  expect(await statusesAt([130_000, 145_000, 200_000])).toEqual([200, 200, 200]);
  // A small signup may find room where larger ones do not: for a minute each probe is large.
  expect(probes.splice(0).map(([, effort]) => effort)).toEqual(['look', 'fill', 'fill', 'look']);

  room = 100_000;
  expect(await statusesAt([210_000, 225_000])).toEqual([503, 503]);
  expect(probes).toEqual([]);
});

const statusOf = async ({ fetch }: Pick<Relay, 'fetch'>): Promise<Status> =>
  (await (await fetch(operatorRequest('/operator/api/status'))).json()) as Status;

it.each<[string, number, number, unknown]>([
  ['a log of 300 MB', 300, 0, expect.stringContaining('The log of the store has 300 MB')],
  ['a transaction of two hours', 0, 2, expect.stringContaining('A transaction in PostgreSQL is open for 120 minutes')],
  ['neither', 200, 1, null],
])('tells of %s, which keeps a store from being cleared', async (_, logMb, hours, told) => {
  const path = join(scratchFolder(), 'relay.db');
  writeFileSync(`${path}-wal`, '');
  truncateSync(`${path}-wal`, logMb * 1024 ** 2);
  const store = changedStore(runRelay().store, { oldestReaderMs: () => Promise.resolve(hours * 3_600_000) });
  const relay = runRelay({ store, settings: { RELAY_STORE: `sqlite:${path}` } });
  expect((await statusOf(relay)).running?.longReader).toEqual(told);
});

it('reports a full disk in metrics, status and one event, also without new signups', async () => {
  let full = true;
  let now = Date.parse('2026-03-01T00:00:00Z');
  const refuse = (): Promise<never> =>
    Promise.reject(new StoreUnavailableError('The store cannot be written: the disk is full; free some space.'));
  const { store } = runRelay();
  const failing = changedStore(store, {
    accept: (signup) => (full ? refuse() : store.accept(signup)),
    probe: (...asked) => (full ? refuse() : store.probe(...asked)),
  });
  const events: RelayEvent['type'][] = [];
  const relay = runRelay({
    store: failing,
    onEvent: ({ type }) => void events.push(type),
    now: () => now,
  });
  const storeUp = async (): Promise<string | undefined> =>
    /^newsletter_relay_store_up (\d)/m.exec(await metricsOf(relay))?.[1];

  for (let n = 0; n < 3; n += 1) expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(503);
  expect([await storeUp(), (await statusOf(relay)).running?.storeTrouble]).toEqual([
    '0',
    'The store cannot be written: the disk is full; free some space.',
  ]);
  full = false;
  now += 60_000;
  expect([await storeUp(), (await statusOf(relay)).running?.storeTrouble]).toEqual(['1', null]);
  expect(events.filter((type) => type === 'failing' || type === 'works')).toEqual(['failing', 'works']);
});

it.each(['', '-wal'])('is not ready once the file of the store%s is deleted, and says what to do', async (suffix) => {
  const path = join(scratchFolder(), 'relay.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  const relay = runRelay({ store });
  expect((await relay.fetch(get('/readyz'))).status).toBe(200);
  rmSync(`${path}${suffix}`);
  const later = runRelay({ store });
  const unready = await later.fetch(operatorRequest('/readyz'));
  expect(unready.status).toBe(503);
  expect(((await unready.json()) as { reason: string }).reason).toContain(`${path}${suffix} was deleted or replaced`);
  expect(await metricsOf(later)).toMatch(/^newsletter_relay_store_up 0$/m);
});

it('acknowledges nothing once its log is deleted, and keeps what it had when it is stopped as it says', async () => {
  const path = join(scratchFolder(), 'relay.db');
  const store = openSqliteStore(path);
  const relay = runRelay({ store });
  expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
  rmSync(`${path}-wal`);
  expect((await relay.fetch(post({ email: 'eve@example.com' }))).status).toBe(503);
  await store.close();
  const again = openSqliteStore(path);
  onTestFinished(() => again.close());
  const kept = await again.list({}, { limit: 9 });
  expect(kept.map(({ submission }) => submission?.email)).toEqual(['ada@example.com']);
});
