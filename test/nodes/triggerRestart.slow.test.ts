/**
 * Restarts of n8n lose no change: random histories of a publication, polled by a model of n8n in each of its modes. The
 * model saves exactly what n8n 2.40 saves (decision 0015). `TEST_SEED` repeats a run.
 */
import type { Client } from '@newsletter-kit/core';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import * as fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadBundle, type Bundle, type Item } from './bundle.ts';
import { clientOf, itemlessContext } from './context.ts';

/**
 * - `memory`: polls in the process that activated the workflow; their state is saved with each report
 * - `scheduler`: n8n's durable scheduler: every poll starts from the saved state
 * - `cursors`: the scheduler with durable cursors: the state of every poll is saved, but not that of an activation
 */
type Mode = 'memory' | 'scheduler' | 'cursors';
const modes: readonly Mode[] = ['memory', 'scheduler', 'cursors'];
const events = [
  'subscriptionCreated',
  'subscriptionBecameActive',
  'subscriptionUnsubscribed',
  'subscriptionStatusChanged',
  'subscriptionUpdated',
] as const;
type Event = (typeof events)[number];

interface StaticData extends Record<string, unknown> {
  node: Record<string, unknown>;
  global: Record<string, unknown>;
}

let bundle: Bundle;
beforeAll(async () => {
  bundle = await loadBundle();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.parse('2026-11-20T10:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** The items of an execution; null where n8n saved nothing, because it did not poll or was killed after the poll. */
type Executed = readonly Item[] | null;

type Activation = 'init' | 'activate' | 'update';
type Poll = (
  staticData: Record<string, unknown>,
  activation: Activation,
) => Promise<readonly (readonly Item[])[] | null>;

/** A model of n8n's handling of a polling node's static data. */
class ModelOfN8n {
  /** The static data in the database. */
  #saved = '{"node":{},"global":{}}';
  #cursor: string | null = null;
  /** The static data in the running process. */
  #live: StaticData | null = null;
  #activation: Activation = 'activate';
  /** Executions without items. */
  empty = 0;
  readonly #mode: Mode;
  readonly #poll: Poll;

  constructor(mode: Mode, poll: Poll) {
    this.#mode = mode;
    this.#poll = poll;
  }

  /** @param killed - whether n8n is killed after this poll, before it saves the execution */
  activate(killed = false, activation: Activation = 'update'): Promise<Executed> {
    this.#activation = activation;
    this.#live = JSON.parse(this.#saved) as StaticData;
    this.#cursor ??= this.#mode === 'cursors' ? JSON.stringify(this.#live.node) : null;
    return this.#run(this.#live, true, killed);
  }

  tick(): Promise<Executed> {
    if (this.#mode !== 'memory' || this.#live === null) this.#live = JSON.parse(this.#saved) as StaticData;
    return this.#run(this.#live, false);
  }

  /** Only polls in memory have to be activated again: the jobs of the scheduler are in the database. */
  async restart(): Promise<Executed> {
    this.#live = null;
    return this.#mode === 'memory' ? this.activate(false, 'init') : null;
  }

  async #run(workflow: StaticData, activates: boolean, killed = false): Promise<Executed> {
    vi.advanceTimersByTime(60_000);
    const node = this.#cursor === null ? workflow.node : (JSON.parse(this.#cursor) as StaticData['node']);
    const given = await this.#poll(
      { 'node:Newsletter': node, global: workflow.global },
      activates || this.#mode === 'memory' ? this.#activation : 'update',
    );
    if (given !== null || activates) this.#saved = JSON.stringify(workflow);
    // Durable cursors are saved with the execution, after the static data of the workflow.
    if (killed && this.#mode === 'cursors') return null;
    if (this.#cursor !== null && (given !== null || !activates)) this.#cursor = JSON.stringify(node);
    const items = given?.[0] ?? [];
    if (given !== null && items.length === 0) this.empty += 1;
    return items;
  }
}

interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly tier: string;
}

let worlds = 0;

/** A publication, the trigger in n8n, and a consumer of its items. */
class World {
  readonly sandbox: Sandbox;
  readonly api: Client;
  readonly n8n: ModelOfN8n;
  readonly problems: string[] = [];
  readonly #event: Event;
  readonly #believed = new Map<string, Subscription>();
  /** Per subscription: how often its condition ended, and was reported; reports exceed endings by one at most. */
  readonly #left = new Map<string, number>();
  #now = Date.parse('2026-11-20T10:00:00Z');
  #created = 0;
  #unseen = false;

  constructor(mode: Mode, event: Event, size: number) {
    this.#event = event;
    this.sandbox = createSandbox({ seed: 'demo', seedSize: size, profile: 'unlimited', now: () => this.#now });
    const { sandbox } = this;
    this.api = clientOf(sandbox);
    const parameters = { events: [event], changes: ['tier'], expand: [], output: 'raw', options: { pages: 2 } };
    const workflowId = `${(worlds += 1)}`;
    this.n8n = new ModelOfN8n(mode, (staticData, activation) =>
      bundle.trigger.poll.call(itemlessContext({ sandbox, staticData, activation, workflowId, parameters })),
    );
  }

  /** Newest first. */
  async all(): Promise<readonly Subscription[]> {
    const found: Subscription[] = [];
    for await (const { id, status, subscription_tier: tier } of this.api.subscriptions.list({
      order_by: 'created',
      direction: 'desc',
      limit: 100,
    }))
      found.push({ id, status: String(status), tier: tier ?? '' });
    return found;
  }

  /**
   * Activates the trigger: the current subscriptions are the baseline.
   *
   * @param cut - number of the scan's request that the service refuses, so that later polls read the rest; 0 for none
   */
  async activate(cut: number): Promise<void> {
    // After the requests for the size and the newest subscriptions.
    if (cut > 0)
      this.sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 429, retryAfter: 120 }, nth: cut + 2 });
    await this.n8n.activate(false, 'activate');
    this.sandbox.faults.clear();
    // As long as the service asked for, polls send nothing.
    if (cut > 0) vi.advanceTimersByTime(120_000);
    for (const each of await this.all()) this.#believed.set(each.id, each);
  }

  async create(): Promise<void> {
    this.#now += 1_000;
    this.#unseen = true;
    await this.api.subscriptions.create({
      email: `new.${(this.#created += 1)}@example.com`,
      double_opt_override: 'on',
    });
  }

  async change(at: number, what: 'status' | 'tier'): Promise<void> {
    const list = await this.all();
    const one = list[at % list.length];
    if (one === undefined) return;
    if (what === 'status') {
      const to = one.status === 'active' ? 'inactive' : 'active';
      if (one.status === this.#condition) this.#left.set(one.id, (this.#left.get(one.id) ?? 0) + 1);
      await this.api.subscriptions.updateStatus({ subscription_ids: [one.id], new_status: to });
    } else {
      const tier = one.tier === 'premium' ? 'free' : 'premium';
      await this.api.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: one.id, tier }] });
    }
    this.#now += 60_000;
  }

  async hear(executed: Promise<Executed>): Promise<void> {
    const items = await executed;
    if (items === null) return;
    for (const { json } of items) this.#take(json as never);
    // The first reading of a new subscription is its baseline.
    const compares = this.#event === 'subscriptionStatusChanged' || this.#event === 'subscriptionUpdated';
    if (!compares || !this.#unseen) return;
    this.#unseen = false;
    for (const each of await this.all()) if (!this.#believed.has(each.id)) this.#believed.set(each.id, each);
  }

  /** Changes that were not reported to the consumer. */
  async missed(): Promise<string[]> {
    return (await this.all())
      .filter((one) => !this.#isKnown(one))
      .map((one) => `missed: ${JSON.stringify(one)}, believed ${JSON.stringify(this.#believed.get(one.id))}`);
  }

  get #condition(): string {
    return this.#event === 'subscriptionBecameActive' ? 'active' : 'inactive';
  }

  #isKnown(one: Subscription): boolean {
    const believed = this.#believed.get(one.id);
    if (this.#event === 'subscriptionCreated') return believed !== undefined;
    if (this.#event === 'subscriptionStatusChanged') return believed?.status === one.status;
    if (this.#event === 'subscriptionUpdated') return believed?.tier === one.tier;
    return one.status !== this.#condition || believed?.status === this.#condition;
  }

  #take(item: Subscription & { readonly subscription_tier: string; readonly previous_status?: string | null }): void {
    const { id, status, subscription_tier: tier, previous_status: from } = item;
    const believed = this.#believed.get(id);
    const twice = {
      subscriptionCreated: believed !== undefined,
      subscriptionStatusChanged: believed?.status !== from || status === from,
      subscriptionUpdated: believed?.tier === tier,
      subscriptionBecameActive: believed?.status === 'active' && !this.#hasLeft(id),
      subscriptionUnsubscribed: believed?.status === 'inactive' && !this.#hasLeft(id),
    }[this.#event];
    if (twice) this.problems.push(`told ${JSON.stringify(item)}, believed ${JSON.stringify(believed)}`);
    this.#believed.set(id, { id, status, tier });
  }

  #hasLeft(id: string): boolean {
    const times = this.#left.get(id) ?? 0;
    this.#left.set(id, times - 1);
    return times > 0;
  }
}

/** A place among the newest, or anywhere. */
const place = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.nat().map((at) => at * 7919),
);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('status' as const, 'tier' as const), at: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tick' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'republish' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('killed' as const),
      activation: fc.constantFrom('activate' as const, 'update' as const),
    }),
  },
);

describe.each(modes)('the trigger polled by the %s of n8n', (mode) => {
  it.each(events)(
    'reports every lasting %s exactly once, across restarts at any time',
    async (event) => {
      const history = fc.record({
        cut: fc.integer({ min: 0, max: 4 }),
        steps: fc.array(step, { maxLength: 16, size: 'max' }),
      });
      await fc.assert(
        fc.asyncProperty(history, async ({ cut, steps }) => {
          const world = new World(mode, event, 250);
          const { n8n } = world;
          try {
            await world.activate(cut);
            // The rest of the list.
            for (let ticks = 0; ticks < (cut > 0 ? 4 : 0); ticks += 1) expect(await n8n.tick()).toEqual([]);
            for (const happening of steps) {
              if (happening.kind === 'create') await world.create();
              else if (happening.kind === 'tick') await world.hear(n8n.tick());
              else if (happening.kind === 'restart') await world.hear(n8n.restart());
              else if (happening.kind === 'republish') await world.hear(n8n.activate());
              // Without durable cursors n8n saves the state before the execution, which no node can make up for.
              else if (happening.kind === 'killed')
                await world.hear(n8n.activate(mode === 'cursors', happening.activation));
              else if ('at' in happening) await world.change(happening.at, happening.kind);
            }
            // As many polls as a scan of the whole list takes, where only one in ten is saved.
            for (let polls = 0; polls < (mode === 'scheduler' ? 60 : 12); polls += 1) await world.hear(n8n.tick());
            expect([...world.problems, ...(await world.missed())]).toEqual([]);
          } finally {
            world.sandbox.close();
          }
        }),
        { numRuns: 8 },
      );
    },
    120_000,
  );

  it.each([
    { what: 'a subscription that a poll after the activation had read', cut: 2, fresh: false },
    { what: 'a new subscription that a poll had reported', cut: 0, fresh: true },
  ])('reports a change of $what that was made while n8n was down', async ({ cut, fresh }) => {
    const world = new World(mode, 'subscriptionStatusChanged', 250);
    try {
      await world.activate(cut);
      if (fresh) await world.create();
      for (let polls = 0; polls < 2; polls += 1) await world.hear(world.n8n.tick());
      expect(world.n8n.empty).toBeGreaterThan(0);
      await world.change(fresh ? 0 : 140, 'status');
      await world.hear(world.n8n.restart());
      for (let polls = 0; polls < (mode === 'scheduler' ? 60 : 6); polls += 1) await world.hear(world.n8n.tick());
      expect([...world.problems, ...(await world.missed())]).toEqual([]);
    } finally {
      world.sandbox.close();
    }
  });

  // The activation itself saves no cursor.
  it.runIf(mode === 'cursors').each([
    { how: 'right after the activation', activation: 'activate', ticks: 0 },
    { how: 'right after a change of the workflow', activation: 'update', ticks: 0 },
    { how: 'after a poll in between', activation: 'activate', ticks: 1 },
  ] as const)('reports the events of a poll after which n8n was killed, $how', async ({ activation, ticks }) => {
    const world = new World(mode, 'subscriptionCreated', 50);
    try {
      await world.activate(0);
      for (let polls = 0; polls < ticks; polls += 1) expect(await world.n8n.tick()).toEqual([]);
      await world.create();
      for (let kills = 0; kills < 2; kills += 1) expect(await world.n8n.activate(true, activation)).toBeNull();
      for (let polls = 0; polls < 2; polls += 1) await world.hear(world.n8n.activate(false, activation));
      expect([...world.problems, ...(await world.missed())]).toEqual([]);
    } finally {
      world.sandbox.close();
    }
  });

  // Only the scheduler loses the position in the list unless it is saved, which happens every ten minutes.
  it('starts no execution without items where the activation read the whole list and nothing changes', async () => {
    const world = new World(mode, 'subscriptionStatusChanged', 50);
    try {
      await world.activate(0);
      for (let polls = 0; polls < 30; polls += 1) expect(await world.n8n.tick()).toEqual([]);
      expect(world.n8n.empty).toBeLessThanOrEqual(mode === 'scheduler' ? 3 : 0);
    } finally {
      world.sandbox.close();
    }
  });
});
