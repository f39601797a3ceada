/** The sync node against the sandbox, with a CRM in memory that applies the outputs. */
import type { Client } from '@newsletter-kit/core';
import { createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadBundle, type Bundle, type Item } from './bundle.ts';
import { clientOf, executeContext, itemlessContext, type Run } from './context.ts';

type Contact = Readonly<Record<string, unknown>>;

let bundle: Bundle;
let sandbox: Sandbox;
let api: Client;
let now: number;
let city: string;
/** The contacts by their ids. */
let crm: Map<string, Contact>;
let kept: Record<string, unknown>;
beforeAll(async () => {
  bundle = await loadBundle();
});
afterAll(() => sandbox?.close());

const month = 30 * 24 * 3600 * 1000;

beforeEach(async () => {
  sandbox?.close();
  // Earlier than the node's clock: subscriptions of the last minute may not be listed yet.
  now = Date.now() - month;
  crm = new Map();
  kept = {};
  sandbox = createSandbox({ seed: 'empty', profile: 'unlimited', now: () => now });
  api = clientOf(sandbox);
  city = (await api.customFields.create({ display: 'City', kind: 'string' })).data.id;
});

/** Creates a subscription. @returns its id */
async function subscribe(email: string, value?: string): Promise<string> {
  const custom_fields = value === undefined ? [] : [{ name: 'City', value }];
  const { data } = await api.subscriptions.create({ email, double_opt_override: 'off', custom_fields });
  now += 60_000;
  return data.id;
}

async function subscription(email: string): Promise<{ status: string; city: unknown } | undefined> {
  const { items } = await api.subscriptions.list({ email, expand: ['custom_fields'] });
  const [found] = items;
  return (
    found && { status: String(found.status), city: found.custom_fields?.find(({ name }) => name === 'City')?.value }
  );
}

/** Unsubscribes, or changes the city, without the node. */
async function change(id: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await api.subscriptions.bulkUpdate({ subscriptions: [{ subscription_id: id, ...changes }] });
  now += 60_000;
}

/** Contacts in the form of HubSpot. */
const parameters = {
  mode: 'apply',
  contacts: 'everything',
  idField: 'id',
  addressField: 'properties.email',
  tokenField: 'properties.newsletter_sync_token',
  optOutField: 'properties.do_not_mail',
};

const fields = (): Record<string, unknown> => ({
  fields: {
    field: [
      { newsletter: city, contact: 'properties.city', direction: 'both', conflict: 'review' },
      { newsletter: 'status', contact: 'properties.newsletter_status', direction: 'to_contact' },
    ],
  },
});

interface Outputs {
  readonly creates: readonly Item[];
  readonly updates: readonly Item[];
  readonly review: readonly Item[];
  readonly report: Item;
  /** The file of the consent trail. */
  readonly trail: Item | undefined;
  readonly planned: readonly Item[];
  /** Whether the report left by Held. */
  readonly isHeld: boolean;
}

/** Runs the node once for the contacts of the CRM, unless others are given. */
async function run(more: Partial<Run> = {}): Promise<Outputs> {
  const context = executeContext({
    sandbox: {
      // Completes the jobs of the service.
      async fetch(input, init) {
        const response = await sandbox.fetch(input, init);
        if (init?.method === 'PATCH') now += 5000;
        return response;
      },
    },
    staticData: kept,
    items: [...crm.values()],
    ...more,
    parameters: { ...parameters, ...fields(), ...more.parameters },
  });
  const [review = [], reports = [], planned = [], creates = [], updates = [], held = []] =
    await bundle.sync.execute.call(context);
  const [report] = [...held, ...reports].filter(({ binary }) => binary === undefined);
  if (!report) throw new Error('There is no report.');
  const trail = reports.find(({ binary }) => binary !== undefined);
  return { creates, updates, review, report, trail, planned, isHeld: held.length > 0 };
}

function properties(contact: Contact | undefined): Readonly<Record<string, unknown>> {
  const inner = contact?.['properties'];
  return typeof inner === 'object' && inner !== null ? { ...inner } : {};
}

/** The next node: creates and updates contacts with the unchanged items. */
function write({ creates, updates }: Outputs): void {
  for (const { json } of creates) add(`new-${crm.size}`, properties(json));
  for (const { json } of updates) {
    const id = String(json['id']);
    add(id, { ...properties(crm.get(id)), ...properties(json) });
  }
}

function add(id: string, values: Readonly<Record<string, unknown>>): void {
  const empty = { city: null, newsletter_status: null, do_not_mail: 'false', newsletter_sync_token: null };
  crm.set(id, { id, properties: { ...empty, ...values } });
}

/** Repeats run and write until nothing is left to write. */
async function settle(): Promise<Outputs> {
  for (let runs = 0; runs < 4; runs += 1) {
    const outputs = await run();
    if (outputs.creates.length + outputs.updates.length === 0) return outputs;
    write(outputs);
  }
  throw new Error('The sync still writes after four runs.');
}

/** Ada, in step on both sides; then changed by one of them. */
async function inStep(): Promise<string> {
  const ada = await subscribe('ada@example.com', 'Bonn');
  add('1', { email: 'ada@example.com' });
  await settle();
  return ada;
}

const edit = (id: string, values: Contact): void => add(id, { ...properties(crm.get(id)), ...values });

const token = expect.stringMatching(/^.{20,255}$/);

describe('Preview', () => {
  it('writes nothing, and returns one item for each change that Apply would make', async () => {
    await subscribe('ada@example.com', 'Bonn');
    await subscribe('grace@example.com');
    add('1', { email: 'ada@example.com' });
    const before = sandbox.requests().length;
    const { creates, updates, report, planned, isHeld } = await run({ parameters: { mode: 'preview' } });
    expect({ creates, updates, kept, isHeld }).toEqual({ creates: [], updates: [], kept: {}, isHeld: false });
    expect(
      new Set(
        sandbox
          .requests()
          .slice(before)
          .map(({ method }) => method),
      ),
    ).toEqual(new Set(['GET']));
    expect(Object.keys(report.json)[0]).toBe('summary');
    expect(report.json).toMatchObject({
      summary: expect.stringMatching(/^Would create 1 contact, change 1\. .*Nothing was written\.$/),
      mode: 'preview',
      contacts: 'everything',
      held: null,
      counts: { contacts: 1, subscriptions: 2, contactCreates: 1, contactUpdates: 1 },
    });
    expect(JSON.stringify(report)).not.toMatch(/example\.com|Bonn|consent/);
    const of = { from: null, why: expect.any(String), where: 'CRM', subscriptionId: expect.stringMatching(/^sub_/) };
    const ada = { ...of, what: 'Change', person: 'ada@example.com', contactId: '1' };
    const grace = { ...of, what: 'Create contact', person: 'grace@example.com', contactId: null };
    expect(planned.map(({ json }) => json)).toEqual([
      {
        ...ada,
        change: 'Change – ada@example.com – properties.city: (empty) → Bonn',
        field: 'properties.city',
        to: 'Bonn',
      },
      {
        ...ada,
        change: 'Change – ada@example.com – properties.newsletter_status: (empty) → active',
        field: 'properties.newsletter_status',
        to: 'active',
      },
      { ...grace, change: 'Create contact – grace@example.com', field: 'email', to: 'grace@example.com' },
    ]);
    expect(Object.keys(planned[0]?.json ?? {}).slice(0, 2)).toEqual(['change', 'why']);
    const short = await run({ parameters: { mode: 'preview', options: { shortAddresses: true } } });
    const persons = short.planned.map(({ json }) => json['person']);
    expect(persons).toEqual(['a…@example.com', 'a…@example.com', 'g…@example.com']);
  });
});

describe('Apply', () => {
  it('returns contacts with the field names and ids of the items, linked to them, and skips empty items', async () => {
    await subscribe('grace@example.com', 'Ulm');
    await subscribe('ada@example.com', 'Bonn');
    add('7', { email: 'nobody@example.com' });
    const ada = { id: 8, properties: { ...properties(crm.get('7')), email: 'Ada@Example.com' } };
    const { creates, updates, report } = await run({ items: [...crm.values(), {}, ada, ada] });
    const changed = { newsletter_status: 'active', newsletter_sync_token: token };
    expect(creates).toEqual([{ json: { properties: { email: 'grace@example.com', city: 'Ulm', ...changed } } }]);
    expect(updates).toEqual([{ json: { id: 8, properties: { city: 'Bonn', ...changed } }, pairedItem: { item: 2 } }]);
    expect(report.json).toMatchObject({
      summary: expect.stringContaining('Handed over to the CRM: 1 contact to create, 1 to change.'),
      written: { failed: 0 },
      handedOver: { contactCreates: 1, contactUpdates: 1 },
      consent: [],
    });
    const flat = Object.fromEntries(
      Object.entries(ada.properties).map(([name, value]) => [`properties.${name}`, value]),
    );
    expect((await run({ items: [{ ...flat, id: '1' }] })).updates).toMatchObject([
      { json: { id: '1', 'properties.city': 'Bonn', 'properties.newsletter_sync_token': token } },
    ]);
  });

  it('copies the edits of each side to the other, and then writes nothing', async () => {
    const ada = await inStep();
    await subscribe('grace@example.com', 'Ulm');
    await settle();
    const [grace = ''] = [...crm].find(([, contact]) => properties(contact)['email'] === 'grace@example.com') ?? [];
    edit(grace, { city: 'Jena' });
    await change(ada, { custom_fields: [{ name: 'City', value: 'Köln' }] });
    const { updates } = await settle();
    expect(updates).toEqual([]);
    expect(await subscription('grace@example.com')).toMatchObject({ city: 'Jena' });
    expect([...crm.values()].map((contact) => properties(contact)['city'])).toEqual(['Köln', 'Jena']);
  });

  it('names at Review what it leaves alone: a contact by its ID, or by its number where it has none', async () => {
    const ada = await inStep();
    edit('1', { city: 'Aachen' });
    await change(ada, { custom_fields: [{ name: 'City', value: 'Trier' }] });
    const { review } = await run({ items: [{}, ...crm.values(), { properties: { email: 'bo@example.com' } }] });
    expect(review.map(({ json, pairedItem }) => ({ ...json, item: pairedItem?.item }))).toMatchObject([
      { code: 'contact_without_id', contactId: null, row: 2, item: 2 },
      { code: 'conflict', isNew: true, contactId: '1', row: null, field: 'properties.city', item: 1 },
    ]);
    expect(await subscription('ada@example.com')).toMatchObject({ city: 'Trier' });
    expect(JSON.stringify(review)).not.toMatch(/example\.com|Aachen|Trier/);
  });

  it('reports the number of requests, retries included', async () => {
    await inStep();
    edit('1', { city: 'Ulm' });
    for (const match of ['subscriptions.list', 'subscriptions.bulkUpdate'])
      sandbox.faults.add({ match, effect: { status: 503, retryAfter: 0 }, nth: 1 });
    const before = sandbox.requests().length;
    const { report } = await run();
    const statuses = sandbox
      .requests()
      .slice(before)
      .map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    expect(report.json).toMatchObject({ requests: statuses.length, written: { subscriptionUpdates: 1 } });
  });

  it('by hand says that n8n saves no state after it', async () => {
    await subscribe('ada@example.com');
    const hintsOf = async (more: Partial<Run>): Promise<readonly string[]> => {
      const hints: { message: string }[] = [];
      await run({ hints, ...more });
      return hints.map(({ message }) => message);
    };
    expect(await hintsOf({ mode: 'manual' })).toEqual([expect.stringContaining('would be created again')]);
    expect(await hintsOf({ mode: 'manual', parameters: { mode: 'preview' } })).toEqual([]);
    expect(await hintsOf({})).toEqual([]);
  });

  it.each([
    [{ mostWrites: 2 }, 'everything', [1, 1]],
    [{ mostWrites: 0 }, 'everything', [3, 1]],
    // It looks the incoming contacts up, and creates none.
    [{}, 'incoming', [0, 1]],
  ])('with %j and %s creates and updates %j contacts', async (options, contacts, counts) => {
    for (const name of ['ada', 'grace', 'joan', 'mary']) await subscribe(`${name}@example.com`);
    add('1', { email: 'ada@example.com' });
    const { creates, updates, report } = await run({ parameters: { options, contacts } });
    expect([creates.length, updates.length]).toEqual(counts);
    expect(report.json).toMatchObject({ contacts });
  });
});

describe('consent', () => {
  it('writes an unsubscribe to the contact, with a consent record in the report and in a file', async () => {
    const ada = await inStep();
    await change(ada, { unsubscribe: true });
    const { updates, report, trail } = await run();
    const optedOut = { do_not_mail: true, newsletter_status: 'inactive' };
    expect(updates).toMatchObject([{ json: { id: '1', properties: optedOut } }]);
    const record = {
      first_seen: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      said_by: 'newsletter',
      subscription_id: ada,
      contact_id: '1',
      field: 'status',
      written: { side: 'crm', field: 'properties.do_not_mail', value: true },
    };
    expect(report.json['consent']).toEqual([record]);
    expect(report.binary).toBeUndefined();
    const fileName = expect.stringMatching(/^consent-\d{8}T\d{6}Z\.ndjson$/);
    expect(trail?.binary?.['consent']).toMatchObject({ fileName, mimeType: 'application/x-ndjson' });
    const file = trail?.binary?.['consent'] as { readonly data: string } | undefined;
    expect(JSON.parse(Buffer.from(file?.data ?? '', 'base64').toString())).toEqual(record);
  });

  it.each([
    ['never', 0],
    ['on_consent', 1],
    ['with_confirmation', 2],
    ['with_confirmation, incoming contacts alone', 0],
  ])('subscribes unknown contacts: %s', async (choice, created) => {
    add('1', { email: 'ada@example.com', agreed: 'true' });
    add('2', { email: 'grace@example.com', agreed: 'false' });
    add('3', { email: 'joan@example.com', agreed: 'true', do_not_mail: 'true' });
    const [subscribeBy, scope] = choice.split(', ');
    const contacts = scope === undefined ? 'everything' : 'incoming';
    const { report } = await run({
      parameters: { subscribe: subscribeBy, consentField: 'properties.agreed', contacts },
    });
    expect(report.json).toMatchObject({ written: { subscriptionCreates: created } });
    now += 60_000;
    expect(await subscription('joan@example.com')).toBeUndefined();
    expect((await subscription('ada@example.com')) === undefined).toBe(created === 0);
  });
});

it('a plan beyond the limits is held back with a hint, and applied once it is accepted', async () => {
  const names = Array.from({ length: 10 }, (_, at) => `reader${at}@example.com`);
  for (const name of names) await subscribe(name);
  await settle();
  const optOut = (count: number) => [...crm.keys()].slice(0, count).forEach((id) => edit(id, { do_not_mail: 'true' }));
  // Three of ten are within 30 %, four are not.
  const options = { heldCount: 1, heldShare: 30 };
  optOut(4);
  const preview = await run({ parameters: { mode: 'preview', options } });
  expect([preview.isHeld, preview.planned.length]).toEqual([false, 4]);
  expect(preview.report.json['summary']).toMatch(/^Would unsubscribe 4 people.*Held back: .* Nothing was written\.$/);
  const hints: { message: string }[] = [];
  const held = await run({ hints, parameters: { options } });
  expect(held).toMatchObject({ creates: [], updates: [], isHeld: true, planned: { length: 4 } });
  expect(held.report.json).toMatchObject({ held: { reasons: ['too_many_changes'] }, counts: { unsubscribes: 4 } });
  expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Accept Large Changes')]);
  expect(await subscription(names[0] ?? '')).toMatchObject({ status: 'active' });

  const accepted = await run({ parameters: { options: { ...options, accept: true } } });
  expect(accepted.report.json).toMatchObject({ held: null, written: { subscriptionUpdates: 4 } });
  expect(await subscription(names[0] ?? '')).toMatchObject({ status: 'inactive' });
});

describe('the stored state', () => {
  it('is one text without addresses, and belongs to one publication', async () => {
    await inStep();
    expect(kept).toEqual({ newsletterSync: expect.stringContaining(publicationId) });
    expect(JSON.stringify(kept)).not.toContain('example.com');
    const other = JSON.stringify({ publicationId: `${publicationId.slice(0, -1)}9`, state: { version: 2 } });
    expect((await run({ staticData: { newsletterSync: other } })).report.json['held']).toBeNull();
  });

  it.each(['{"publicationId":', JSON.stringify({ publicationId, state: { version: 2 } }), 42])(
    'fails the node with a remedy where it is %j',
    async (newsletterSync) => {
      await expect(run({ staticData: { newsletterSync } })).rejects.toMatchObject({
        message: expect.stringContaining('damaged or of another version'),
        description: expect.stringContaining('rename this node'),
      });
    },
  );
});

describe('errors', () => {
  const field = (newsletter: string, contact: string) => ({
    fields: { field: [{ newsletter, contact, direction: 'both' }] },
  });

  it.each([
    [field('status', 'properties.status'), 'The settings of the sync do not fit together', 'Field 1: the API does not'],
    [field('status', ''), '"Contact Field" of field 1 is empty', ''],
    [{ idField: '' }, '"ID Field" is empty', ''],
    [{ subscribe: 'on_consent', consentField: '' }, '"Consent Field" is empty', ''],
  ])('of the parameters %j: %s', async (wrong, message, description) => {
    const error: unknown = await run({ parameters: wrong }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message });
    expect(String(Object(error).description)).toContain(description);
  });

  it('go to Report with Continue On Fail, without any contact', async () => {
    add('1', { email: 'ada@example.com' });
    const outputs = await run({ continueOnFail: true, credential: { apiKey: 'wrong' } });
    expect(outputs).toMatchObject({ creates: [], updates: [], review: [] });
    expect(outputs.report).toMatchObject({ json: { error: expect.any(String) }, error: expect.any(Error) });
    expect(kept).toEqual({});
  });

  it('include the execution by an agent', async () => {
    await expect(run({ tool: true })).rejects.toMatchObject({ message: expect.stringContaining('not for agents') });
  });

  it('list a change that the newsletter refused, which the next run plans again', async () => {
    const ada = await inStep();
    edit('1', { do_not_mail: 'true' });
    const hints: { message: string }[] = [];
    // The subscription is deleted before the change arrives.
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const body = String(init?.body ?? '').replace(ada, 'sub_00000000-0000-4000-8000-00000000dead');
      const response = await sandbox.fetch(input, { ...init, ...(init?.body && { body }) });
      now += 5000;
      return response;
    };
    const { updates, review, report } = await run({ hints, sandbox: { fetch } });
    expect(updates).toEqual([]);
    expect(review).toMatchObject([{ json: { code: 'write_failed', subscriptionId: ada, side: 'newsletter' } }]);
    expect(report.json).toMatchObject({ written: { failed: 1 }, consent: [] });
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('refused 1 change')]);
    expect((await run()).report.json).toMatchObject({
      written: { subscriptionUpdates: 1, failed: 0 },
      consent: [{ said_by: 'crm', field: 'properties.do_not_mail', written: { side: 'newsletter' } }],
    });
  });

  it('leave the state unchanged where the newsletter accepts no request', async () => {
    await inStep();
    edit('1', { do_not_mail: 'true' });
    sandbox.faults.add({ match: 'subscriptions.bulkUpdate', effect: { status: 400 }, times: 1 });
    const state = JSON.stringify(kept);
    await expect(run()).rejects.toMatchObject({ httpCode: '400' });
    expect(JSON.stringify(kept)).toBe(state);
    expect((await run()).report.json).toMatchObject({ written: { subscriptionUpdates: 1 } });
  });
});

it('offers the custom fields by their ids, and the properties of a subscription, as Newsletter Field', async () => {
  const context = itemlessContext({ sandbox, parameters: {} });
  const options = await bundle.sync.methods.loadOptions.getSyncFields.call(context);
  expect(options[0]).toEqual({ name: 'City (string)', value: city });
  expect(options).toContainEqual(expect.objectContaining({ name: 'Subscription: UTM Source', value: 'utm_source' }));
});
