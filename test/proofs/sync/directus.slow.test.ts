/**
 * A real Directus that refuses for a day, as a CRM to which nobody has adapted the sync: by HTTP alone, an hourly run.
 * Installs Directus on its first run.
 */
import { createClient, createFetchHost, type Client } from '@newsletter-kit/core';
import {
  applySync,
  planSync,
  readAnswer,
  startSync,
  stateAfter,
  type RefusalReason,
  type SyncMapping,
  type SyncPlan,
  type SyncState,
} from '@newsletter-kit/core/sync';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { timeOf } from '../../clock/sandbox-time.ts';
import { startDirectus, type Answer, type Contact, type Directus } from './directus-crm.ts';

let sandbox: Sandbox;
let client: Client;
let directus: Directus;
let mapping: SyncMapping;
let state: SyncState;

beforeEach(async () => {
  directus = await startDirectus();
  sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  client = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: apiKeys.workspace,
    publicationId,
    host: {
      ...createFetchHost({ fetch: sandbox.fetch }),
      ...timeOf(sandbox),
    },
  });
  const { data: city } = await client.customFields.create({ kind: 'string', display: 'City' });
  mapping = {
    fields: [
      { newsletter: city.id, contact: 'city', direction: 'both', conflict: 'crm' },
      { newsletter: 'status', contact: 'newsletter_status', direction: 'to_contact' },
    ],
    contact: { token: 'sync_token' },
    optOut: { contact: 'do_not_mail' },
  };
  state = startSync();
}, 600_000);
afterEach(async () => {
  sandbox.close();
  await directus.stop();
});

interface Ran {
  readonly plan: SyncPlan;
  readonly writes: number;
  /** Why Directus refused, each reason once. */
  readonly refused: readonly RefusalReason[];
}

/** An hour later, a run: reads both sides, writes the newsletter's changes, then each contact. */
async function run(): Promise<Ran> {
  sandbox.clock.advance('PT1H');
  const { engine } = client;
  const plan = await planSync({ engine, mapping, state, contacts: await directus.contacts() });
  const applied = await applySync({ engine, plan });
  const answers: Answer[] = [];
  for (const { id, changes, token } of applied.contactUpdates)
    answers.push(await directus.update(id, { ...changes, sync_token: token }));
  for (const { changes } of applied.contactCreates) answers.push(await directus.create(changes));
  state = stateAfter(plan.state, applied);
  const refused = answers.flatMap((answer) => readAnswer(answer, sandbox.clock.now()).refused);
  return { plan, writes: answers.length, refused: [...new Set(refused.map(({ reason }) => reason))] };
}

async function subscribe(name: string): Promise<void> {
  await client.subscriptions.create({
    email: `${name}@example.com`,
    double_opt_override: 'off',
    custom_fields: [{ name: 'City', value: 'Bonn' }],
  });
}

const subscriptionOf = async (name: string) => {
  const { items } = await client.subscriptions.list({ email: `${name}@example.com`, expand: ['custom_fields'] });
  return { id: String(items[0]?.id), status: items[0]?.status, city: items[0]?.custom_fields?.[0]?.value };
};

async function leave(name: string): Promise<void> {
  const { id: subscription_id } = await subscriptionOf(name);
  await client.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id, unsubscribe: true }] });
  sandbox.clock.advance('PT1M');
  sandbox.settle();
}

async function contactOf(name: string): Promise<Contact | undefined> {
  return (await directus.contacts()).find(({ email }) => email === `${name}@example.com`);
}

/** What both sides show of a person: status, city, opt-out. */
async function shown(name: string): Promise<readonly unknown[]> {
  const [{ status, city }, contact] = [await subscriptionOf(name), await contactOf(name)];
  return [status, contact?.newsletter_status, city, contact?.city, contact?.do_not_mail];
}

const inStep = (city: string): readonly unknown[] => ['active', 'active', city, city, false];

it('is in step in the run after a day without rights, and hears every no', { timeout: 900_000 }, async () => {
  for (const name of ['ada', 'bob', 'cy']) await subscribe(name);
  // Each contact is created, and gets its id into its token.
  for (const writes of [3, 3, 0]) expect(await run()).toMatchObject({ writes, refused: [] });

  for (const action of ['create', 'update'] as const) await directus.revoke(action);
  for (let hour = 1; hour <= 24; hour += 1) {
    await subscribe(`hour-${hour}`);
    if (hour === 5) await leave('bob');
    if (hour === 9) await directus.edit((await contactOf('cy'))?.id ?? '', { do_not_mail: true });
    if (hour === 12) await directus.edit((await contactOf('ada'))?.id ?? '', { city: 'Ulm' });
    const { plan, writes, refused } = await run();
    expect(plan.contactCreates, 'each run plans all').toHaveLength(hour);
    expect([writes >= hour, refused], 'Directus refuses').toEqual([true, ['access']]);
    const isOutage = plan.findings.some(({ code }) => code === 'crm_outage');
    if (hour > 4) expect(isOutage, 'one finding names the outage').toBe(true);
    // What was said in the CRM needs nothing of it.
    if (hour >= 9) expect((await subscriptionOf('cy')).status).toBe('inactive');
    if (hour >= 12) expect((await subscriptionOf('ada')).city).toBe('Ulm');
  }

  for (const action of ['create', 'update'] as const) await directus.grant(action);
  expect((await run()).refused).toEqual([]);
  expect(await directus.contacts()).toHaveLength(27);
  expect(await shown('ada')).toEqual(inStep('Ulm'));
  expect(await shown('bob')).toEqual(['inactive', 'inactive', 'Bonn', 'Bonn', true]);
  expect(await shown('cy')).toEqual(['inactive', 'inactive', 'Bonn', 'Bonn', true]);
  for (let hour = 1; hour <= 24; hour += 1) expect(await shown(`hour-${hour}`)).toEqual(inStep('Bonn'));
  for (const writes of [24, 0]) expect(await run()).toMatchObject({ writes, plan: { findings: [] } });
});

it('carries every no on a day on which each creation lacks a required value', { timeout: 900_000 }, async () => {
  for (const name of ['ada', 'bob']) await subscribe(name);
  await run();
  for (const { id } of await directus.contacts()) await directus.edit(id, { company: 'Acme' });
  await directus.requireCompany(true);
  for (let hour = 1; hour <= 24; hour += 1) {
    await subscribe(`hour-${hour}`);
    if (hour === 3) await leave('bob');
    const { refused } = await run();
    expect(refused).toEqual(['value']);
    if (hour >= 3) expect(await shown('bob')).toEqual(['inactive', 'inactive', 'Bonn', 'Bonn', true]);
  }
  await directus.requireCompany(false);
  expect((await run()).refused).toEqual([]);
  for (let hour = 1; hour <= 24; hour += 1) expect(await shown(`hour-${hour}`)).toEqual(inStep('Bonn'));
  for (const writes of [24, 0]) expect(await run()).toMatchObject({ writes, plan: { findings: [] } });
});
