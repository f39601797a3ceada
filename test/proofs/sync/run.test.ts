/** A sync run over the sandbox's API: reads pages, sends bulk updates, and handles failed answers. */
import { createClient, createFetchHost, type Client } from '@newsletter-kit/core';
import { TransportError } from '@newsletter-kit/core/engine';
import {
  applySync,
  changesOf,
  planSync,
  recordOf,
  startSync,
  stateAfter,
  type AppliedSync,
  type PlannedPair,
  type PlanSyncOptions,
  type SyncMapping,
  type SyncPlan,
  type SyncProgress,
} from '@newsletter-kit/core/sync';
import { apiKeys, createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timeOf } from '../../clock/sandbox-time.ts';

let sandbox: Sandbox;
let client: Client;
let mapping: SyncMapping;
let requests: string[];
/** The bodies of the requests that have one. */
let bodies: unknown[];
/** Changes the answer about a bulk update's job. */
let jobAnswer: ((job: object) => object) | undefined;
/** The status of the answer to a request that creates subscriptions, by their addresses; null for a lost answer. */
/** The body of an answer with an error status: the API's, unless a test answers in its place. */
const refused = (status: number): string => JSON.stringify({ status, statusText: '', errors: [] });
let creationBody = refused;
let creationStatus: ((emails: readonly string[]) => number | null) | undefined;

beforeEach(async () => {
  sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  requests = [];
  bodies = [];
  jobAnswer = undefined;
  creationStatus = undefined;
  creationBody = refused;
  const fetching = createFetchHost({ fetch: sandbox.fetch });
  client = createClient({
    baseUrl: 'http://sandbox.test/v2',
    token: apiKeys.workspace,
    publicationId,
    host: {
      ...fetching,
      send: async (request) => {
        const path = new URL(request.url).pathname.split('/').slice(4).join('/');
        requests.push(`${request.method} ${path}`);
        if (request.body !== undefined) bodies.push(JSON.parse(request.body));
        if (creationStatus && path === 'bulk_subscriptions') {
          const { subscriptions } = JSON.parse(request.body ?? '') as { subscriptions: { email: string }[] };
          const status = creationStatus(subscriptions.map(({ email }) => email));
          if (status === null) throw new TransportError('network');
          if (status !== 200) return { status, headers: {}, body: creationBody(status) };
        }
        const answer = await fetching.send(request);
        if (!jobAnswer || !path.startsWith('bulk_subscription_updates/')) return answer;
        const { data } = JSON.parse(answer.body) as { data: object };
        return { ...answer, body: JSON.stringify({ data: { ...data, ...jobAnswer(data) } }) };
      },
      ...timeOf(sandbox),
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
  it('updates both sides, and a second run writes nothing but tokens', async () => {
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
    const applied = await apply(second);
    // The id of a contact that was created, and that values arrived as they were written.
    expect(applied).toMatchObject({
      contactUpdates: [
        { id: '1', changes: {} },
        { id: 'new-0', changes: {} },
      ],
      contactCreates: [],
      updated: 0,
    });
    expect([second.findings, [...changesOf(second.whole)]]).toEqual([[], []]);
    const third = await plan(stored(after, applied), { state: second.state });
    expect([third.pairs, third.findings]).toEqual([[], []]);
    const reading = ['GET custom_fields', 'GET subscriptions'];
    expect(requests).toEqual([...reading, ...reading]);
  });

  it('keeps the token of a contact whose change the newsletter refused, and reports it', async () => {
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
    const planned = await plan([contact('1', 'ada@example.com', 'Bonn'), contact('2', 'bob@example.com')]);
    expect(await apply(planned)).toMatchObject({ created: 2, contactUpdates: [] });
    expect(bodies.at(-1)).toMatchObject({ subscriptions: [{}, { email: 'bob@example.com', custom_fields: [] }] });
    sandbox.clock.advance('PT1M');
    const { items } = await client.subscriptions.list({ expand: ['custom_fields'] });
    expect(items).toMatchObject([
      { email: 'ada@example.com', status: 'pending', custom_fields: [{ value: 'Bonn' }] },
      { email: 'bob@example.com', status: 'pending', custom_fields: [] },
    ]);
  });

  it('reads only the subscriptions of incoming contacts', async () => {
    for (const name of ['ada', 'bob', 'cy'])
      await client.subscriptions.create({ email: `${name}@example.com`, double_opt_override: 'off' });
    requests = [];
    const planned = await plan([contact('2', 'bob@example.com', 'Köln')], { scope: 'incoming' });
    expect(planned).toMatchObject({
      counts: { subscriptions: 1, pairs: 1 },
      contactCreates: [],
      state: { watermark: null, contacts: null },
    });
    await apply(planned);
    expect(await cityOf('bob@example.com')).toBe('Köln');
    // Each is looked up by its address, and read back once it is changed.
    expect(requests.filter((request) => request === 'GET subscriptions')).toHaveLength(3);
  });

  it('looks up no subscription of an incoming contact without an address', async () => {
    requests = [];
    await plan([contact('1', 'nobody')], { scope: 'incoming' });
    expect(requests).toEqual(['GET custom_fields']);
  });

  it('reads contacts in several parts', async () => {
    const contacts = Array.from({ length: 2001 }, (_, number) => contact(`c${number}`, ''));
    expect((await plan(contacts)).counts).toMatchObject({ contacts: 2001, findings: 2001 });
  });

  it('reads the custom fields of the publication of the call first', async () => {
    requests = [];
    const other = 'pub_00000000-0000-4000-8000-00000000dead';
    await expect(plan([], { publicationId: other })).rejects.toMatchObject({ status: 404 });
    expect(requests).toEqual(['GET custom_fields']);
  });

  it('plans nothing if the list could not be read completely', async () => {
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

  it('reports its progress', async () => {
    await client.subscriptions.create({ email: 'reader-1@example.com', double_opt_override: 'off' });
    mapping = { ...mapping, subscribe: 'with_confirmation' };
    const contacts = Array.from({ length: 1001 }, (_, number) =>
      contact(`c${number}`, number < 3 ? `reader-${number}@example.com` : '', 'Bonn'),
    );
    const progress: SyncProgress[] = [];
    const onProgress = (each: SyncProgress): void => void progress.push(each);
    const planned = await plan(contacts, { onProgress });
    await applySync({ engine: client.engine, plan: planned, onProgress });
    expect(progress).toEqual([
      { phase: 'contacts', done: 1000 },
      { phase: 'contacts', done: 1001, of: 1001 },
      { phase: 'subscriptions', done: 1 },
      { phase: 'writing', done: 1, of: 3 },
      { phase: 'writing', done: 3, of: 3 },
    ]);
    progress.length = 0;
    await plan(contacts.slice(0, 3), { onProgress, scope: 'incoming' });
    expect(progress.slice(1)).toEqual([1, 2, 3].map((done) => ({ phase: 'subscriptions', done, of: 3 })));
  });

  it('takes a mapping from the publication of the call and the key of the options', async () => {
    await client.subscriptions.create({ email: 'ada@example.com', double_opt_override: 'off' });
    const tokenOf = async (more: Partial<PlanSyncOptions>) =>
      (await plan([contact('1', 'ada@example.com')], more)).pairs[0]?.contactWrites[0]?.token;
    const byDefault = await tokenOf({});
    expect(await tokenOf({ key: 'newsletter' })).toBe(byDefault);
    expect(await tokenOf({ publicationId })).toBe(await tokenOf({ key: publicationId }));
    expect(await tokenOf({ publicationId })).not.toBe(byDefault);
  });

  /** A pair that changes a subscription and a contact. */
  const pairOf = (number: number, unsubscribe = false): PlannedPair => ({
    email: `reader-${number}@example.com`,
    subscriptionId: `sub_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    contactId: `c${number}`,
    created: number,
    changes: [],
    subscriptionWrites: [
      {
        subscription_id: `sub_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        ...(unsubscribe ? { unsubscribe: true } : { custom_fields: [{ name: 'City', value: ['a', 'b'] }] }),
      },
    ],
    contactWrites: [{ id: `c${number}`, changes: {}, token: 'a token', knowsOptOut: false }],
    consent: [],
  });

  it('writes at most 1000 changes in a bulk update, unsubscribes first', async () => {
    const planned = await plan([]);
    const pairs = Array.from({ length: 1001 }, (_, number) => pairOf(number, number === 1000));
    jobAnswer = () => ({ status: 'complete', error_log: [] });
    bodies = [];
    const applied = await apply({ ...planned, pairs });
    const sent = bodies as { subscriptions: { subscription_id: string; custom_fields?: unknown }[] }[];
    expect(sent.map(({ subscriptions }) => subscriptions.length)).toEqual([1000, 1]);
    expect(sent[0]?.subscriptions.slice(0, 2)).toEqual([
      { subscription_id: 'sub_00000000-0000-4000-8000-000000001000', unsubscribe: true },
      {
        subscription_id: 'sub_00000000-0000-4000-8000-000000000000',
        custom_fields: [{ name: 'City', value: ['a', 'b'] }],
      },
    ]);
    expect(applied).toMatchObject({ updated: 1001, failed: 0, findings: planned.findings });
    expect(applied.contactUpdates).toHaveLength(1001);
  });

  it.each([
    ['a line that names no item', { status: 'complete', error_log: ['Something failed.'] }, 'Something failed.'],
    [
      'a failed job',
      { status: 'failed', error_log: [], failure_reason: 'Stopped at ada@example.com.' },
      'Stopped at [address].',
    ],
    [
      'a failed job without a reason',
      { status: 'failed', error_log: [], failure_reason: null },
      'The bulk update failed.',
    ],
  ])('reports every change of a bulk update with %s as failed', async (_, job, detail) => {
    const planned = await plan([]);
    jobAnswer = () => job;
    const applied = await apply({ ...planned, pairs: [pairOf(1), pairOf(2)] });
    expect(applied).toMatchObject({ updated: 0, failed: 2, contactUpdates: [] });
    expect(applied.findings).toMatchObject(
      [1, 2].map((number) => ({
        code: 'write_failed',
        isNew: true,
        contactId: `c${number}`,
        subscriptionId: `sub_00000000-0000-4000-8000-00000000000${number}`,
        side: 'newsletter',
        detail,
      })),
    );
  });

  it('leaves the contact of a change that the newsletter refused as it is, and does not think it late', async () => {
    const planned = await plan([]);
    const pairs = [pairOf(1, true), pairOf(2)].map((pair) => ({
      ...pair,
      contactWrites: pair.contactWrites.map((write) => ({ ...write, key: pair.subscriptionId })),
    }));
    jobAnswer = () => ({ status: 'complete', error_log: ['subscriptions[0]: no.'] });
    const applied = await apply({ ...planned, pairs });
    const [refused = ''] = pairs.map(({ subscriptionId }) => subscriptionId);
    expect([applied.contactUpdates.map(({ id }) => id), applied.refused.map(({ key }) => key)]).toEqual([
      ['c2'],
      [refused],
    ]);
    const update = { runs: 0, token: '' };
    const state = { ...startSync(), updates: { [refused]: update, other: update } };
    expect(stateAfter(state, applied)).toEqual({ ...startSync(), updates: { other: update } });
  });

  describe('that asks people to subscribe', () => {
    const people = ['1', '2', '3'].map((id) => contact(id, `reader-${id}@example.com`));
    const asked = async () => {
      mapping = { ...mapping, subscribe: 'with_confirmation' };
      const planned = await plan(people);
      requests = [];
      const applied = await apply(planned);
      const state = stateAfter(planned.state, applied);
      return { applied, again: (await plan(people, { state })).subscriptionCreates.length };
    };

    it.each([null, 500, 408])('asks nobody twice where the answer is lost: %s', async (status) => {
      creationStatus = () => status;
      const { applied, again } = await asked();
      expect(requests.filter((request) => request === 'POST bulk_subscriptions')).toHaveLength(1);
      expect(applied.findings.map(({ code }) => code)).toEqual(Array(3).fill('subscription_creation_failed'));
      expect(again).toBe(0);
    });

    it.each([400, 403, 404])('asks nobody twice where it was not the API that refused: %i', async (status) => {
      creationStatus = () => status;
      creationBody = () => '<title>Just a moment...</title>';
      const { applied, again } = await asked();
      expect(requests.filter((request) => request === 'POST bulk_subscriptions')).toHaveLength(1);
      expect(applied.findings.map(({ code }) => code)).toEqual(Array(3).fill('subscription_creation_failed'));
      expect(again).toBe(0);
    });

    it.each([403, 429])('asks again where the newsletter refused: %i', async (status) => {
      creationStatus = () => status;
      const { applied, again } = await asked();
      expect(applied).toMatchObject({ created: 0, failed: 3 });
      expect(applied.findings.map(({ code }) => code)).toEqual(Array(3).fill('write_failed'));
      expect(again).toBe(3);
    });

    it('finds the one that the newsletter refuses, and asks all others', async () => {
      creationStatus = (emails) => (emails.includes('reader-2@example.com') ? 400 : 200);
      const { applied, again } = await asked();
      expect(applied).toMatchObject({ created: 2, failed: 1 });
      expect(applied.findings).toMatchObject([{ code: 'write_failed', contactId: '2' }]);
      expect(again).toBe(1);
    });
  });

  it.each(['complete', 'failed'])('reports only the change that a line of a job names: %s', async (status) => {
    const planned = await plan([]);
    jobAnswer = () => ({ status, error_log: ['subscriptions[1]: no such subscription.'] });
    const applied = await apply({ ...planned, pairs: [pairOf(1), pairOf(2), pairOf(3)] });
    expect(applied.contactUpdates.map(({ id }) => id)).toEqual(['c1', 'c3']);
    expect(applied).toMatchObject({ updated: 2, failed: 1 });
  });
});
