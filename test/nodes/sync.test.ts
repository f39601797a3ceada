/** The sync node against the sandbox, with a CRM in memory that applies the outputs. */
import { createClient, type Client } from '@newsletter-kit/core';
import { createSandbox, publicationId, type Sandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, type Bundle, type Item } from './bundle.ts';
import { executeContext, itemlessContext, type Run } from './context.ts';

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
  bundle = await buildBundle();
});
afterAll(async () => {
  sandbox?.close();
  await bundle?.remove();
});

const month = 30 * 24 * 3600 * 1000;

beforeEach(async () => {
  sandbox?.close();
  // Earlier than the node's clock: subscriptions of the last minute may not be listed yet.
  now = Date.now() - month;
  crm = new Map();
  kept = {};
  sandbox = createSandbox({ seed: 'empty', profile: 'unlimited', now: () => now });
  api = createClient({ baseUrl: 'http://sandbox.test/v2', token: 'sandbox-key', publicationId, fetch: sandbox.fetch });
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

const written = (): number =>
  sandbox.requests().filter(({ method, path }) => method !== 'GET' && path.includes('bulk')).length;

describe('Preview', () => {
  it('writes nothing, and returns one item for each change that Apply would make', async () => {
    await subscribe('ada@example.com', 'Bonn');
    await subscribe('grace@example.com');
    add('1', { email: 'ada@example.com' });
    const before = sandbox.requests().length;
    const { creates, updates, report, planned, isHeld } = await run({ parameters: { mode: 'preview' } });
    expect([...creates, ...updates]).toEqual([]);
    expect(kept).toEqual({});
    expect(
      sandbox
        .requests()
        .slice(before)
        .filter(({ method }) => method !== 'GET'),
    ).toEqual([]);
    expect(Object.keys(report.json)[0]).toBe('summary');
    expect(report.json).toMatchObject({
      summary: 'Would create 1 contact, change 1. It would take 2 writes in the CRM. Nothing was written.',
      mode: 'preview',
      contacts: 'everything',
      held: null,
      counts: { contacts: 1, subscriptions: 2, contactCreates: 1, contactUpdates: 1 },
    });
    expect(JSON.stringify(report)).not.toMatch(/example\.com|Bonn/);
    expect(report.json).not.toHaveProperty('consent');
    expect(isHeld).toBe(false);
    const ada = { what: 'Change', person: 'ada@example.com', from: null, where: 'CRM', contactId: '1' };
    const sub = expect.stringMatching(/^sub_/);
    expect(planned.map(({ json }) => json)).toEqual([
      { ...ada, field: 'properties.city', to: 'Bonn', why: 'Empty in the CRM', subscriptionId: sub },
      {
        ...ada,
        field: 'properties.newsletter_status',
        to: 'active',
        why: 'Comes from the newsletter',
        subscriptionId: sub,
      },
      {
        what: 'Create contact',
        person: 'grace@example.com',
        field: 'email',
        from: null,
        to: 'grace@example.com',
        why: 'New subscription without a contact',
        where: 'CRM',
        contactId: null,
        subscriptionId: sub,
      },
    ]);
    const short = await run({ parameters: { mode: 'preview', options: { shortAddresses: true } } });
    expect(short.planned.map(({ json }) => json['person'])).toEqual([
      'a…@example.com',
      'a…@example.com',
      'g…@example.com',
    ]);
  });

  it('lists a plan whole that Apply would hold back, and says so', async () => {
    for (const name of ['ada', 'grace', 'joan']) await subscribe(`${name}@example.com`);
    await settle();
    for (const [id, contact] of crm) add(id, { ...properties(contact), do_not_mail: 'true' });
    const { planned, report, isHeld } = await run({ parameters: { mode: 'preview', options: { heldCount: 1 } } });
    expect(planned.map(({ json }) => [json['what'], json['why']])).toEqual(
      Array.from({ length: 3 }, () => ['Unsubscribe', 'Opted out in the CRM']),
    );
    expect(report.json['summary']).toMatch(
      /^Would unsubscribe 3 people \(limit 1\)\. .*Held back: .* Nothing was written\.$/,
    );
    expect(isHeld).toBe(false);
  });
});

describe('Apply', () => {
  it('returns new contacts and changes with the field names of the incoming contacts', async () => {
    await subscribe('ada@example.com', 'Bonn');
    await subscribe('grace@example.com', 'Ulm');
    const { creates, updates } = await run({
      items: [
        {
          id: '1',
          'properties.email': 'ada@example.com',
          'properties.city': '',
          'properties.newsletter_status': '',
          'properties.do_not_mail': false,
          'properties.newsletter_sync_token': '',
        },
      ],
    });
    const token = expect.any(String);
    expect(updates.map(({ json }) => json)).toEqual([
      {
        id: '1',
        'properties.city': 'Bonn',
        'properties.newsletter_status': 'active',
        'properties.newsletter_sync_token': token,
      },
    ]);
    expect(creates.map(({ json }) => json)).toMatchObject([
      { 'properties.email': 'grace@example.com', 'properties.city': 'Ulm', 'properties.newsletter_sync_token': token },
    ]);
  });

  it('returns nested fields by their paths, linked to the input items', async () => {
    await subscribe('grace@example.com', 'Ulm');
    await subscribe('ada@example.com', 'Bonn');
    add('7', { email: 'nobody@example.com' });
    add('8', { email: 'Ada@Example.com' });
    const { creates, updates, report } = await run();
    const token = expect.stringMatching(/^.{20,255}$/);
    expect(creates).toEqual([
      {
        json: {
          properties: {
            email: 'grace@example.com',
            city: 'Ulm',
            newsletter_status: 'active',
            newsletter_sync_token: token,
          },
        },
      },
    ]);
    expect(updates).toEqual([
      {
        json: {
          id: '8',
          properties: { city: 'Bonn', newsletter_status: 'active', newsletter_sync_token: token },
        },
        pairedItem: { item: 1 },
      },
    ]);
    expect(report.json).toMatchObject({
      summary: 'Handed over to the CRM: 1 contact to create, 1 to change. 1 contact without a subscription left alone.',
      written: { failed: 0 },
      handedOver: { contactCreates: 1, contactUpdates: 1 },
      consent: [],
    });
  });

  it('writes nothing in a second run after the outputs were applied', async () => {
    for (const name of ['ada', 'grace', 'joan']) await subscribe(`${name}@example.com`, 'Bonn');
    add('1', { email: 'ada@example.com', city: 'Bonn' });
    write(await run());
    const second = await run();
    write(second);
    const before = written();
    expect(await run()).toMatchObject({ creates: [], updates: [] });
    expect(written()).toBe(before);
    expect(crm.size).toBe(3);
  });

  it('copies an edit of the contact to the newsletter, and an edit of the subscription to the contact', async () => {
    const ada = await subscribe('ada@example.com', 'Bonn');
    await subscribe('grace@example.com', 'Ulm');
    await settle();
    const ofGrace = [...crm].find(([, contact]) => properties(contact)['email'] === 'grace@example.com');
    add(ofGrace?.[0] ?? '', { ...properties(ofGrace?.[1]), city: 'Jena' });
    await change(ada, { custom_fields: [{ name: 'City', value: 'Köln' }] });
    await settle();
    expect(await subscription('grace@example.com')).toMatchObject({ city: 'Jena' });
    expect([...crm.values()].map((contact) => properties(contact)['city']).toSorted()).toEqual(['Jena', 'Köln']);
  });

  it('reports a field edited on both sides at Review, and changes neither', async () => {
    const ada = await subscribe('ada@example.com', 'Bonn');
    add('1', { email: 'ada@example.com' });
    await settle();
    add('1', { ...properties(crm.get('1')), city: 'Aachen' });
    await change(ada, { custom_fields: [{ name: 'City', value: 'Trier' }] });
    const { review } = await run();
    expect(review).toEqual([
      {
        json: expect.objectContaining({
          code: 'conflict',
          isNew: true,
          contactId: '1',
          field: 'properties.city',
          remedy: expect.stringContaining('same value'),
        }),
        pairedItem: { item: 0 },
      },
    ]);
    expect(await subscription('ada@example.com')).toMatchObject({ city: 'Trier' });
    expect(JSON.stringify(review)).not.toMatch(/example\.com|Aachen|Trier/);
  });

  it('names a contact at Review by its ID, and one without an ID by its number, counted from 1', async () => {
    add('1', { email: 'no address' });
    const { review } = await run({ items: [...crm.values(), { properties: { email: 'ada@example.com' } }] });
    const found = review.map(({ json }) => [json['code'], json['contactId'], json['row']]);
    expect(found.toSorted()).toEqual([
      ['address_malformed', '1', null],
      ['contact_without_id', null, 2],
    ]);
  });

  it('reports the number of requests, retries included', async () => {
    await subscribe('ada@example.com');
    add('1', { email: 'ada@example.com' });
    await settle();
    add('1', { ...properties(crm.get('1')), city: 'Bonn' });
    sandbox.faults.add({ match: 'subscriptions.list', effect: { status: 503, retryAfter: 0 }, nth: 1 });
    sandbox.faults.add({ match: 'subscriptions.bulkUpdate', effect: { status: 503, retryAfter: 0 }, nth: 1 });
    const before = sandbox.requests().length;
    const { report } = await run();
    const statuses = sandbox
      .requests()
      .slice(before)
      .map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    expect(report.json).toMatchObject({ requests: statuses.length, written: { subscriptionUpdates: 1 } });
  });

  it('returns ids unchanged, and skips empty items', async () => {
    await subscribe('ada@example.com', 'Bonn');
    const contact = { id: 42, properties: { email: 'ada@example.com', newsletter_sync_token: null, city: null } };
    const flat = { optOutField: '', fields: { field: [{ newsletter: city, contact: 'properties.city' }] } };
    const { updates, report } = await run({ items: [{}, contact], parameters: flat });
    expect(updates).toMatchObject([{ json: { id: 42 }, pairedItem: { item: 1 } }]);
    expect(report.json['counts']).toMatchObject({ contacts: 1 });
  });
});

describe('a run', () => {
  it('in Apply by hand says that n8n saves no state after it', async () => {
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
    ['at most as many contacts as Max Contacts per Run', { mostWrites: 2 }, 2],
    ['all without it', { mostWrites: 0 }, 3],
  ])('hands over %s', async (_, options, handedOver) => {
    for (const name of ['ada', 'grace', 'joan']) await subscribe(`${name}@example.com`);
    expect((await run({ parameters: { options } })).creates).toHaveLength(handedOver);
  });
});

describe('consent', () => {
  it('writes an unsubscribe to the contact, with a consent record in the report and in a file', async () => {
    const ada = await subscribe('ada@example.com');
    add('1', { email: 'ada@example.com' });
    await settle();
    await change(ada, { unsubscribe: true });
    const { updates, report, trail } = await run();
    expect(updates).toMatchObject([
      { json: { id: '1', properties: { do_not_mail: true, newsletter_status: 'inactive' } } },
    ]);
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
    const file = trail?.binary?.['consent'];
    expect(file).toMatchObject({
      fileName: expect.stringMatching(/^consent-\d{8}T\d{6}Z\.ndjson$/),
      mimeType: 'application/x-ndjson',
    });
    const { data } = file as { data: string };
    const lines = Buffer.from(data, 'base64').toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([record]);
  });

  it('unsubscribes contacts that opted out in the CRM, and never resubscribes one', async () => {
    await subscribe('ada@example.com');
    add('1', { email: 'ada@example.com' });
    await settle();
    add('1', { ...properties(crm.get('1')), do_not_mail: 'true' });
    const { report } = await run();
    expect(await subscription('ada@example.com')).toMatchObject({ status: 'inactive' });
    expect(report.json).toMatchObject({
      written: { subscriptionUpdates: 1 },
      consent: [{ said_by: 'crm', field: 'properties.do_not_mail', written: { side: 'newsletter' } }],
    });
    await settle();
    add('1', { ...properties(crm.get('1')), do_not_mail: 'false' });
    await settle();
    expect(await subscription('ada@example.com')).toMatchObject({ status: 'inactive' });
  });

  it.each([
    { subscribe: 'never', when: 'never', created: 0 },
    { subscribe: 'on_consent', when: 'where the consent field of the contact is set', created: 1 },
    { subscribe: 'with_confirmation', when: 'with double opt-in', created: 2 },
  ])('subscribes unknown contacts $when', async ({ subscribe: choice, created }) => {
    add('1', { email: 'ada@example.com', agreed: 'true' });
    add('2', { email: 'grace@example.com', agreed: 'false' });
    add('3', { email: 'joan@example.com', agreed: 'true', do_not_mail: 'true' });
    const { report } = await run({ parameters: { subscribe: choice, consentField: 'properties.agreed' } });
    expect(report.json).toMatchObject({ written: { subscriptionCreates: created } });
    now += 60_000;
    expect(await subscription('joan@example.com')).toBeUndefined();
    expect((await subscription('ada@example.com')) === undefined).toBe(created === 0);
  });
});

describe('a plan beyond the limits of changes', () => {
  const optOutAll = (): void => {
    for (const [id, contact] of crm) add(id, { ...properties(contact), do_not_mail: 'true' });
  };
  const options = { heldCount: 1, heldShare: 10 };

  it('is held back with a hint, and applied once it is accepted', async () => {
    for (const name of ['ada', 'grace', 'joan']) await subscribe(`${name}@example.com`);
    await settle();
    optOutAll();
    const hints: { message: string }[] = [];
    const held = await run({ hints, parameters: { options } });
    expect(held).toMatchObject({ creates: [], updates: [] });
    expect(held.isHeld).toBe(true);
    expect(held.planned).toHaveLength(3);
    expect(held.report.json).toMatchObject({ held: { reasons: ['too_many_changes'] }, counts: { unsubscribes: 3 } });
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Accept Large Changes')]);
    expect(await subscription('ada@example.com')).toMatchObject({ status: 'active' });

    const accepted = await run({ parameters: { options: { ...options, accept: true } } });
    expect(accepted.report.json).toMatchObject({ held: null, written: { subscriptionUpdates: 3 } });
    expect(await subscription('ada@example.com')).toMatchObject({ status: 'inactive' });
  });

  it('is held back where a mapped field is missing from every item', async () => {
    await subscribe('ada@example.com', 'Bonn');
    const hints: { message: string }[] = [];
    const contact = { id: '1', properties: { email: 'ada@example.com', newsletter_status: null, do_not_mail: false } };
    const { review, report } = await run({ hints, items: [contact] });
    expect(report.json['held']).toMatchObject({ reasons: ['field_missing'] });
    expect(review).toMatchObject([{ json: { code: 'field_missing', field: 'properties.city' } }]);
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Accept Large Changes')]);
  });
});

describe('Only Incoming', () => {
  it('looks up the incoming contacts by address, and creates none', async () => {
    await subscribe('ada@example.com', 'Bonn');
    await subscribe('grace@example.com', 'Ulm');
    add('1', { email: 'ada@example.com' });
    const { creates, updates, report } = await run({ parameters: { contacts: 'incoming' } });
    expect(creates).toEqual([]);
    expect(updates).toMatchObject([{ json: { id: '1', properties: { city: 'Bonn' } } }]);
    expect(report.json).toMatchObject({ contacts: 'incoming', counts: { contacts: 1, subscriptions: 1 } });
  });
});

describe('the stored state', () => {
  it('is one text without addresses, and belongs to one publication', async () => {
    await subscribe('ada@example.com');
    await settle();
    expect(kept).toEqual({ newsletterSync: expect.stringContaining(publicationId) });
    expect(JSON.stringify(kept)).not.toContain('example.com');
  });

  it.each([
    { problem: 'is damaged', stored: '{"publicationId":' },
    { problem: 'is of another version', stored: JSON.stringify({ publicationId, state: { version: 2 } }) },
    { problem: 'is no text', stored: 42 },
  ])('fails the node with a remedy where the state $problem', async ({ stored }) => {
    await expect(run({ staticData: { newsletterSync: stored } })).rejects.toMatchObject({
      message: expect.stringContaining('damaged or of another version'),
      description: expect.stringContaining('rename this node'),
    });
  });
});

describe('errors', () => {
  it.each([
    {
      wrong: { fields: { field: [{ newsletter: 'status', contact: 'properties.status', direction: 'both' }] } },
      message: 'The settings of the sync do not fit together',
      description: 'Field 1: the API does not change "status"',
    },
    {
      wrong: { fields: { field: [{ newsletter: 'City', contact: 'properties.city', direction: 'both' }] } },
      message: 'The settings of the sync do not fit together',
      description: 'Names change: use its id',
    },
    {
      wrong: { fields: { field: [{ newsletter: 'status', contact: '' }] } },
      message: '"Contact Field" of field 1 is empty',
    },
    { wrong: { idField: '' }, message: '"ID Field" is empty' },
    { wrong: { subscribe: 'on_consent', consentField: '' }, message: '"Consent Field" is empty' },
  ])('$message', async ({ wrong, message, description }) => {
    await expect(run({ parameters: wrong })).rejects.toMatchObject({
      message,
      ...(description !== undefined && { description: expect.stringContaining(description) }),
    });
  });

  it('go to Report with Continue On Fail, without any contact', async () => {
    add('1', { email: 'ada@example.com' });
    const { creates, updates, review, report } = await run({
      continueOnFail: true,
      credential: { apiKey: 'wrong' },
    });
    expect([...creates, ...updates, ...review]).toEqual([]);
    expect(report).toMatchObject({ json: { error: expect.any(String) }, error: expect.any(Error) });
    expect(kept).toEqual({});
  });

  it('include the execution by an agent', async () => {
    await expect(run({ tool: true })).rejects.toMatchObject({ message: expect.stringContaining('not for agents') });
  });

  it('list a change that the newsletter refused, which the next run plans again', async () => {
    const ada = await subscribe('ada@example.com');
    add('1', { email: 'ada@example.com' });
    await settle();
    add('1', { ...properties(crm.get('1')), do_not_mail: 'true' });
    const hints: { message: string }[] = [];
    const { updates, review, report } = await run({
      hints,
      sandbox: {
        // The subscription is deleted before the change arrives.
        async fetch(input, init) {
          const body = String(init?.body ?? '').replace(ada, 'sub_00000000-0000-4000-8000-00000000dead');
          const response = await sandbox.fetch(input, { ...init, ...(init?.body && { body }) });
          now += 5000;
          return response;
        },
      },
    });
    expect(updates).toEqual([]);
    expect(review).toMatchObject([{ json: { code: 'write_failed', subscriptionId: ada, side: 'newsletter' } }]);
    expect(report.json).toMatchObject({ written: { failed: 1 }, consent: [] });
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('refused 1 change')]);
    expect((await run()).report.json).toMatchObject({ written: { subscriptionUpdates: 1, failed: 0 } });
  });

  it('leave the state unchanged where the newsletter accepts no request', async () => {
    await subscribe('ada@example.com');
    add('1', { email: 'ada@example.com' });
    await settle();
    add('1', { ...properties(crm.get('1')), do_not_mail: 'true' });
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
