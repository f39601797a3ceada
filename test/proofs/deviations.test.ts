/**
 * Every program of this repository before a service that differs in one field: each field of every answer that the
 * program reads, left out, null, of another type, or wrapped. Only the fields of the table end a program; every other
 * is given as it came and told once. A report of a service that differs becomes a row here.
 */
import { createClient, type Client, type Deviation } from '@newsletter-kit/core';
import type { OperationId } from '@newsletter-kit/core/contract';
import { awaitUpdate, importSubscriptions, listCustomFields, UpdatePendingError } from '@newsletter-kit/core/import';
import { applySync, planSync, startSync } from '@newsletter-kit/core/sync';
import { watchSubscriptions } from '@newsletter-kit/core/watch';
import { createSandbox, deviate, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { deviationsOf } from '../support/answer-deviations.ts';
import { describe, expect, it } from 'vitest';
import { columnsOf, csv } from '../../packages/cli/src/commands/export/columns.ts';
import { newSignup } from '../../packages/relay/test/new-signup.ts';
import { deliveryParts } from '../../packages/relay/test/delivery/parts.ts';
import { createSingleDelivery } from '../../packages/relay/src/delivery/single-delivery.ts';
import { createVirtualClock, virtualHost, type Answering, type VirtualClock } from '../clock/virtual.ts';

/** What a program works with: a service that may differ. */
interface World {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  /** Answers for the service. */
  readonly answering: Answering;
  readonly told: Deviation[];
  readonly client: Client;
}

interface Program {
  readonly run: (world: World) => Promise<void>;
  /**
   * Fields that end the program, by operation; `data` is one in every answer. Whoever adds a field says for whom it is
   * needed.
   */
  readonly needs?: Readonly<Partial<Record<OperationId, readonly string[]>>>;
  /** How many changes there are, so that none gets lost unnoticed. */
  readonly changes: number;
  /** Default `empty`, with three subscriptions. */
  readonly seed?: 'demo';
}

/** Fields that say whether a list goes on. Without them it is whole or ends with an error: `paging-fields.test.ts`. */
const paging = new Set(['limit', 'has_more', 'next_cursor', 'page', 'total_results', 'total_pages']);

const emails = ['ada@example.com', 'grace@example.com', 'jean@example.com'];

async function openWorld({
  seed = 'empty',
}: {
  readonly seed?: 'empty' | 'demo';
}): Promise<Omit<World, 'client' | 'told'>> {
  const clock = createVirtualClock();
  const sandbox = createSandbox({ seed, profile: 'unlimited', now: () => clock.now() });
  const client = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: 'sandbox-key',
    publicationId,
    fetch: sandbox.fetch,
  });
  await client.customFields.create({ kind: 'string', display: 'City' });
  const custom_fields = [{ name: 'City', value: 'Turin' }];
  for (const email of emails) await client.subscriptions.create({ email, double_opt_override: 'off', custom_fields });
  await clock.runUntil(clock.now() + 120_000);
  return { clock, sandbox, answering: (request) => sandbox.fetch(request) };
}

/** Runs a program once, with answers changed by `change`. */
async function runWith(
  program: Program,
  base: Omit<World, 'client' | 'told'>,
  change: (operation: string | null, body: unknown) => unknown,
): Promise<{ readonly told: readonly Deviation[]; readonly error: unknown }> {
  const { clock, sandbox } = base;
  const told: Deviation[] = [];
  const answering: Answering = async (request) => {
    const answer = await sandbox.fetch(request);
    const { operation = null } = sandbox.requests().at(-1) ?? {};
    const text = await answer.text();
    if (!answer.ok || !text.startsWith('{')) return new Response(text || null, answer);
    return new Response(JSON.stringify(change(operation, JSON.parse(text))), answer);
  };
  const client = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: 'sandbox-key',
    publicationId,
    host: virtualHost(clock, answering),
    retry: false,
    pacer: false,
    onDeviation: (deviation) => told.push(deviation),
  });
  try {
    await clock.run(program.run({ ...base, answering, client, told }));
    return { told, error: undefined };
  } catch (error) {
    return { told, error };
  }
}

/** Enough subscriptions for a program, and no more: each is changed hundreds of times. */
const few = { limit: 3, direction: 'desc', expand: ['stats', 'custom_fields', 'tags', 'referrals'] } as const;

const direct = { baseUrl: 'http://sandbox.test/v2', token: 'sandbox-key', publicationId } as const;

async function firstOf(list: AsyncIterable<{ readonly id: string }>): Promise<string> {
  for await (const { id } of list) return id;
  return '';
}

/** Ids of the demo's records, read from a service that does not differ. */
async function demo({ sandbox }: World): Promise<{ readonly automationId: string; readonly customField: string }> {
  const { automations, customFields } = createClient({ ...direct, fetch: sandbox.fetch });
  const { items } = await automations.list();
  const automationId = items.find(({ trigger_events }) => trigger_events?.includes('api'))?.id ?? '';
  return { automationId, customField: await firstOf(customFields.list()) };
}

type Demo = Awaited<ReturnType<typeof demo>>;

/** Calls of the client, each with the number of changes of its answer. */
const reads: Readonly<
  Record<string, { readonly changes: number; readonly read: (client: Client, demo: Demo) => PromiseLike<unknown> }>
> = {
  'subscriptions.list': { changes: 120, read: (client) => client.subscriptions.list(few) },
  'automations.list': { changes: 48, read: (client) => client.automations.list({ limit: 3 }) },
  'automations.listEmails': {
    changes: 124,
    read: (client, ids) => client.automations.listEmails({ automationId: ids.automationId }),
  },
  'journeys.list': {
    changes: 52,
    read: (client, ids) => client.journeys.list({ automationId: ids.automationId, limit: 3 }),
  },
  'authors.list': { changes: 56, read: (client) => client.authors.list() },
  'complimentaryAccess.list': {
    changes: 72,
    read: (client) => client.complimentaryAccess.list({ expand: ['tier', 'stats'] }),
  },
  'conditionSets.list': { changes: 44, read: (client) => client.conditionSets.list() },
  'customFields.list': { changes: 40, read: (client) => client.customFields.list() },
  'publicationFields.list': { changes: 68, read: (client) => client.publicationFields.list({ limit: 3 }) },
  'publications.list': { changes: 44, read: (client) => client.publications.list() },
  'advertisementOpportunities.list': { changes: 36, read: (client) => client.advertisementOpportunities.list() },
  'deletionRequests.list': { changes: 16, read: (client) => client.deletionRequests.list() },
  'automations.get': {
    changes: 92,
    read: (client, ids) => client.automations.get({ automationId: ids.automationId, expand: ['stats'] }),
  },
  'customFields.get': { changes: 20, read: (client, { customField: id }) => client.customFields.get({ id }) },
  'subscriptions.create': {
    changes: 76,
    read: (client) =>
      client.subscriptions.create({ email: emails[0] ?? '', custom_fields: [{ name: 'Nope', value: 1 }] }),
  },
  'subscriptions.bulkCreate': {
    changes: 8,
    read: (client) => client.subscriptions.bulkCreate({ subscriptions: [{ email: emails[0] ?? '' }] }),
  },
};

const programs: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    Object.entries(reads).map(([id, { changes, read }]): [string, Program] => [
      `the client's ${id}`,
      { seed: 'demo', changes, run: async (world) => void (await read(world.client, await demo(world))) },
    ]),
  ),
  'the export': {
    changes: 160,
    async run({ client }) {
      const names = (await listCustomFields(client.engine)).map(({ display }) => display);
      const { items } = await client.subscriptions.list(few);
      const lines = csv(columnsOf(few.expand, names), names, false).lines(items);
      expect(lines.trimEnd().split('\r\n').length).toBeGreaterThanOrEqual(2);
    },
  },
  'the import': {
    changes: 48,
    async run({ client, clock }) {
      const { engine } = client;
      await listCustomFields(engine);
      const source = emails.map((email) => ({ email }));
      expect((await importSubscriptions({ engine, source })).accepted).toBe(3);
      await clock.sleep(1);
    },
  },
  'a bulk update that is waited for': {
    changes: 52,
    needs: { 'subscriptions.bulkUpdate': ['data.subscription_update_id'] },
    async run({ client, sandbox }) {
      const id = await firstOf(createClient({ ...direct, fetch: sandbox.fetch }).subscriptions.list({ limit: 1 }));
      const { data } = await client.subscriptions.bulkUpdate({
        subscriptions: [{ subscription_id: id, tier: 'free' }],
      });
      if (!data.subscription_update_id) return;
      await awaitUpdate({ engine: client.engine, id: data.subscription_update_id, items: [id] }).catch(
        // A job that never says that it has ended is given up after ten minutes, which its error says.
        (error: unknown) => (error instanceof UpdatePendingError ? undefined : Promise.reject(error)),
      );
    },
  },
  'the watch': {
    changes: 96,
    async run({ client, sandbox, clock }) {
      const watch = watchSubscriptions({
        engine: client.engine,
        events: ['created', 'updated', 'unsubscribed', 'removed'],
        customFields: 'all',
        pages: 20,
      });
      await watch.poll();
      const plain = createClient({ ...direct, fetch: sandbox.fetch });
      const email = `new-${clock.now()}@example.com`;
      await plain.subscriptions.create({ email, double_opt_override: 'off' });
      await clock.sleep(1000);
      for (let poll = 0; poll < 3; poll += 1) {
        const { events, interruption } = await watch.poll();
        if (interruption instanceof Error) throw interruption;
        // What the service left out has not left.
        expect(events.filter(({ type }) => type === 'removed')).toEqual([]);
      }
    },
  },
  'the delivery of the relay': {
    changes: 76,
    run: ({ answering, told, clock }) =>
      // Its store works in real time.
      clock.during(async () => {
        const parts = deliveryParts(answering);
        const { store } = parts;
        const client = createClient({
          ...direct,
          retry: false,
          fetch: (url, init) => answering(new Request(url, init)),
          onDeviation: (deviation) => told.push(deviation),
        });
        for (const tried of [false, true]) {
          await store.accept(newSignup(`${tried}@example.com`, { receivedAt: parts.clock.now }));
          const [claimed] = await store.claim({ forms: ['default'], limit: 1, now: parts.clock.now });
          if (!claimed) throw new Error('The signup is due.');
          await createSingleDelivery({ ...parts.lane, client }).deliver({ ...claimed, tried });
        }
        const states = (await store.list({}, { limit: 9 })).map(({ state }) => state);
        if (states.some((state) => state !== 'delivered')) throw new Error(`Signups are ${states.join(', ')}.`);
      }),
  },
  'the sync': {
    changes: 136,
    async run({ client, clock }) {
      const { engine } = client;
      const mapping = {
        contact: { id: 'id', email: 'email', token: 'token' },
        fields: [{ newsletter: 'utm_source', contact: 'source', direction: 'to_contact' as const }],
      };
      const contacts = emails.map((email, id) => ({ id, email, token: null, source: null }));
      const plan = await planSync({ engine, mapping, contacts, state: startSync(), accept: true } as never);
      await applySync({ engine, plan });
      await clock.sleep(1);
    },
  },
};

/** Fields that are taken in any form, so that none is odd: values that people define, and times as numbers. */
const inAnyForm = /\.value$|_at$|error_log/;

describe.each(Object.entries(programs))('%s', (_, program) => {
  it('ends over no field that it does not need, and tells each once', async () => {
    const base = await openWorld(program);
    const answers = new Map<string, unknown>();
    const clean = await runWith(program, base, (operation, body) => {
      if (operation !== null && !answers.has(operation)) answers.set(operation, body);
      return body;
    });
    expect(clean).toEqual({ told: [], error: undefined });
    const changes = [...answers].flatMap(([operation, body]) => deviationsOf(operation, body));
    const outcomes = {
      changes: changes.length,
      ended: [] as string[],
      untold: [] as string[],
      toldTwice: [] as string[],
    };
    for (const deviation of changes) {
      const { operation, field, change } = deviation;
      const isNeeded =
        field === 'data' || paging.has(field) || (program.needs?.[operation as OperationId] ?? []).includes(field);
      const { told, error } = await runWith(program, base, (answering, body) =>
        answering === operation ? deviate(body, deviation) : body,
      );
      const what = `${operation} ${field} ${change}`;
      if (error !== undefined) {
        if (!isNeeded) outcomes.ended.push(`${what}: ${String(error)}`);
        continue;
      }
      const texts = told.map((each) => `${each.operation} ${each.field}`);
      if (new Set(texts).size < texts.length) outcomes.toldTwice.push(what);
      const isOdd = (change === 'retyped' || change === 'wrapped') && !isNeeded && !inAnyForm.test(field);
      if (isOdd && told.length === 0) outcomes.untold.push(what);
    }
    base.sandbox.close();
    expect(outcomes).toEqual({ changes: program.changes, ended: [], untold: [], toldTwice: [] });
  });
});
