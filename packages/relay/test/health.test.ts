/** Liveness, readiness, and reports of a failing store. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readiness, StoreHealth } from '../src/health.ts';
import { createLog, StoreUnavailableError } from '../src/index.ts';
import type { RelayEvent } from '../src/events.ts';
import { openSqliteStore } from '../src/store/sqlite/open-database.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { changedStore } from './changed-store.ts';
import { post, runRelay } from './running-relay.ts';

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

it('writes at each request, at most once a second by any clock, and at once after a failure', async () => {
  let now = 0;
  let full = false;
  const probes: number[] = [];
  const { store } = runRelay();
  const probe = async (at: number): Promise<void> => {
    probes.push(at);
    if (full) throw new StoreUnavailableError('The store cannot be written: the disk is full; free some space.');
    await store.probe(at);
  };
  const health = new StoreHealth({
    store: { probe },
    log: createLog({ level: 'silent' }),
    onEvent: () => {},
    now: () => now,
  });
  const readyz = readiness(health, new AbortController().signal);
  for (now of [5000, 5100, 5999, 6000, 2000]) expect((await readyz()).status).toBe(200);
  expect(probes).toEqual([5000, 6000, 2000]);
  full = true;
  now = 7000;
  const unready = await readyz();
  expect([unready.status, await unready.json()]).toEqual([
    503,
    { status: 'unready', reason: 'The store cannot be written: the disk is full; free some space.' },
  ]);
  full = false;
  expect((await readyz()).status).toBe(200);
});

it('reports a full disk in metrics, status and one event, also without new signups', async () => {
  let full = true;
  let now = Date.parse('2026-03-01T00:00:00Z');
  const refuse = (): Promise<never> =>
    Promise.reject(new StoreUnavailableError('The store cannot be written: the disk is full; free some space.'));
  const { store } = runRelay();
  const failing = changedStore(store, {
    accept: (signup) => (full ? refuse() : store.accept(signup)),
    probe: (at) => (full ? refuse() : store.probe(at)),
  });
  const events: RelayEvent['type'][] = [];
  const relay = runRelay({
    store: failing,
    operatorToken: 'a-token-of-the-test',
    onEvent: ({ type }) => void events.push(type),
    now: () => now,
  });
  const status = async (): Promise<{ running: { storeTrouble: string | null } }> => {
    const asked = get('/operator/api/status');
    asked.headers.set('authorization', 'Bearer a-token-of-the-test');
    return (await relay.fetch(asked)).json() as Promise<{ running: { storeTrouble: string | null } }>;
  };
  const storeUp = async (): Promise<string | undefined> =>
    /^newsletter_relay_store_up (\d)/m.exec(await (await relay.fetch(get('/metrics'))).text())?.[1];

  for (let n = 0; n < 3; n += 1) expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(503);
  expect([await storeUp(), (await status()).running.storeTrouble]).toEqual([
    '0',
    'The store cannot be written: the disk is full; free some space.',
  ]);
  full = false;
  now += 60_000;
  expect([await storeUp(), (await status()).running.storeTrouble]).toEqual(['1', null]);
  expect(events.filter((type) => type.startsWith('store'))).toEqual(['storeFailed', 'storeRecovered']);
});

it.each(['', '-wal'])('is not ready once the file of the store%s is deleted, and says what to do', async (suffix) => {
  const path = join(scratchFolder(), 'relay.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  const relay = runRelay({ store });
  expect((await relay.fetch(get('/readyz'))).status).toBe(200);
  rmSync(`${path}${suffix}`);
  const later = runRelay({ store });
  const unready = await later.fetch(get('/readyz'));
  expect(unready.status).toBe(503);
  expect(((await unready.json()) as { reason: string }).reason).toContain(`${path}${suffix} was deleted or replaced`);
  expect(await (await later.fetch(get('/metrics'))).text()).toMatch(/^newsletter_relay_store_up 0$/m);
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
