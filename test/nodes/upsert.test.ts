/** Create and Create or Update against the sandbox: which fields are applied, and which are reported as ignored. */
import { beforeEach, describe, expect, it } from 'vitest';
import { clientOf, type Run } from './context.ts';
import { refusal, workbench } from './workbench.ts';

const bench = workbench();
const ada = 'ada.lovelace@example.com';

type Fields = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;
interface More extends Partial<Run> {
  readonly operation?: string;
}

async function upsertAll(
  email: string | ((index: number) => string),
  { custom_fields = {}, ...additionalFields }: Fields,
  { operation = 'createOrUpdate', ...more }: More = {},
): Promise<readonly Json[]> {
  const customFields = { mappingMode: 'defineBelow', value: custom_fields };
  const items = await bench.run('subscription', operation, { email, customFields, additionalFields }, more);
  return items.map(({ json }) => ({ ...json }));
}
const upsert = async (email: string, fields: Fields = {}, more: More = {}): Promise<Json> =>
  (await upsertAll(email, fields, more))[0] ?? {};

/** Creates a subscription without the node. */
const subscribe = async (body: Fields): Promise<Json> => {
  const request = { email: '', double_opt_override: 'off', ...body } as const;
  return { ...(await clientOf(bench.sandbox).subscriptions.create(request)).data };
};

/** The subscription at the service. */
async function subscribed(email: string): Promise<Json> {
  const expand = ['custom_fields', 'newsletter_lists', 'subscription_premium_tiers'];
  const parameters = { returnAll: true, output: 'raw', filters: { email }, options: { expand } };
  return { ...(await bench.run('subscription', 'getMany', parameters))[0]?.json };
}

async function inactive(email: string): Promise<Json> {
  const { id } = await subscribe({ email, skip_newsletter_list_auto_subscribe: true });
  await bench.run('subscription', 'updateStatus', { subscription: { mode: 'id', value: id }, new_status: 'inactive' });
  return subscribed(email);
}

type Fetch = typeof bench.sandbox.fetch;

/** Requests since the last call of this function. */
let seen = 0;
function requests(): readonly string[] {
  const all = bench.sandbox.requests().flatMap(({ operation }) => operation ?? []);
  const since = all.slice(seen > all.length ? 0 : seen);
  seen = all.length;
  return since;
}

describe('Create or Update of an existing subscription', () => {
  it('sets the tier, and names the UTM source that the service ignored', async () => {
    const hints: { message: string }[] = [];
    const before = await subscribed(ada);
    const item = await upsert(ada, { tier: 'premium', utm_source: 'spring' }, { hints });
    expect(item).toMatchObject({
      id: before['id'],
      outcome: 'updated',
      created: expect.stringMatching(/^20\d\d-/),
      subscription_tier: 'premium',
      ignored_fields: ['utm_source'],
      custom_fields: { 'First Name': 'Ada' },
    });
    expect(await subscribed(ada)).toMatchObject({ subscription_tier: 'premium', utm_source: before['utm_source'] });
    expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('"UTM Source"')]);
  });

  it('takes three requests for custom fields alone, after the list of custom fields', async () => {
    requests();
    await upsert(ada, { custom_fields: { 'First Name': 'Augusta' } });
    expect(requests()).toEqual([
      'customFields.list',
      'subscriptions.list',
      'subscriptions.create',
      'subscriptions.list',
    ]);
  });

  it('does not downgrade the tier where premium tiers are set as well', async () => {
    await subscribe({ email: 'paying@example.com', premium_tiers: await firstTier('name') });
    const item = await upsert('paying@example.com', { tier: 'free', premium_tiers: ['No such tier'] }).catch(
      (error: unknown) => error,
    );
    expect(item).toMatchObject({ httpCode: '400' });
    const same = await upsert('paying@example.com', { tier: 'free', premium_tiers: await firstTier('name') });
    expect(same).toMatchObject({ subscription_tier: 'premium', ignored_fields: ['tier'] });
  });
});

async function firstTier(what: 'id' | 'name'): Promise<string[]> {
  const expand = ['subscription_premium_tiers'];
  const all = await bench.run('subscription', 'getMany', { returnAll: true, output: 'raw', options: { expand } });
  const tiers = all.flatMap(
    ({ json }) => json['subscription_premium_tiers'] as readonly { id: string; name: string }[],
  );
  return tiers.slice(0, 1).map((tier) => tier[what]);
}
async function firstList(): Promise<string[]> {
  const options = { expand: ['newsletter_lists'] };
  const all = await bench.run('subscription', 'getMany', { returnAll: true, output: 'raw', options });
  return all.flatMap(({ json }) => json['newsletter_list_ids'] as readonly string[]).slice(0, 1);
}
const automation = async (): Promise<string[]> => [await bench.first('searchAutomations')];
async function isEnrolled(email: string): Promise<boolean> {
  const automationId = { mode: 'list', value: await bench.first('searchAutomations') };
  const journeys = await bench.run('journey', 'getMany', { automationId, returnAll: true });
  return journeys.some(({ json }) => json['email'] === email);
}

/** The subscription before: none, active, or inactive, without and with the reactivation. */
const situations = ['new', 'active', 'inactive', 'reactivated'] as const;
type Situation = (typeof situations)[number];

interface Row {
  readonly field: string;
  value(): unknown;
  /** The situations in which the service does not apply it. */
  readonly ignored: readonly Situation[];
  /** Whether the subscription has the value; left out where no record shows it. */
  has?(record: Json, value: unknown): boolean | Promise<boolean>;
}

const holds =
  (name: string) =>
  (record: Json, value: unknown): boolean =>
    JSON.stringify(record[name] ?? null).includes(JSON.stringify(value).replaceAll(/^\[|\]$/g, ''));
const onlyNew = ['active', 'inactive', 'reactivated'] as const;
const attribution = (field: string): Row => ({ field, value: () => 'spring', ignored: onlyNew, has: holds(field) });

const rows: readonly Row[] = [
  ...['utm_source', 'referring_site'].map(attribution),
  { field: 'reactivate_existing', value: () => true, ignored: [] },
  { field: 'send_welcome_email', value: () => true, ignored: ['active', 'inactive'] },
  { field: 'send_welcome_email', value: () => false, ignored: [] },
  { field: 'referral_code', value: async () => (await subscribed(ada))['referral_code'], ignored: onlyNew },
  {
    field: 'custom_fields',
    value: () => ({ Topics: ['food', 'boats'], Birthday: '1990-12-10', 'Team size': 3, 'Wants print': true }),
    ignored: [],
    has: (record) => ((record['custom_fields'] ?? []) as unknown[]).length >= 4,
  },
  { field: 'double_opt_override', value: () => 'on', ignored: ['active', 'inactive'] },
  { field: 'double_opt_override', value: () => 'off', ignored: ['inactive'] },
  { field: 'double_opt_override', value: () => 'not_set', ignored: [] },
  { field: 'tier', value: () => 'premium', ignored: [], has: holds('subscription_tier') },
  { field: 'tier', value: () => 'free', ignored: [], has: holds('subscription_tier') },
  {
    field: 'premium_tiers',
    value: () => firstTier('name'),
    ignored: onlyNew,
    has: holds('subscription_premium_tier_names'),
  },
  {
    field: 'premium_tier_ids',
    value: () => firstTier('id'),
    ignored: onlyNew,
    has: holds('subscription_premium_tiers'),
  },
  { field: 'payments_customer_id', value: () => 'cus_Q1w2E3r4T5', ignored: [] },
  {
    field: 'automation_ids',
    value: automation,
    ignored: ['inactive'],
    has: ({ email }) => isEnrolled(String(email)),
  },
  { field: 'newsletter_list_ids', value: firstList, ignored: ['inactive'], has: holds('newsletter_list_ids') },
  { field: 'skip_newsletter_list_auto_subscribe', value: () => true, ignored: onlyNew },
  {
    field: 'complimentary_gift_id',
    value: () => bench.first('searchComplimentaryAccess'),
    ignored: [],
    has: ({ subscription_tier }) => subscription_tier === 'premium',
  },
];

describe.each(situations)('a field of a subscription that is %s', (situation) => {
  it.each(rows)('$field is applied, or named in ignored_fields', async ({ field, value, ignored, has }) => {
    const email = 'reader@example.com';
    const asked = await value();
    // Without the list that every subscription joins by itself.
    if (situation === 'active') await subscribe({ email, skip_newsletter_list_auto_subscribe: true });
    if (situation === 'inactive' || situation === 'reactivated') await inactive(email);
    const before = await subscribed(email);
    const hints: { message: string }[] = [];
    const item = await upsert(
      email,
      { [field]: asked, ...(situation === 'reactivated' && { reactivate_existing: true }) },
      { hints },
    );
    const after = await subscribed(email);
    const isIgnored = field === 'reactivate_existing' ? false : ignored.includes(situation);

    expect(item['ignored_fields']).toEqual(isIgnored ? [field] : []);
    if (isIgnored) expect(hints.map(({ message }) => message).join()).toContain('did not apply "');
    expect(item).toMatchObject({ id: after['id'], email, created: expect.stringMatching(/^20\d\d-/) });
    // The address check of a new subscription ends in between.
    if (situation !== 'new') expect(item['status']).toBe(after['status']);
    if (has && !(await has(before, asked))) expect(await has(after, asked)).toBe(!isIgnored);

    const returns = situation === 'reactivated' || field === 'reactivate_existing';
    if (situation === 'active') expect(after['status']).toBe('active');
    if (situation === 'inactive' && !returns) {
      expect(after['status']).toBe('inactive');
      expect(item['stays_inactive']).toBe(true);
      expect(hints.map(({ message }) => message).join()).toContain('stays inactive');
    } else expect(item).not.toHaveProperty('stays_inactive');
    if (situation === 'reactivated')
      expect(after['status']).toBe(field === 'double_opt_override' && asked === 'on' ? 'pending' : 'active');
  });
});

describe('Double Opt-In: Off', () => {
  it('never reactivates a person whose status the specification does not have', async () => {
    const { id } = await inactive('away@example.com');
    const bodies: unknown[] = [];
    const hints: { message: string }[] = [];
    const fetch: Fetch = async (input, init) => {
      if (init?.method === 'POST') bodies.push(JSON.parse(String(init.body)));
      const answer = await bench.sandbox.fetch(input, init);
      return new Response((await answer.text()).replaceAll('"inactive"', '"complained"'), answer);
    };
    const fields = { reactivate_existing: true, double_opt_override: 'off' };
    const item = await upsert('away@example.com', fields, { hints, sandbox: { fetch } });
    expect(bodies).toMatchObject([{ email: 'away@example.com', reactivate_existing: false }]);
    expect(bodies).not.toMatchObject([{ double_opt_override: 'off' }]);
    expect(item).toMatchObject({ id, status: 'complained', stays_inactive: true });
    expect(item['ignored_fields']).toEqual(['double_opt_override', 'reactivate_existing']);
    expect(hints.map(({ message }) => message).join()).toContain('has the status "complained"');
    expect(await subscribed('away@example.com')).toMatchObject({ status: 'inactive' });
  });

  it('does not activate an unconfirmed subscription without the reactivation', async () => {
    await subscribe({ email: 'waiting@example.com', double_opt_override: 'on' });
    bench.sandbox.clock.advance(5000);
    expect(await subscribed('waiting@example.com')).toMatchObject({ status: 'pending' });
    const item = await upsert('waiting@example.com', { double_opt_override: 'off' });
    expect(item).toMatchObject({ status: 'pending', ignored_fields: ['double_opt_override'] });
    expect(
      await upsert('waiting@example.com', { double_opt_override: 'off', reactivate_existing: true }),
    ).toMatchObject({ status: 'active', ignored_fields: [] });
  });
});

describe.each(['200', '201'] as const)(
  '"outcome", where the service answers %s to a new address,',
  (created_status) => {
    beforeEach(() => bench.sandbox.assumptions.set({ created_status }));

    const another = () =>
      bench.before('POST', (_, times) =>
        times === 1 ? subscribe({ email: 'race@example.com', utm_source: 'form' }) : undefined,
      );

    it('is "created" for the first of several items with the same address', async () => {
      const items = await upsertAll(
        (index) => (index === 1 ? 'other@example.com' : 'Same@Example.com'),
        {},
        {
          items: [{}, {}, {}],
        },
      );
      expect(items.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'unchanged']);
    });

    it('is right for each of several items, each found with one request', async () => {
      const known = (await bench.run('subscription', 'getMany', { limit: 5 })).map(({ json }) => String(json['email']));
      const emails = known.flatMap((email, index) => [email, `new${index}@example.com`]);
      requests();
      const items = await upsertAll((index) => emails[index] ?? '', {}, { items: emails.map(() => ({})) });
      expect(items.map(({ outcome }) => outcome)).toEqual(
        emails.map((_, index) => (index % 2 === 1 ? 'created' : 'unchanged')),
      );
      // Two requests for each, one more for each existing one.
      expect(requests()).toHaveLength(2 * emails.length + known.length);
    });

    it('is "created" where another client creates the subscription after the lookup, and all fields are applied', async () => {
      const item = await upsert('race@example.com', { tier: 'premium' }, another());
      expect(item).toMatchObject({ outcome: 'created', subscription_tier: 'premium', ignored_fields: [] });
    });

    it('is "updated" where the lookup did not find a subscription that is older than its answer', async () => {
      await subscribe({ email: 'old@example.com' });
      bench.sandbox.clock.advance(3_600_000);
      const hidden = bench.before('GET', (url, times) =>
        times === 1 && url.includes('email=')
          ? Response.json({ data: [] }, { headers: { date: new Date(bench.sandbox.clock.now()).toUTCString() } })
          : undefined,
      );
      expect(await upsert('old@example.com', {}, hidden)).toMatchObject({ outcome: 'updated' });
    });

    it.each(['createOrUpdate', 'create'])(
      'is "created" where the answer to %s was lost and the request is retried',
      async (operation) => {
        let sent = 0;
        const fetch: Fetch = async (input, init) => {
          const response = await bench.sandbox.fetch(input, init);
          if (init?.method === 'POST' && (sent += 1) === 1)
            throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
          return response;
        };
        const item = await upsert('lost@example.com', { utm_source: 'spring' }, { operation, sandbox: { fetch } });
        expect({ item, sent }).toMatchObject({ item: { outcome: 'created', ignored_fields: [] }, sent: 2 });
      },
    );
  },
);

describe('what a service stores in another form', () => {
  /** Changes every text of this field in the answers of the service. */
  const storing = (name: string, change: (value: string) => string): Pick<Run, 'sandbox'> => ({
    sandbox: {
      async fetch(input, init) {
        const answer = await bench.prompt.fetch(input, init);
        const habit = new RegExp(`("${name}":)("(?:[^"]|\\\\")+")`, 'g');
        const text = (await answer.text()).replaceAll(
          habit,
          (_, key: string, value: string) => key + JSON.stringify(change(JSON.parse(value) as string)),
        );
        return new Response(text, answer);
      },
    },
  });
  const field = { 'First Name': 'ADA' };

  it.each<[string, Fields, Pick<Run, 'sandbox'>]>([
    ['in lower case', { utm_source: 'Facebook' }, storing('utm_source', (value) => value.toLowerCase())],
    ['cut off', { utm_campaign: 'c'.repeat(300) }, storing('utm_campaign', (value) => value.slice(0, 255))],
    [
      'without a slash',
      { referring_site: 'https://a.example/' },
      storing('referring_site', (value) => value.replace(/\/$/, '')),
    ],
    [
      'a custom field',
      { custom_fields: field },
      storing('value', (value) => `${value.charAt(0)}${value.slice(1).toLowerCase()}`),
    ],
  ])('%s, is not ignored, and its person is new', async (_, fields, habit) => {
    const item = await upsert('habit@example.com', fields, habit);
    expect(item).toMatchObject({ outcome: 'created', ignored_fields: [] });
    const again = await upsert('habit@example.com', fields, habit);
    expect(again).toMatchObject({ outcome: 'unchanged' });
  });

  it('is ignored where it still has its old value', async () => {
    await subscribe({ email: 'habit@example.com', utm_source: 'Form' });
    const habit = storing('utm_source', (value) => value.toLowerCase());
    expect(await upsert('habit@example.com', { utm_source: 'Facebook' }, habit)).toMatchObject({
      outcome: 'unchanged',
      ignored_fields: ['utm_source'],
    });
  });
});

it('is told that a service does not date its answers, so that nobody knows who is new', async () => {
  const hints: { message: string }[] = [];
  const fetch: Fetch = async (input, init) => {
    const answer = await bench.prompt.fetch(input, init);
    answer.headers.delete('date');
    return answer;
  };
  const item = await upsert('undated@example.com', { utm_source: 'fair' }, { hints, sandbox: { fetch } });
  expect(item).toMatchObject({ outcome: null, utm_source: 'fair', ignored_fields: [] });
  expect(hints.map(({ message }) => message).join()).toContain('does not tell whether a subscription is new');
});

describe('a service that applies every field to a known address', () => {
  it('gets no bulk update, and no field is reported as ignored', async () => {
    bench.sandbox.assumptions.set({ known_address: 'all_fields' });
    const item = await upsert(ada, { utm_source: 'spring', tier: 'premium', premium_tiers: await firstTier('name') });
    expect(item).toMatchObject({ outcome: 'updated', utm_source: 'spring', ignored_fields: [] });
    expect(bench.requests('subscriptions.bulkUpdate')).toEqual([]);
  });

  it('may answer that the subscriber is already enrolled', async () => {
    bench.sandbox.assumptions.set({ known_address: 'all_fields' });
    expect(await upsert(ada, { automation_ids: await automation() })).toMatchObject({ ignored_fields: [] });
  });
});

describe('the failure of a later step', () => {
  const revoked = () =>
    bench.before('PATCH', (url) => (url.includes('bulk_actions') ? refusal(401, 'Key revoked') : undefined));

  it('names the completed and the open steps where the bulk update is refused', async () => {
    const fields = { tier: 'premium', payments_customer_id: 'cus_1', custom_fields: { 'First Name': 'Augusta' } };
    await expect(upsert(ada, fields, revoked())).rejects.toMatchObject({
      httpCode: '401',
      message: expect.stringMatching(
        /^The subscription existed and its custom fields were set, but "Tier", "Payments Customer ID" may not have been: Key revoked/,
      ),
      description: expect.stringContaining('Check the API Key'),
      context: { itemIndex: 0 },
    });
    const { custom_fields } = await subscribed(ada);
    expect(custom_fields).toEqual(expect.arrayContaining([expect.objectContaining({ value: 'Augusta' })]));
    const item = await upsert(ada, { tier: 'premium' }, { ...revoked(), continueOnFail: true });
    expect(item).toEqual({ error: expect.stringMatching(/"Tier" may not have been: Key revoked\. Check the API Key/) });
  });

  it('states that the subscription was created where reading it failed', async () => {
    const failing = bench.before('GET', (url, times) =>
      times > 2 && url.includes('email=') ? refusal(404, 'No such publication') : undefined,
    );
    await expect(upsert('new@example.com', { custom_fields: { 'First Name': 'Nova' } }, failing)).rejects.toMatchObject(
      {
        message: 'The subscription was created, but reading it failed: No such publication',
        description: expect.stringContaining('Check the Publication'),
      },
    );
  });

  it('names the automation without an Add by API trigger', async () => {
    const all = await bench.run('automation', 'getMany', { returnAll: true });
    const without = all.find(({ json }) => !(json['trigger_events'] as readonly string[]).includes('api'));
    await expect(upsert(ada, { automation_ids: [String(without?.json['id'])] })).rejects.toMatchObject({
      message: expect.stringMatching(/"Automations" may not have been: .*Add by API/),
    });
  });

  it('reports a custom field that was renamed during the run as ignored in the later items', async () => {
    const [field] = await bench.run('customField', 'getMany', { returnAll: true });
    const [first, hints]: [Json | undefined, { message: string }[]] = [field?.json, []];
    const display = String(first?.['display']);
    const customFieldId = { mode: 'id', value: first?.['id'] };
    const renaming = bench.before('POST', (_, times) =>
      times === 2 ? bench.run('customField', 'update', { customFieldId, display: 'Renamed' }) : undefined,
    );
    const fields = { custom_fields: { [display]: 'x' } };
    const items = await upsertAll('same@example.com', fields, { items: [{}, {}], hints, ...renaming });
    expect(items.map(({ ignored_fields }) => ignored_fields)).toEqual([[], [`custom_fields.${display}`]]);
    expect(hints.map(({ message }) => message).join()).toContain('Choose the custom fields anew');
  });
});
