/** A run over the sandbox's API: pages in, bulk updates out, and what an answer that fails leaves behind. */
import { createClient, createFetchHost, type Client } from '@newsletter-kit/core';
import {
  applySync,
  planSync,
  recordOf,
  startSync,
  type AppliedSync,
  type PlanSyncOptions,
  type SyncMapping,
  type SyncPlan,
} from '@newsletter-kit/core/sync';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let sandbox: Sandbox;
let client: Client;
let mapping: SyncMapping;
let requests: string[];

beforeEach(async () => {
  sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  requests = [];
  const fetching = createFetchHost({ fetch: sandbox.fetch });
  client = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: apiKeys.workspace,
    publicationId,
    host: {
      ...fetching,
      send: (request) => {
        requests.push(`${request.method} ${new URL(request.url).pathname.split('/').slice(4).join('/')}`);
        return fetching.send(request);
      },
      now: () => sandbox.clock.now(),
      sleep: (ms) => {
        sandbox.clock.advance(ms);
        return Promise.resolve();
      },
    },
  });
  const { data: city } = await client.customFields.create({ kind: 'string', display: 'City' });
  mapping = {
    fields: [
      { newsletter: city.id, contact: 'properties.city', direction: 'both', conflict: 'crm' },
      { newsletter: 'status', contact: 'properties.newsletter_status', direction: 'to_contact' },
    ],
    contact: { email: 'properties.email', token: 'properties.sync_token' },
    optOut: { contact: 'properties.do_not_mail' },
  };
});
afterEach(() => sandbox.close());

interface Contact {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const contact = (id: string, email: string, city = ''): Contact => ({
  id,
  properties: { email, city, newsletter_status: '', do_not_mail: false, sync_token: '' },
});

/** A CRM that stores what a run gives it. */
function stored(contacts: readonly Contact[], { contactUpdates, contactCreates }: AppliedSync): Contact[] {
  const changed = contacts.map((one) => {
    const { changes = {}, token } = contactUpdates.find(({ id }) => id === one.id) ?? {};
    const paths = Object.entries({ ...changes, ...(token !== undefined && { 'properties.sync_token': token }) });
    return { id: one.id, properties: { ...one.properties, ...Object(recordOf(paths)['properties']) } };
  });
  const created = contactCreates.map(({ changes }, index) => ({
    id: `new-${index}`,
    properties: { do_not_mail: false, ...Object(recordOf(Object.entries(changes))['properties']) },
  }));
  return [...changed, ...created];
}

const plan = (contacts: readonly unknown[], more: Partial<PlanSyncOptions> = {}): Promise<SyncPlan> =>
  planSync({ engine: client.engine, mapping, contacts, state: startSync(), ...more });
const apply = (planned: SyncPlan): Promise<AppliedSync> => applySync({ engine: client.engine, plan: planned });
const cityOf = async (email: string): Promise<unknown> =>
  (await client.subscriptions.list({ email, expand: ['custom_fields'] })).items[0]?.custom_fields?.[0]?.value;

describe('a sync run', () => {
  it('brings both sides in step, and writes nothing the second time', async () => {
    for (const [email, city] of [
      ['ada@example.com', 'Bonn'],
      ['bob@example.com', ''],
      ['cy@example.com', 'Ulm'],
    ] as const)
      await client.subscriptions.create({
        email,
        double_opt_override: 'off',
        custom_fields: city ? [{ name: 'City', value: city }] : [],
      });
    const contacts = [contact('1', 'ADA@example.com'), contact('2', 'bob@example.com', 'Köln')];
    const first = await plan(contacts);
    expect(first.counts).toMatchObject({ pairs: 2, contactUpdates: 2, contactCreates: 1, subscriptionUpdates: 1 });
    const after = stored(contacts, await apply(first));
    expect(await cityOf('bob@example.com')).toBe('Köln');
    expect(
      after.map(({ properties }) => [properties['email'], properties['city'], properties['newsletter_status']]),
    ).toEqual([
      ['ADA@example.com', 'Bonn', 'active'],
      ['bob@example.com', 'Köln', 'active'],
      ['cy@example.com', 'Ulm', 'active'],
    ]);

    requests = [];
    const second = await plan(after, { state: first.state });
    const { contactUpdates, contactCreates, updated } = await apply(second);
    expect([contactUpdates, contactCreates, updated, second.findings]).toEqual([[], [], 0, []]);
    expect(requests).toEqual(['GET custom_fields', 'GET subscriptions']);
  });

  it('carries an opt-out and a leave, and activates nobody', async () => {
    await client.subscriptions.create({ email: 'ada@example.com', double_opt_override: 'off' });
    const { data: bob } = await client.subscriptions.create({ email: 'bob@example.com', double_opt_override: 'off' });
    let contacts = [contact('1', 'ada@example.com'), contact('2', 'bob@example.com')];
    const first = await plan(contacts);
    contacts = stored(contacts, await apply(first));

    await client.subscriptions.updateStatus({ subscription_ids: [bob.id], new_status: 'inactive' });
    sandbox.clock.advance('PT1M');
    const [ada, ...others] = contacts;
    if (!ada) throw new Error('The contact is missing.');
    contacts = [{ ...ada, properties: { ...ada.properties, do_not_mail: true } }, ...others];
    const second = await plan(contacts, { state: first.state });
    const applied = await apply(second);
    expect(applied.consent.map(({ saidBy, written }) => [saidBy, written?.side])).toEqual([
      ['crm', 'newsletter'],
      ['newsletter', 'crm'],
    ]);
    contacts = stored(contacts, applied);
    // The opt-out is cleared in the CRM: that subscribes nobody.
    contacts = contacts.map((one) => ({ ...one, properties: { ...one.properties, do_not_mail: false } }));
    await apply(await plan(contacts, { state: second.state }));
    const { items } = await client.subscriptions.list();
    expect(items.map(({ status }) => status)).toEqual(['inactive', 'inactive']);
  });

  it('leaves the token of a contact whose change the newsletter refused, and reports it', async () => {
    await client.subscriptions.create({ email: 'ada@example.com', double_opt_override: 'off' });
    const planned = await plan([contact('1', 'ada@example.com', 'Bonn'), contact('2', 'bob@example.com')]);
    const [pair] = planned.pairs;
    if (!pair) throw new Error('Nothing is planned.');
    // Its subscription is deleted between reading and writing.
    const gone = {
      ...pair,
      subscriptionWrites: [{ subscription_id: 'sub_00000000-0000-4000-8000-0000000000ff', unsubscribe: true as const }],
      contactWrites: pair.contactWrites.map((write) => ({ ...write, id: '9' })),
    };
    const applied = await apply({ ...planned, pairs: [pair, gone] });
    expect(applied.contactUpdates.map(({ id }) => id)).toEqual(['1']);
    expect(applied).toMatchObject({ updated: 1, failed: 1 });
    expect(applied.findings.filter(({ code }) => code === 'write_failed')).toMatchObject([
      { contactId: '9', side: 'newsletter', isNew: true },
    ]);
  });

  it('subscribes by double opt-in', async () => {
    mapping = { ...mapping, subscribe: 'with_confirmation' };
    const planned = await plan([contact('1', 'ada@example.com', 'Bonn')]);
    expect(await apply(planned)).toMatchObject({ created: 1, contactUpdates: [] });
    sandbox.clock.advance('PT1M');
    const { items } = await client.subscriptions.list({ expand: ['custom_fields'] });
    expect(items).toMatchObject([{ email: 'ada@example.com', status: 'pending', custom_fields: [{ value: 'Bonn' }] }]);
  });

  it('looks up the subscriptions of incoming contacts alone', async () => {
    for (const name of ['ada', 'bob', 'cy'])
      await client.subscriptions.create({ email: `${name}@example.com`, double_opt_override: 'off' });
    requests = [];
    const planned = await plan([contact('2', 'bob@example.com', 'Köln')], { scope: 'incoming' });
    expect(planned).toMatchObject({ counts: { subscriptions: 1, pairs: 1 }, contactCreates: [], state: startSync() });
    await apply(planned);
    expect(await cityOf('bob@example.com')).toBe('Köln');
    expect(requests.filter((request) => request === 'GET subscriptions')).toHaveLength(2);
  });

  it('plans nothing from half a list', async () => {
    for (let number = 0; number < 150; number += 1)
      await client.subscriptions.create({ email: `reader-${number}@example.com`, double_opt_override: 'off' });
    const failing = createClient({
      baseUrl: 'http://sandbox.test/v2',
      token: apiKeys.workspace,
      publicationId,
      retry: false,
      fetch: (url, init) =>
        new URL(url).searchParams.has('cursor')
          ? Promise.resolve(new Response('{}', { status: 500 }))
          : sandbox.fetch(url, init),
    });
    await expect(plan([], { engine: failing.engine })).rejects.toMatchObject({ status: 500 });
  });
});
