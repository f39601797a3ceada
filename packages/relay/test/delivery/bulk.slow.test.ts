/** Bulk delivery to the sandbox: calls per signup, restarts, lost answers. `bulk-*.test.ts` prove its rules. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { post, runRelay, type RelayParts, type RunningRelay } from '../running-relay.ts';
import { sandboxApi, type SandboxApi } from '../sandbox-api.ts';

const delivery = {
  backoff: { firstMs: 20, maxMs: 60 },
  concurrency: 1,
  bulk: { above: 100, lookAfterMs: 300 },
};

/** A relay with a backlog, not started yet. */
async function withBacklog(
  api: SandboxApi,
  emails: readonly string[],
  parts: RelayParts = {},
  more: Readonly<Record<string, string>> = {},
  receivedAt = Date.now(),
): Promise<RunningRelay> {
  const relay = runRelay({ api: api.fetch, delivery, ...parts });
  await Promise.all(
    emails.map((email) => relay.store.accept(newSignup(email, { submission: { email, ...more }, receivedAt }))),
  );
  return relay;
}

const people = (count: number): string[] => Array.from({ length: count }, (_, i) => `p${i}@example.com`);

/** Puts a record of what the API was asked in front of it. */
function watched(api: SandboxApi): { singles: string[]; bulks: number[] } {
  const asked = { singles: [] as string[], bulks: [] as number[] };
  api.instead = async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'POST') {
      const body = (await request.clone().json()) as { email?: string; subscriptions?: unknown[] };
      if (pathname.endsWith('/bulk_subscriptions')) asked.bulks.push(body.subscriptions?.length ?? 0);
      else asked.singles.push(body.email ?? '');
    }
    return api.sandbox.fetch(request);
  };
  return asked;
}

const allDelivered = (relay: RunningRelay, count: number): Promise<void> =>
  waitUntil('all are delivered', async () => (await relay.store.counts()).delivered === count);

it('sends a backlog in bulk, and marks each signup as delivered once the API lists it', async () => {
  const api = sandboxApi({ seed: 'empty' });
  const asked = watched(api);
  // The sandbox takes as long over an import as the service might.
  const relay = await withBacklog(api, people(1500), {
    delivery: { ...delivery, bulk: { above: 100, lookAfterMs: 4000 } },
  });
  relay.start();
  await allDelivered(relay, 1500);
  expect(asked.bulks[0]).toBe(1000);
  expect(asked.singles.length).toBeLessThan(100);
  expect((await api.subscriptions()).map(({ email }) => email).toSorted()).toEqual(people(1500).toSorted());
});

it('takes the threshold from RELAY_BULK_ABOVE, where never switches bulk delivery off', async () => {
  const api = sandboxApi({ seed: 'empty' });
  const asked = watched(api);
  const alone = await withBacklog(api, people(150), {
    delivery: { concurrency: 5 },
    settings: { RELAY_BULK_ABOVE: 'never' },
  });
  alone.start();
  await allDelivered(alone, 150);
  expect(asked.bulks).toEqual([]);
  const together = await withBacklog(api, people(150), {
    delivery: { concurrency: 5 },
    settings: { RELAY_BULK_ABOVE: '100' },
  });
  together.start();
  await waitUntil('they go in bulk', () => asked.bulks.length > 0);
  expect(asked.bulks[0]).toBeGreaterThanOrEqual(50);
});

it('keeps a batch waiting while the API is down, without counting attempts', async () => {
  const api = sandboxApi({ seed: 'empty' });
  const asked = watched(api);
  const through = api.instead;
  api.instead = () => Promise.resolve(new Response('Bad Gateway', { status: 502 }));
  const relay = await withBacklog(api, people(150));
  relay.start();
  await waitUntil('it was tried', () => relay.logged.some((line) => line.includes('takes no signups')));
  expect(await relay.store.counts()).toMatchObject({ waiting: 150, dead: 0 });
  api.instead = through;
  await allDelivered(relay, 150);
  expect(asked.singles.length + asked.bulks.reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(150);
});

describe('under a quota', () => {
  /** Counts the calls of each kind that reach the API. */
  function counted(api: SandboxApi): Record<string, number> {
    const calls: Record<string, number> = { list: 0, create: 0, bulk: 0 };
    api.instead = (request) => {
      const kind = request.method === 'GET' ? 'list' : request.url.endsWith('/bulk_subscriptions') ? 'bulk' : 'create';
      calls[kind] = (calls[kind] ?? 0) + 1;
      return api.sandbox.fetch(request);
    };
    return calls;
  }
  const slowly = { ...delivery, bulk: { above: 100, lookAfterMs: 2500 } };

  it('confirms a backlog of thousands with one shared scan, and creates no subscription alone', async () => {
    const api = sandboxApi({ seed: 'demo' });
    const calls = counted(api);
    const relay = await withBacklog(api, people(5000), { delivery: slowly });
    relay.start();
    await allDelivered(relay, 5000);
    // How many pages the scans take depends on the time between them: `test/chaos/quota.slow.test.ts` counts them.
    expect(calls).toMatchObject({ bulk: 5, create: 0 });
  });

  it('continues after a restart, and creates no subscription twice', async () => {
    const api = sandboxApi({ seed: 'demo' });
    const calls = counted(api);
    const path = join(scratchFolder(), 'relay.db');
    let store = openSqliteStore(path);
    const before = await withBacklog(api, people(3000), { delivery: slowly, store });
    before.start();
    await waitUntil('two batches are sent', () => (calls['bulk'] ?? 0) >= 2);
    await before.stop(0);
    await store.close();
    store = openSqliteStore(path);
    onTestFinished(() => store.close());
    const after = runRelay({ api: api.fetch, delivery: slowly, store });
    after.start();
    await after.fetch(post({ email: 'visitor@example.com' }));
    await allDelivered(after, 3001);
    expect(calls['create']).toBeLessThanOrEqual(1);
    expect(calls['bulk']).toBeLessThanOrEqual(5);
    expect(calls['list']).toBeLessThanOrEqual(50);
    await after.stop(0);
  });

  it('sends a new signup before the backlog', async () => {
    const api = sandboxApi({ seed: 'empty' });
    const batches: string[][] = [];
    api.instead = async (request) => {
      if (request.url.endsWith('/bulk_subscriptions')) {
        const { subscriptions } = (await request.clone().json()) as { subscriptions: { email: string }[] };
        batches.push(subscriptions.map(({ email }) => email));
        if (batches.length === 1) await relay.fetch(post({ email: 'visitor@example.com' }));
      }
      return api.sandbox.fetch(request);
    };
    const relay = await withBacklog(api, people(4000), { delivery: slowly }, {}, Date.now() - 3_600_000);
    relay.start();
    await waitUntil('a second batch is sent', () => batches.length > 1);
    expect(batches[1]?.[0]).toBe('visitor@example.com');
  });
});
