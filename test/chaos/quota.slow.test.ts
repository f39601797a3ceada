/**
 * A backlog at the service's quota and restarts, on both stores. In virtual time: relay, store and sandbox run as
 * usual, and waits take no time.
 */
import { join } from 'node:path';
import { openStore, readConfig, type RelayConfig, type SignupStore, type StoreAddress } from '@newsletter-kit/relay';
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresServer } from '../../packages/relay/test/postgres-server.ts';
import { fill, inVirtualTime, startVirtualRelay, virtualSettings, type VirtualRelay } from '../clock/relay.ts';
import type { VirtualClock } from '../clock/virtual.ts';
import { seeded } from '../support/seeded.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const postgres = postgresServer();

const stores: Readonly<Record<string, () => Promise<StoreAddress>>> = {
  'an SQLite file': () => Promise.resolve({ kind: 'sqlite', path: join(scratchFolder(), 'relay.db') }),
  PostgreSQL: async () => ({ kind: 'postgres', url: await postgres.database() }),
};

const settings = {
  ...virtualSettings,
  NEWSLETTER_API_KEY: apiKeys.workspace,
  NEWSLETTER_PUBLICATION_ID: publicationId,
};

/** What a call to the API is, and whom it carries. */
interface Call {
  readonly kind: 'create' | 'bulk' | 'list';
  readonly emails: readonly string[];
}

/** What becomes of a call: it reaches the sandbox, or it never arrives. */
type Fate = 'ok' | 'gone';

interface Scene {
  readonly clock: VirtualClock;
  /** Calls that reached the API. */
  readonly calls: Call[];
  /** When the API had created a subscription, by address. */
  readonly created: ReadonlyMap<string, number>;
  /** Decides what becomes of the next calls. */
  fate: (call: Call) => Fate;
  start(config?: RelayConfig, delivery?: Parameters<typeof startVirtualRelay>[0]['delivery']): Promise<VirtualRelay>;
  /** Fills the store before a relay is started. */
  fill(emails: readonly string[]): Promise<void>;
  /** Signs up and waits until the subscription is created. @returns seconds it took; null after a minute in vain */
  visit(relay: VirtualRelay, email: string): Promise<number | null>;
  /** Lets time pass until all is delivered or dead. @returns minutes */
  drain(relay: VirtualRelay): Promise<number>;
}

const quota = { limit: 180, windowSeconds: 60, headers: true } as const;

function inScene(address: StoreAddress, work: (scene: Scene) => Promise<void>): Promise<void> {
  return inVirtualTime(async (clock) => {
    const random = seeded(1);
    const sandbox = createSandbox({ now: clock.now, profile: 'unlimited' });
    onTestFinished(() => sandbox.close());
    sandbox.rateLimit.use(quota);
    const created = new Map<string, number>();
    sandbox.subscribe((event) => {
      if (event.type === 'subscription' && event.change === 'created')
        created.set(String(event.subscription['email']), clock.now());
    });
    // What the sandbox does later, it does when it is asked something.
    setInterval(() => sandbox.settle(), 100);
    const open = () => openStore(address);
    const abandon = (store: SignupStore) =>
      address.kind === 'postgres' ? postgres.disconnect(address.url) : store.close();
    const running = new Set<VirtualRelay>();
    const scene: Scene = {
      clock,
      calls: [],
      created,
      fate: () => 'ok',
      async start(config = readConfig(settings), delivery = {}) {
        const relay = await startVirtualRelay({
          clock,
          config,
          open,
          abandon,
          random,
          delivery,
          latencyMs: () => 2 * Math.round(40 + random() * 60),
          async answering(request) {
            const call = callOf(request.method, request.url, await request.clone().text());
            const fate = scene.fate(call);
            if (fate === 'gone') throw new TypeError('The connection broke.');
            const answer = await sandbox.fetch(request);
            if (answer.status !== 429) scene.calls.push(call);
            return answer;
          },
        });
        running.add(relay);
        return relay;
      },
      fill: (emails) =>
        clock.during(async () => {
          const store = await open();
          await fill(store, emails, clock.now());
          await store.close();
        }),
      async visit(relay, email) {
        const from = clock.now();
        expect(await relay.post('default', { email })).toBe(202);
        for (let waited = 0; waited < 60_000 && !created.has(email); waited += 100) await clock.sleep(100);
        const at = created.get(email);
        return at === undefined ? null : (at - from) / 1000;
      },
      async drain(relay) {
        const from = clock.now();
        for (;;) {
          const { waiting, sent } = await clock.during(() => relay.store.counts());
          const minutes = (clock.now() - from) / 60_000;
          if (waiting + sent === 0 || minutes > 60) return minutes;
          await clock.sleep(1_000);
        }
      },
    };
    await work(scene);
    for (const relay of running) await relay.kill();
  });
}

function callOf(method: string, url: string, text: string): Call {
  if (method === 'GET') return { kind: 'list', emails: [] };
  const body = JSON.parse(text) as { email?: string; subscriptions?: { email: string }[] };
  return body.subscriptions
    ? { kind: 'bulk', emails: body.subscriptions.map(({ email }) => email) }
    : { kind: 'create', emails: [String(body.email)] };
}

const people = (count: number): string[] => Array.from({ length: count }, (_, n) => `waiting.${n}@example.com`);

const counted = (calls: readonly Call[], kind: Call['kind']): number =>
  calls.filter((call) => call.kind === kind).length;

/** How often each person was sent to the API. */
function timesSent(calls: readonly Call[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { emails } of calls) for (const email of emails) times.set(email, (times.get(email) ?? 0) + 1);
  return times;
}

describe.each(Object.entries(stores))('a relay on %s', (_, newStore) => {
  it('confirms a backlog at the quota with few calls, and sends new signups before it', async () => {
    const waiting = 6_000;
    await inScene(await newStore(), async ({ calls, created, fill: fillStore, start, visit, drain, clock }) => {
      await fillStore(people(waiting));
      const relay = await start();
      const seconds: (number | null)[] = [];
      for (let visitor = 0; visitor < 6; visitor += 1) {
        seconds.push(await visit(relay, `visitor.${visitor}@example.com`));
        await clock.sleep(6_000);
      }
      await drain(relay);
      expect(created.size).toBe(waiting + 6);
      expect(Math.max(...seconds.map((each) => each ?? Infinity))).toBeLessThanOrEqual(5);
      expect((calls.length / waiting) * 1000).toBeLessThanOrEqual(15);
      expect(counted(calls, 'create')).toBeLessThanOrEqual(6);
      expect([...timesSent(calls).values()].filter((times) => times > 1)).toEqual([]);
    });
  });

  it('continues after repeated SIGKILL: no signup is sent twice, and visitors do not wait', async () => {
    const waiting = 6_000;
    await inScene(await newStore(), async ({ calls, created, fill: fillStore, start, visit, drain, clock }) => {
      await fillStore(people(waiting));
      const seconds: (number | null)[] = [];
      for (const lifeMs of [700, 1_500, 30_000, 10_000, 5_000]) {
        const relay = await start();
        await clock.sleep(lifeMs);
        await relay.kill();
        await clock.sleep(2_000);
      }
      const relay = await start();
      seconds.push(await visit(relay, 'visitor@example.com'));
      await drain(relay);
      expect(created.size).toBe(waiting + 1);
      expect(seconds[0]).toBeLessThanOrEqual(5);
      expect([...timesSent(calls).values()].filter((times) => times > 1)).toEqual([]);
      expect((calls.length / waiting) * 1000).toBeLessThanOrEqual(20);
    });
  });

  it('repeats an interrupted batch, after new signups', async () => {
    const waiting = 1_100;
    await inScene(await newStore(), async (scene) => {
      const { calls, created, start, visit, drain, clock } = scene;
      await scene.fill(people(waiting));
      const victim = await start();
      const dying: Promise<void>[] = [];
      scene.fate = ({ kind }) => {
        if (kind !== 'bulk' || dying.length > 0) return 'ok';
        dying.push(victim.kill());
        return 'gone';
      };
      while (dying.length === 0) await clock.sleep(10);
      await Promise.all(dying);
      const relay = await start();
      const seconds: (number | null)[] = [];
      for (let visitor = 0; visitor < 12; visitor += 1) {
        seconds.push(await visit(relay, `visitor.${visitor}@example.com`));
        await clock.sleep(10_000);
      }
      await drain(relay);
      expect(created.size).toBe(waiting + 12);
      expect(Math.max(...seconds.map((each) => each ?? Infinity))).toBeLessThanOrEqual(5);
      // The scan does not find the lost batch: a lookup and a creation for each of its thousand signups.
      expect(calls.length).toBeLessThanOrEqual(2_300);
    });
  });

  it('confirms batches after a restart with bulk delivery switched off', async () => {
    await inScene(await newStore(), async ({ calls, created, fill: fillStore, start, drain, clock }) => {
      await fillStore(people(2_000));
      const before = await start();
      while (counted(calls, 'bulk') < 2) await clock.sleep(100);
      await clock.sleep(3_000);
      await before.kill();
      const after = await start(readConfig({ ...settings, RELAY_BULK_ABOVE: 'never' }));
      expect(await drain(after)).toBeLessThan(5);
      expect(created.size).toBe(2_000);
      expect(counted(calls, 'create')).toBe(0);
    });
  });
});
