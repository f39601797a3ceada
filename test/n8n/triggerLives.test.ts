/**
 * What the life of a trigger brings, with all of its events in one workflow: each event is reported exactly once. A row
 * is what happened to somebody's n8n.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@newsletter-kit/core';
import type { SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { packageFolder } from '../../scripts/n8n/pack.ts';
import { triggerType } from './harness/nodes.ts';
import { type OwnN8n, startOwnN8n } from './harness/own.ts';
import { test } from './harness/test.ts';
import { often, unscheduled, watchSubscriptions, type WatchingWorkflow } from './harness/watching.ts';

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

const everyEvent = [
  'subscriptionBecameActive',
  'subscriptionCreated',
  'subscriptionStatusChanged',
  'subscriptionUnsubscribed',
  'subscriptionUpdated',
];

/** One trigger, and what can happen to it. */
class Life {
  readonly own: OwnN8n;
  readonly sandbox: SandboxOnPort;
  readonly api: Client;
  readonly workflow: WatchingWorkflow;
  /** The events that the trigger watches for. */
  events: readonly string[] = everyEvent;
  /** The reports that are expected. */
  readonly expected: string[] = [];

  constructor(own: OwnN8n, sandbox: SandboxOnPort, api: Client, workflow: WatchingWorkflow) {
    this.own = own;
    this.sandbox = sandbox;
    this.api = api;
    this.workflow = workflow;
  }

  /** Creates the people to whom something will happen. */
  async prepare(...times: readonly string[]): Promise<void> {
    for (const time of times) {
      for (const who of ['leaves', 'upgraded']) await this.#create(`${who}.${time}@example.com`, 'off');
      await this.#create(`confirms.${time}@example.com`, 'on');
    }
    this.sandbox.clock.advance('PT1M');
  }

  /** All events happen: to a new subscriber, and to those who were prepared for this time. */
  async happens(time: string): Promise<void> {
    await this.subscribes(time);
    await this.changes(time);
  }

  async subscribes(time: string): Promise<void> {
    const email = `new.${time}@example.com`;
    await this.#create(email, 'off');
    this.sandbox.clock.advance('PT1M');
    this.#expect(email, 'subscriptionBecameActive', 'subscriptionCreated');
  }

  async changes(time: string): Promise<void> {
    const [leaves, confirms, upgraded] = ['leaves', 'confirms', 'upgraded'].map((who) => `${who}.${time}@example.com`);
    await this.#setStatus(leaves ?? '', 'inactive');
    await this.#setStatus(confirms ?? '', 'active');
    await this.api.subscriptions.bulkUpdate({
      subscriptions: [{ subscription_id: await this.#idOf(upgraded ?? ''), tier: 'premium' }],
    });
    this.sandbox.clock.advance('PT1M');
    this.#expect(leaves ?? '', 'subscriptionStatusChanged', 'subscriptionUnsubscribed');
    this.#expect(confirms ?? '', 'subscriptionStatusChanged', 'subscriptionBecameActive');
    this.#expect(upgraded ?? '', 'subscriptionUpdated');
  }

  /** What the trigger has reported of the prepared people and the new ones, sorted. */
  async reported(): Promise<string[]> {
    const items = await this.workflow.given();
    return items
      .filter(({ email }) => /^(?:new|leaves|confirms|upgraded)\./.test(String(email)))
      .map(({ email, event }) => `${String(email)} ${String(event)}`)
      .toSorted();
  }

  /** Waits until everything expected is reported, by executions that have ended. */
  async arrive(): Promise<void> {
    await expect
      .poll(async () => (await this.reported()).length, { interval: 500 })
      .toBeGreaterThanOrEqual(this.expected.length);
  }

  /** Waits for all reports, polls twice more, and compares. */
  async complete(): Promise<void> {
    await this.arrive();
    for (let times = 0; times < 2; times += 1) await this.workflow.poll();
    expect(await this.reported()).toEqual(this.expected.toSorted());
  }

  /** The service fails with this status until {@link Life.recover}. */
  outage(status: number): void {
    this.sandbox.faults.add({ effect: { status } });
  }

  recover(): void {
    this.sandbox.faults.clear();
  }

  /** 20 minutes pass, for n8n, which starts with the right time, and for the service. */
  async wait(): Promise<void> {
    await this.own.stop();
    await this.own.start();
    this.pass();
  }

  pass(): void {
    process.kill(this.own.pid() ?? 0, 'SIGUSR2');
    this.sandbox.clock.advance('PT20M');
  }

  /** Waits until the trigger has asked the service again. */
  async asked(): Promise<void> {
    const before = this.sandbox.requests().at(-1)?.n ?? 0;
    await expect.poll(() => this.sandbox.requests().at(-1)?.n ?? 0, { interval: 250 }).toBeGreaterThan(before);
  }

  /** Changes the node of the trigger, saves and publishes the workflow. */
  async edit(change: (node: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Promise<void> {
    await this.own.rest.change(this.workflow.id, ({ nodes, connections }) => {
      const [before] = nodes.filter(({ type }) => type === triggerType);
      const after = change(before ?? {});
      const { [String(before?.['name'])]: followers, ...others } = connections;
      return {
        nodes: nodes.map((node) => (node === before ? after : node)),
        connections: { ...others, [String(after['name'])]: followers },
      };
    });
    await this.workflow.activate();
  }

  async #create(email: string, double_opt_override: 'on' | 'off'): Promise<void> {
    await this.api.subscriptions.create({ email, double_opt_override });
  }

  async #setStatus(email: string, new_status: 'active' | 'inactive'): Promise<void> {
    await this.api.subscriptions.updateStatus({ subscription_ids: [await this.#idOf(email)], new_status });
    this.sandbox.clock.advance('PT1M');
  }

  async #idOf(email: string): Promise<string> {
    const { items } = await this.api.subscriptions.list({ email });
    return items[0]?.id ?? '';
  }

  #expect(email: string, ...names: readonly string[]): void {
    this.expected.push(...names.filter((name) => this.events.includes(name)).map((name) => `${email} ${name}`));
  }
}

interface LifeEvent {
  readonly what: string;
  /** Guards a change; the others run every night. */
  readonly decides?: true;
  /** Parameters of the trigger besides its events. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Its events at the beginning, where these are not all. */
  readonly events?: readonly string[];
  /** Whether the trigger is published before. */
  readonly published?: false;
  live(life: Life): Promise<void>;
}

function withParameters(node: Readonly<Record<string, unknown>>, more: object): Readonly<Record<string, unknown>> {
  return { ...node, parameters: { ...(node['parameters'] as object), ...more } };
}

const rows: readonly LifeEvent[] = [
  {
    what: 'n8n restarts while the service is away',
    decides: true,
    parameters: often,
    async live(life) {
      life.outage(503);
      await life.own.stop();
      await life.own.start();
      await life.asked();
      life.recover();
      await life.happens('b');
    },
  },
  {
    what: 'n8n is killed and starts twice while the service refuses the key',
    parameters: often,
    async live(life) {
      life.outage(401);
      for (let times = 0; times < 2; times += 1) {
        await life.own.kill();
        await life.own.start();
        await life.asked();
      }
      life.recover();
      await life.happens('b');
    },
  },
  {
    what: 'it is published again 20 minutes into an outage',
    async live(life) {
      life.outage(503);
      await life.workflow.poll();
      life.pass();
      await life.workflow.poll();
      const failed = (await life.workflow.executions()).filter(({ status }) => status === 'error');
      expect(failed).toMatchObject([
        { error: { description: expect.stringMatching(/This has lasted for 2\d minutes/) } },
      ]);
      life.recover();
      await life.happens('b');
      await life.workflow.poll();
    },
  },
  ...[
    { what: 'the service answers 429', effect: { status: 429, retryAfter: 120 } },
    { what: 'the quota is used up for half a minute', effect: { status: 429, retryAfter: 30 }, times: 1 },
    { what: 'the service answers 503', effect: { status: 503 }, decides: true as const },
    { what: 'the service does not answer', effect: { latency: 300_000 } },
  ].map(({ what, decides, ...fault }): LifeEvent => ({
    what: `it is published while ${what}`,
    ...(decides && { decides }),
    published: false,
    async live(life) {
      await life.wait();
      life.sandbox.faults.add(fault);
      await life.workflow.activate();
      life.recover();
      // Until then the service may have asked for no request.
      life.pass();
      await life.subscribes('b');
      await life.workflow.poll();
      await life.changes('b');
      await life.workflow.poll();
    },
  })),
  {
    what: 'the node is renamed',
    decides: true,
    async live(life) {
      await life.happens('b');
      await life.edit((node) => ({ ...node, name: 'Readers' }));
    },
  },
  {
    what: 'the node is renamed, and renamed back',
    async live(life) {
      await life.edit((node) => ({ ...node, name: 'Readers' }));
      await life.happens('b');
      await life.workflow.poll();
      await life.arrive();
      await life.edit((node) => ({ ...node, name: 'Subscribed' }));
    },
  },
  {
    what: 'a filter is added',
    async live(life) {
      await life.happens('b');
      await life.edit((node) => withParameters(node, { filters: { utm_channel: ['api', 'website', 'import'] } }));
    },
  },
  {
    what: 'an event is added',
    events: everyEvent.slice(1),
    async live(life) {
      await life.edit((node) => withParameters(node, { events: everyEvent }));
      life.events = everyEvent;
      await life.happens('b');
      await life.workflow.poll();
    },
  },
  {
    what: 'the credential is swapped',
    async live(life) {
      await life.happens('b');
      const credentials = await life.own.rest.newsletterCredentials(life.sandbox);
      await life.edit((node) => ({ ...node, credentials }));
    },
  },
  {
    what: 'the node is replaced by its copy',
    async live(life) {
      await life.happens('b');
      await life.edit((node) => ({ ...node, id: crypto.randomUUID() }));
    },
  },
  {
    what: 'an earlier version of the workflow is published again',
    async live(life) {
      const { versionId } = await life.own.rest.workflow(life.workflow.id);
      await life.edit((node) => ({ ...node, name: 'Readers', position: [0, 200] }));
      await life.happens('b');
      await life.workflow.poll();
      await life.arrive();
      await life.happens('c');
      await life.own.rest.activate(life.workflow.id, versionId);
      await life.workflow.poll();
    },
  },
  {
    what: 'the workflow is imported from the command line while n8n runs',
    async live(life) {
      const file = join(life.own.userFolder, 'workflow.json');
      await writeFile(file, JSON.stringify(await life.own.rest.workflow(life.workflow.id)));
      await life.happens('b');
      await life.own.importWorkflow(file);
      // n8n goes on with the trigger that it had before the import, until the workflow is unpublished.
      await life.workflow.activate();
      await life.workflow.poll();
    },
  },
  {
    what: 'the workflow is imported from an export that is two reports old, while n8n runs',
    async live(life) {
      const file = join(life.own.userFolder, 'export.json');
      await writeFile(file, JSON.stringify(await life.own.rest.workflow(life.workflow.id)));
      for (const subject of ['b', 'c'] as const) {
        await life.happens(subject);
        await life.workflow.poll();
        await life.arrive();
      }
      await life.workflow.poll();
      await life.own.importWorkflow(file);
      await life.workflow.activate();
      await life.workflow.poll();
    },
  },
  {
    what: 'n8n is killed right after a poll',
    parameters: often,
    async live(life) {
      await life.happens('b');
      await life.workflow.poll();
      await life.arrive();
      await life.own.kill();
      await life.own.start();
      await life.asked();
    },
  },
  {
    what: 'n8n is killed',
    parameters: often,
    async live(life) {
      await life.own.kill();
      await life.happens('b');
      await life.own.start();
    },
  },
  {
    what: 'the clock of n8n is set back by an hour',
    async live(life) {
      process.kill(life.own.pid() ?? 0, 'SIGWINCH');
      await life.happens('b');
      await life.workflow.poll();
    },
  },
  {
    what: 'n8n starts without the package, then with it again, and the workflow is published again',
    parameters: often,
    async live(life) {
      const folder = packageFolder(life.own.userFolder);
      const aside = join(life.own.userFolder, 'aside');
      await life.own.stop();
      await rename(folder, aside);
      await life.own.start();
      // n8n does not try it again by itself.
      await life.own.rest.publication(life.workflow.id, 'failed');
      await life.own.stop();
      await rename(aside, folder);
      await life.happens('b');
      await life.own.start();
      await life.workflow.activate();
    },
  },
  {
    what: 'n8n is off for a week',
    parameters: often,
    async live(life) {
      await life.own.stop();
      await life.happens('b');
      life.sandbox.clock.advance('P7D');
      await life.own.start();
    },
  },
];

const chosen = process.env['TRIGGER_LIVES'] === 'deciding' ? rows.filter(({ decides }) => decides) : rows;

describe('every event is reported once where', () => {
  let own: OwnN8n;
  beforeAll(async () => {
    own = await startOwnN8n({ NODE_OPTIONS: `--require=${join(import.meta.dirname, 'harness/clocks.cjs')}` });
  });
  afterAll(() => own.close());

  test.for(chosen)('$what', async (row, { sandboxOnPort, api }) => {
    const { parameters = unscheduled, events = everyEvent, published = true, live } = row;
    const workflow = await watchSubscriptions(own.rest, sandboxOnPort, { events, changes: ['tier'], ...parameters });
    const life = new Life(own, sandboxOnPort, api, workflow);
    life.events = events;
    await life.prepare('a', 'b', 'c', 'd');
    try {
      if (published) {
        await workflow.activate();
        await life.happens('a');
        await workflow.poll();
        await life.arrive();
      }
      await live(life);
      await life.complete();
      await life.happens('d');
      await workflow.poll();
      await life.complete();
    } finally {
      life.recover();
      await own.rest.deactivate(workflow.id);
    }
  });
});
