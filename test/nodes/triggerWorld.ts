/** A sandbox with the trigger of the bundled package: its polls, its stored state, and changes of subscriptions. */
import type { Client } from '@newsletter-kit/core';
import { createSandbox, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { loadBundle, type Bundle, type Item } from './bundle.ts';
import { clientOf, itemlessContext, type Run } from './context.ts';

/** Creates the world of a file of tests; called once at its top. */
export function triggerWorld(): TriggerWorld {
  const world = new TriggerWorld();
  beforeAll(() => world.open());
  beforeEach(() => world.reset());
  afterAll(() => world.close());
  return world;
}

/** Loads the package, and opens a publication for its trigger, outside of tests. */
export async function openTriggerWorld(): Promise<TriggerWorld> {
  const world = new TriggerWorld();
  await world.open();
  return world;
}

/** What the polls of a test use and change. */
export class TriggerWorld {
  /** Time of the sandbox, in milliseconds since the Unix epoch. */
  now = Date.parse('2026-11-20T10:00:00Z');
  /** Static data of the node and the workflow. */
  kept: Record<string, unknown> = {};
  sandbox: Sandbox;
  #bundle: Bundle | undefined;
  /** The memory of the process belongs to a workflow. */
  #workflowId = crypto.randomUUID();

  constructor() {
    this.sandbox = this.#open(0);
  }

  async open(): Promise<void> {
    this.#bundle = await loadBundle();
  }

  /** A fresh publication, and a trigger without stored state. */
  reset(size = 0): void {
    this.sandbox.close();
    this.now = Date.parse('2026-11-20T10:00:00Z');
    this.kept = {};
    this.sandbox = this.#open(size);
    this.restart();
  }

  /** Starts n8n anew: the process has forgotten the trigger. */
  restart(): void {
    this.#workflowId = crypto.randomUUID();
  }

  close(): void {
    this.sandbox.close();
  }

  get api(): Client {
    return clientOf(this.sandbox);
  }

  async pollItems(events: string | readonly string[], more: Partial<Run> = {}): Promise<readonly Item[] | null> {
    return this.pollWith(this.context(events, more));
  }

  /** The context of an activation, with which n8n polls again and again. */
  context(events: string | readonly string[], more: Partial<Run> = {}): unknown {
    const parameters = { events: [events].flat(), ...more.parameters };
    return itemlessContext({
      sandbox: this.sandbox,
      staticData: this.kept,
      workflowId: this.#workflowId,
      ...more,
      parameters,
    });
  }

  async pollWith(context: unknown): Promise<readonly Item[] | null> {
    const result = await this.#bundle?.trigger.poll.call(context);
    return result ? (result[0] ?? []) : null;
  }

  async poll(
    events: string | readonly string[] = 'subscriptionCreated',
    more: Partial<Run> = {},
  ): Promise<string[] | null> {
    return (await this.pollItems(events, more))?.map(({ json }) => String(json['email'])) ?? null;
  }

  async subscribe(...emails: readonly string[]): Promise<string[]> {
    const { subscriptions } = this.api;
    const ids: string[] = [];
    for (const email of emails) ids.push((await subscriptions.create({ email, double_opt_override: 'off' })).data.id);
    return ids;
  }

  /** Changes one subscription, and completes the job. */
  async change(id: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
    const { data } = await this.api.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: id, ...changes }] });
    this.now += 60_000;
    const job = await this.api.bulkSubscriptionUpdates.get({ id: String(data.subscription_update_id) });
    expect(job.data.status).toMatch(/^complete/);
  }

  async idOf(email: string): Promise<string> {
    const { items } = await this.api.subscriptions.list({ email });
    return items[0]?.id ?? '';
  }

  /** The static data of node and workflow as one text. */
  keptText(): string {
    return JSON.stringify(this.kept);
  }

  /** A copy of the static data, as n8n stores it. */
  snapshot(): Record<string, unknown> {
    return JSON.parse(this.keptText()) as Record<string, unknown>;
  }

  async requestsOf(work: () => Promise<unknown>): Promise<number> {
    const before = this.sandbox.requests().length;
    await work();
    return this.sandbox.requests().length - before;
  }

  #open(size: number): Sandbox {
    return createSandbox({
      seed: 'demo',
      ...(size > 0 && { seedSize: size }),
      profile: 'unlimited',
      now: () => this.now,
    });
  }
}
