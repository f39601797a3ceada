/** The metrics of `/metrics`. */
import { statfsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { Events } from '../../src/events.ts';
import { type Overview, readConfig, StoreUnavailableError, type Relay } from '../../src/index.ts';
import { diskSpaceOf } from '../../src/health.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { changedStore } from '../changed-store.ts';
import { environment, metricsOf, operatorRequest, post, runRelay } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';

/** The series of a page, by name and labels. */
async function series(relay: Pick<Relay, 'fetch'>): Promise<Readonly<Record<string, number>>> {
  return read(await metricsOf(relay));
}

function read(text: string): Readonly<Record<string, number>> {
  const samples = text.matchAll(/^newsletter_relay_([^ ]+) (\S+)$/gm);
  return Object.fromEntries([...samples].map(([, name = '', value]) => [name, Number(value)]));
}

const failing = (): Promise<never> => Promise.reject(new StoreUnavailableError('The disk is full.'));

it('has every series of the alerting rules before the first event', async () => {
  expect(await series(runRelay())).toMatchObject({
    'signups_total{form="default",result="kept"}': 0,
    'refusals_total{form="default",status="503",code="UNAVAILABLE"}': 0,
    'delivery_attempts_total{form="default",result="dead"}': 0,
    'delivery_age_seconds_count{form="default"}': 0,
    'backlog{form="default"}': 0,
    'oldest_waiting_seconds{form="default"}': 0,
    'api_up{form="default"}': 1,
    'key_refused{form="default"}': 0,
    'publication_refused{form="default"}': 0,
    store_up: 1,
    paused: 0,
  });
});

it('does not claim in its help text that a post answered with 503 was never kept', async () => {
  const text = await metricsOf(runRelay());
  const help = /^# HELP newsletter_relay_refusals_total (.*)$/m.exec(text)?.[1];
  expect(help).toContain('503');
  expect(help).toContain('may have been kept');
  expect(help).not.toContain('nothing was kept');
});

it('counts posts kept and posts answered 503 by form, and no failing request that is not a post to a form', async () => {
  let full = false;
  const { store } = runRelay();
  const relay = runRelay({
    store: changedStore(store, {
      accept: (signup) => (full ? failing() : store.accept(signup)),
      overview: (now) => (full ? failing() : store.overview(now)),
    }),
  });
  expect((await relay.fetch(post({ email: 'ada@example.com' }))).status).toBe(202);
  full = true;
  for (let count = 0; count < 3; count += 1)
    expect((await relay.fetch(post({ email: 'bob@example.com' }))).status).toBe(503);
  // An operator is told why, and of no signup that was lost.
  const told = await relay.fetch(operatorRequest('/operator/api/status'));
  expect(await told.json()).toMatchObject({ status: 503, errors: [{ message: 'The disk is full.' }] });
  const shown = await series(relay);
  expect(shown).toMatchObject({
    'signups_total{form="default",result="kept"}': 1,
    'refusals_total{form="default",status="503",code="UNAVAILABLE"}': 3,
  });
  // Nothing can be read: no figure of the backlog rather than an old one.
  expect(Object.keys(shown).filter((name) => /^(backlog|oldest|queue|paused|webhook_)/.test(name))).toEqual([]);
});

it.each([
  [401, 'key_refused'],
  [403, 'key_refused'],
  [404, 'publication_refused'],
] as const)('tells by form that the API answers %i, until it takes signups again', async (status, gauge) => {
  const api = sandboxApi();
  api.instead = () =>
    Promise.resolve(Response.json({ status, statusText: 'no', errors: [{ message: 'No.', code: 'NO' }] }, { status }));
  const relay = runRelay({
    api: api.fetch,
    delivery: { backoff: { firstMs: 1, maxMs: 10, maxRetryAfterMs: 10 } },
  });
  relay.start();
  await relay.fetch(post({ email: 'ada@example.com' }));
  const other = gauge === 'key_refused' ? 'publication_refused' : 'key_refused';
  const shown = (): Promise<readonly (number | undefined)[]> =>
    series(relay).then((all) => ['api_up', gauge, other].map((name) => all[`${name}{form="default"}`]));
  await waitUntil('the API refuses', async () => expect(await shown()).toEqual([0, 1, 0]));
  api.instead = null;
  await waitUntil('the API takes signups again', async () => expect(await shown()).toEqual([1, 0, 0]));
  expect(await series(relay)).toMatchObject({
    'delivery_age_seconds_count{form="default"}': 1,
    'delivery_attempts_total{form="default",result="delivered"}': 1,
  });
});

it('reports the result of a check before the first signup, until one is delivered', async () => {
  const api = sandboxApi();
  const refuse = () =>
    Promise.resolve(
      Response.json({ status: 401, statusText: 'no', errors: [{ message: 'No.', code: 'NO' }] }, { status: 401 }),
    );
  const relay = runRelay({
    api: api.fetch,
    delivery: { backoff: { firstMs: 1, maxMs: 10, maxRetryAfterMs: 10 } },
  });
  const refused = async (): Promise<unknown> => (await series(relay))['key_refused{form="default"}'];
  await relay.check();
  expect(await refused()).toBe(0);
  api.instead = refuse;
  expect(await relay.check()).toMatchObject([{ result: 'failed' }]);
  expect(await refused()).toBe(1);
  api.instead = null;
  relay.start();
  await relay.fetch(post({ email: 'ada@example.com' }));
  await waitUntil('one is delivered', async () => (await refused()) === 0);
});

it('reports a failing store within the timeout where the store does not answer', async () => {
  const frozen = (): Promise<never> => new Promise(() => {});
  const metrics = createMetrics(
    {
      config: { ...readConfig(environment), store: { kind: 'durable-object' } },
      store: { overview: frozen, paused: frozen, webhooks: { overview: frozen } },
      health: { probe: frozen },
      events: new Events(),
      now: Date.now,
    },
    20,
  );
  const shown = read((await metrics.page()).text);
  expect(shown['store_up']).toBe(0);
  expect(Object.keys(shown).filter((name) => /^(backlog|oldest|queue|paused|webhook_)/.test(name))).toEqual([]);
});

it('shows what is held, and the backlog and the age of its oldest signup by form', async () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const { store } = runRelay();
  const overview: Overview = {
    ...(await store.overview(now)),
    held: [
      { state: 'review', reason: 'the honeypot was filled in', count: 2 },
      { state: 'unconfirmed', reason: 'no room', count: 3 },
      { state: 'unconfirmed', reason: 'deferred', count: 4 },
    ],
    forms: [
      { form: 'jobs', open: 7, oldestSince: now - 90_000 },
      { form: 'removed', open: 1, oldestSince: now - 1000 },
    ],
  };
  const { forms } = readConfig(environment);
  const metrics = createMetrics({
    store: changedStore(store, { overview: () => Promise.resolve(overview) }),
    config: {
      forms: { ...forms, jobs: { consent: { sentences: [] } } },
      webhooks: [],
      store: { kind: 'durable-object' },
    },
    health: { probe: () => Promise.resolve() },
    events: new Events(),
    now: () => now,
  });
  const shown = read((await metrics.page()).text);
  expect(Object.fromEntries(Object.entries(shown).filter(([name]) => /^(backlog|oldest|held)/.test(name)))).toEqual({
    'backlog{form="default"}': 0,
    'backlog{form="jobs"}': 7,
    'backlog{form="removed"}': 1,
    'oldest_waiting_seconds{form="default"}': 0,
    'oldest_waiting_seconds{form="jobs"}': 90,
    'oldest_waiting_seconds{form="removed"}': 1,
    held_mails: 7,
  });
  expect(Object.keys(shown).filter((name) => name.includes('disk'))).toEqual([]);
});

it('shows the free disk space and the log of an SQLite store', async () => {
  const folder = scratchFolder();
  const { blocks, bsize } = statfsSync(folder);
  const disk = await diskSpaceOf({ kind: 'sqlite', path: `${folder}/relay.db` })();
  expect(disk?.sizeBytes).toBe(blocks * bsize);
  expect(disk?.availableBytes).toBeGreaterThan(0);
  expect(await diskSpaceOf({ kind: 'postgres', url: 'postgres://u:p@db:5432/relay' })()).toBeNull();
  const store = openSqliteStore(`${folder}/relay.db`);
  onTestFinished(() => store.close());
  const shown = await series(runRelay({ store, settings: { RELAY_STORE: `sqlite:${folder}/relay.db` } }));
  expect(shown['store_log_bytes']).toBeGreaterThan(0);
  expect([shown['store_disk_available_bytes'], shown['store_disk_size_bytes']]).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
});
