/**
 * A backlog at the service's quota, restarts, failing forms and people who unsubscribe, on both stores. In virtual
 * time: relay, store and sandbox run as usual, and waits take no time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, readConfig, type RelayConfig, type SignupStore, type StoreAddress } from '@newsletter-kit/relay';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
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

/** What becomes of a call: it reaches the sandbox, its answer is lost, or it never arrives. */
type Fate = 'ok' | 'lost' | 'gone';

interface Scene {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
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
  visit(relay: VirtualRelay, email: string, form?: string): Promise<number | null>;
  /** Lets time pass until all is delivered or dead. @returns minutes */
  drain(relay: VirtualRelay, longestMinutes?: number): Promise<number>;
}

const quota = { limit: 180, windowSeconds: 60, headers: true } as const;

function inScene<T>(address: StoreAddress, work: (scene: Scene) => Promise<T>, seed?: object): Promise<T> {
  return inVirtualTime(async (clock) => {
    const random = seeded(1);
    const sandbox = createSandbox({ now: clock.now, profile: 'unlimited', ...(seed && { seed: seed as never }) });
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
      sandbox,
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
            if (fate === 'lost') throw new TypeError('The connection broke.');
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
      async visit(relay, email, form = 'default') {
        const from = clock.now();
        expect(await relay.post(form, { email })).toBe(202);
        for (let waited = 0; waited < 60_000 && !created.has(email); waited += 100) await clock.sleep(100);
        const at = created.get(email);
        return at === undefined ? null : (at - from) / 1000;
      },
      async drain(relay, longestMinutes = 60) {
        const from = clock.now();
        for (;;) {
          const { waiting, sent } = await clock.during(() => relay.store.counts());
          const minutes = (clock.now() - from) / 60_000;
          if (waiting + sent === 0 || minutes > longestMinutes) return minutes;
          await clock.sleep(1_000);
        }
      },
    };
    const result = await work(scene);
    for (const relay of running) await relay.kill();
    return result;
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

  it('delivers every form at once while one has an unknown publication and one a wrong key', async () => {
    const ids = [1, 2, 3].map((n) => `pub_00000000-0000-4000-8000-00000000000${n}`);
    const unknown = 'pub_00000000-0000-4000-8000-0000000000ff';
    const seed = { publications: ids.map((id) => ({ id, name: id, created: 1_698_829_200 })) };
    const config = (right: boolean): RelayConfig => {
      const file = join(scratchFolder(), 'relay.json');
      const forms = {
        one: { publication_id: ids[0] },
        two: { publication_id: ids[1] },
        three: { publication_id: ids[2] },
        unknown: { publication_id: right ? ids[0] : unknown },
        wrong: { publication_id: ids[1], ...(right ? {} : { api_key: 'a-wrong-key' }) },
      };
      writeFileSync(file, JSON.stringify({ forms }));
      return readConfig({ ...virtualSettings, NEWSLETTER_API_KEY: apiKeys.workspace, RELAY_CONFIG: file });
    };
    await inScene(
      await newStore(),
      async ({ created, start, visit, drain, clock }) => {
        const relay = await start(config(false));
        for (let n = 0; n < 20; n += 1) {
          await relay.post('unknown', { email: `unknown.${n}@example.com` });
          await relay.post('wrong', { email: `wrong.${n}@example.com` });
        }
        for (let n = 0; n < 10; n += 1) {
          for (const form of ['one', 'two', 'three'])
            expect(await visit(relay, `${form}.${n}@example.com`, form)).toBeLessThanOrEqual(2);
          await clock.sleep(5_000);
        }
        expect(created.size).toBe(30);
        expect(await clock.during(() => relay.store.counts())).toMatchObject({ delivered: 30, dead: 0 });
        await relay.kill();
        const mended = await start(config(true));
        expect(await drain(mended)).toBeLessThan(10);
        expect(created.size).toBe(70);
      },
      seed,
    );
  });

  it('reactivates no subscription that was ended after a lost answer', async () => {
    const config = readConfig({ ...settings, RELAY_REACTIVATE_EXISTING: 'true' });
    await inScene(await newStore(), async (scene) => {
      const { calls, sandbox, start, drain, clock } = scene;
      const email = 'grace@example.com';
      const relay = await start(config);
      // The signup arrives, its answer is lost, and so is every call until the person has unsubscribed.
      scene.fate = () => (calls.length === 0 ? 'lost' : 'gone');
      expect(await relay.post('default', { email })).toBe(202);
      while (calls.length === 0) await clock.sleep(10);
      await unsubscribe(sandbox, email);
      await clock.sleep(3_000);
      expect(await statusOf(sandbox, email)).toBe('inactive');
      scene.fate = () => 'ok';
      await drain(relay);
      expect(await statusOf(sandbox, email)).toBe('inactive');
      // Signing up once more is consent.
      await clock.sleep(700_000);
      await relay.post('default', { email });
      await drain(relay);
      expect(await statusOf(sandbox, email)).toBe('active');
    });
  });
});

interface Known {
  readonly id: string;
  readonly status: string;
}

async function found(sandbox: Sandbox, email: string): Promise<Known | undefined> {
  const answer = await sandbox.fetch(`http://sandbox.test/_sandbox/subscriptions?search=${encodeURIComponent(email)}`);
  return ((await answer.json()) as { data: Known[] }).data[0];
}

const statusOf = async (sandbox: Sandbox, email: string): Promise<string | undefined> =>
  (await found(sandbox, email))?.status;

/** As a person does by the link in a mail; the sandbox takes two seconds. */
async function unsubscribe(sandbox: Sandbox, email: string): Promise<void> {
  const subscription = await found(sandbox, email);
  const answer = await sandbox.fetch(`http://sandbox.test/v2/publications/${publicationId}/subscriptions`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKeys.workspace}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subscription_ids: [subscription?.id], new_status: 'inactive' }),
  });
  expect(answer.status).toBe(200);
}
