import { expect, test } from 'vitest';
import { publicationId, type Sandbox, type SandboxEvent, type Seed } from '../../src/index.ts';
import { control, ask, create, fresh, list, publicationPath, send, subscriptionsPath } from '../caller.ts';

const seed: Seed = {
  publications: [
    {
      id: publicationId,
      name: 'P',
      tiers: [{ name: 'Gold' }, { name: 'Silver' }],
      newsletter_lists: [{ name: 'Weekly', auto_subscribe: true }, { name: 'Daily' }, { name: 'Monthly' }],
      custom_fields: [{ display: 'City', kind: 'string' }],
      automations: [{ name: 'Open', trigger_events: ['api'], emails: [{ subject_line: 'One', wait: 'P1D' }] }],
      complimentary_access: [{ tier: 'Silver', duration: 1, time_unit: 'days', description: 'A day' }],
      subscriptions: [
        { email: 'active@example.com' },
        { email: 'inactive@example.com', status: 'inactive' },
        { email: 'pending@example.com', status: 'pending' },
        { email: 'paused@example.com', status: 'paused' },
      ],
    },
  ],
};
const ada = { email: 'ada@example.com' };
const reasonsOf = (sandbox: Sandbox) => sandbox.requests().at(-1)?.reasons;
const returned = 'A subscription with this address exists: it was returned, with custom fields applied.';
const statusOf = async (sandbox: Sandbox, email: string) => (await list(sandbox, { email })).data[0]?.status;

const stays = 'The subscription stays inactive: reactivate_existing was not true.';
const ignored = 'Ignored for an existing subscription (assumption known_address):';

test.each<[object, status: string, reasons: readonly string[]]>([
  [ada, 'validating', ['Created a subscription with status validating.']],
  [{ ...ada, double_opt_override: 'off' }, 'active', ['Created a subscription with status active.']],
  [
    { ...ada, referral_code: 'NOBODY' },
    'validating',
    [
      'Created a subscription with status validating.',
      'referral_code belongs to no subscription of this publication: no referral was credited.',
    ],
  ],
  [{ ...ada, referral_code: '' }, 'validating', ['Created a subscription with status validating.']],
  [{ email: 'ACTIVE@example.com' }, 'active', [returned]],
  [{ email: 'active@example.com', double_opt_override: 'on' }, 'active', [returned]],
  [{ email: 'active@example.com', reactivate_existing: true, double_opt_override: 'off' }, 'active', [returned]],
  [
    { email: 'active@example.com', utm_source: 'x', referral_code: 'y', skip_newsletter_list_auto_subscribe: true },
    'active',
    [returned, `${ignored} utm_source, referral_code, skip_newsletter_list_auto_subscribe.`],
  ],
  [
    { email: 'active@example.com', send_welcome_email: true, reactivate_existing: true },
    'active',
    [returned, `${ignored} send_welcome_email.`],
  ],
  [{ email: 'inactive@example.com' }, 'inactive', [returned, stays]],
  [
    { email: 'inactive@example.com', reactivate_existing: false, double_opt_override: 'off' },
    'inactive',
    [returned, stays],
  ],
  [
    { email: 'inactive@example.com', reactivate_existing: true, send_welcome_email: true },
    'active',
    [returned, 'reactivate_existing was true: inactive became active.'],
  ],
  [
    { email: 'inactive@example.com', reactivate_existing: true, double_opt_override: 'on' },
    'pending',
    [returned, 'reactivate_existing was true: inactive became pending.'],
  ],
  [
    { email: 'pending@example.com', double_opt_override: 'off' },
    'active',
    [returned, 'double_opt_override was off: pending became active.'],
  ],
  [{ email: 'pending@example.com', double_opt_override: 'on' }, 'pending', [returned]],
  [{ email: 'paused@example.com', double_opt_override: 'off' }, 'paused', [returned]],
  [{ email: 'paused@example.com', reactivate_existing: true }, 'paused', [returned]],
])('after the creation %j the status is %s, and the log says why', async (body, status, reasons) => {
  const sandbox = fresh({ seed });
  expect((await create(sandbox, body)).data.status).toBe(status);
  expect(reasonsOf(sandbox)).toEqual(reasons);
});

test('the log names what stays ignored under known_address=all_fields', async () => {
  const sandbox = fresh({ seed, assumptions: { known_address: 'all_fields' } });
  await create(sandbox, { email: 'active@example.com', utm_source: 'x', referral_code: 'y', send_welcome_email: true });
  expect(reasonsOf(sandbox)).toEqual([
    'A subscription with this address exists: it was returned, with all fields applied.',
    'Ignored because they apply to new subscriptions only: referral_code, send_welcome_email.',
  ]);
  await create(sandbox, { email: 'active@example.com', utm_source: 'x' });
  expect(reasonsOf(sandbox)).toEqual([
    'A subscription with this address exists: it was returned, with all fields applied.',
  ]);
});

test('under known_address=all_fields tiers, lists and customer are applied, and each change is one event', async () => {
  const sandbox = fresh({ seed, assumptions: { known_address: 'all_fields' } });
  const email = 'active@example.com';
  await create(sandbox, ada);
  const [auto] = (await list(sandbox, { email: ada.email, 'expand[]': 'newsletter_lists' })).data;
  const newsletter_list_ids = auto?.newsletter_list_ids ?? [];
  const changes: string[] = [];
  sandbox.subscribe((event) => {
    if (event.type === 'subscription') changes.push(event.change);
  });
  const after = async (body: object) => {
    const { data } = await create(sandbox, { email, ...body });
    const { body: shown } = await control(sandbox, 'GET', `/subscriptions/${data.id}`);
    const [listed] = (await list(sandbox, { email, 'expand[]': 'newsletter_lists' })).data;
    return [
      data.subscription_tier,
      data.subscription_premium_tier_names,
      listed?.newsletter_list_ids,
      (shown as { data: { payments_customer_id: string } }).data.payments_customer_id,
    ];
  };
  expect(await after({})).toEqual(['free', [], [], '']);
  expect(changes).toEqual([]);
  expect(await after({ tier: 'premium', payments_customer_id: 'cus_1' })).toEqual(['premium', [], [], 'cus_1']);
  expect(changes).toEqual(['updated']);
  expect(await after({ tier: 'free' })).toEqual(['free', [], [], 'cus_1']);
  expect(await after({ premium_tiers: ['Gold'], newsletter_list_ids })).toEqual([
    'premium',
    ['Gold'],
    newsletter_list_ids,
    'cus_1',
  ]);
  const attribution = { utm_source: 'x', utm_term: 'boats', referring_site: 'https://second.example' };
  expect(await after(attribution)).toEqual(['premium', ['Gold'], newsletter_list_ids, 'cus_1']);
  await after({ utm_medium: 'kept' });
  expect((await list(sandbox, { email })).data[0]).toMatchObject({ ...attribution, utm_medium: 'kept' });
  expect(changes).toEqual(['updated', 'updated', 'updated', 'updated', 'updated']);
});

test('under known_address=all_fields a gift is given, and the subscriber is enrolled', async () => {
  const sandbox = fresh({ seed, assumptions: { known_address: 'all_fields' } });
  const [open] = (await ask(sandbox, 'automations.list', `${publicationPath}/automations`)).data;
  const [gift] = (await ask(sandbox, 'complimentaryAccess.list', `${publicationPath}/complimentary_access`)).data;
  const { data } = await create(sandbox, {
    email: 'active@example.com',
    automation_ids: [open?.id],
    complimentary_gift_id: gift?.id,
  });
  expect(data.subscription_premium_tier_names).toEqual(['Silver']);
  const journeys = `${publicationPath}/automations/${open?.id}/journeys`;
  expect((await ask(sandbox, 'journeys.list', journeys)).data).toMatchObject([{ email: 'active@example.com' }]);
});

test('double_opt_override on while the address is checked makes the subscription pending', async () => {
  const sandbox = fresh({ seed });
  await create(sandbox, ada);
  await create(sandbox, { ...ada, double_opt_override: 'on' });
  sandbox.clock.advance(500);
  expect(await statusOf(sandbox, ada.email)).toBe('pending');
});

test('a second request without an override leaves the check of the address as it is', async () => {
  const sandbox = fresh({ seed });
  await create(sandbox, ada);
  await create(sandbox, ada);
  sandbox.clock.advance(500);
  expect(await statusOf(sandbox, ada.email)).toBe('active');
});

test('a subscription that is active at once has nothing left to check', async () => {
  const sandbox = fresh({ seed });
  const due = async () => ((await control(sandbox, 'GET', '/clock')).body as { due: { count: number } }).due.count;
  await create(sandbox, { ...ada, double_opt_override: 'off' });
  expect(await due()).toBe(0);
  await create(sandbox, { email: 'checked@example.com' });
  expect(await due()).toBe(1);
});

test.each([
  [{}, 'pending'],
  [{ double_opt_override: 'not_set' }, 'pending'],
  [{ double_opt_override: 'off' }, 'active'],
])('a publication with double opt-in makes a reactivated subscriber with %j %s', async (more, status) => {
  const sandbox = fresh({
    seed: {
      publications: [
        {
          id: publicationId,
          name: 'P',
          double_opt_in: true,
          subscriptions: [{ email: ada.email, status: 'inactive' }],
        },
      ],
    },
  });
  await create(sandbox, { ...ada, reactivate_existing: true, ...more });
  expect(await statusOf(sandbox, ada.email)).toBe(status);
});

test('the address check takes half a second', async () => {
  const sandbox = fresh({ seed });
  await create(sandbox, ada);
  sandbox.clock.advance(499);
  expect(await statusOf(sandbox, ada.email)).toBe('validating');
  sandbox.clock.advance(1);
  expect(await statusOf(sandbox, ada.email)).toBe('active');
});

test.each([
  ['invalid', 'ada@nowhere.invalid'],
  ['invalid', 'ada@NOWHERE.INVALID'],
  ['active', 'ada@invalid.example'],
])('the check makes the status %s for %s', async (status, email) => {
  const sandbox = fresh({ seed });
  await create(sandbox, { email });
  sandbox.clock.advance(1000);
  expect(await statusOf(sandbox, email)).toBe(status);
});

test('an address that became inactive while it was checked stays inactive', async () => {
  const sandbox = fresh({ seed });
  const { data } = await create(sandbox, ada);
  await send(sandbox, 'PATCH', subscriptionsPath, { subscription_ids: [data.id], new_status: 'inactive' });
  sandbox.clock.advance('P1D');
  expect(await statusOf(sandbox, ada.email)).toBe('inactive');
});

test('a new subscription starts without tier, tags and statistics', async () => {
  const sandbox = fresh({ seed });
  await create(sandbox, ada);
  expect(
    (await list(sandbox, { ...ada, 'expand[]': ['stats', 'tags', 'custom_fields', 'referrals'] })).data,
  ).toMatchObject([
    {
      subscription_tier: 'free',
      subscription_premium_tier_names: [],
      utm_channel: 'api',
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      referring_site: '',
      tags: [],
      referrals: [],
      custom_fields: [],
      stats: { emails_received: 0, open_rate: 0, click_through_rate: 0 },
    },
  ]);
});

test('a subscriber is created, changed and reactivated with one event each, and an unchanged one with none', async () => {
  const sandbox = fresh({ seed });
  const events: string[] = [];
  sandbox.subscribe((event: SandboxEvent) => {
    if (event.type === 'subscription') events.push(`${event.change} ${String(event.subscription['email'])}`);
  });
  await create(sandbox, ada);
  sandbox.clock.advance(1000);
  await create(sandbox, ada);
  await create(sandbox, { ...ada, utm_source: 'x' });
  await create(sandbox, { ...ada, custom_fields: [{ name: 'City', value: 'Ulm' }] });
  await create(sandbox, { email: 'inactive@example.com' });
  await create(sandbox, { email: 'inactive@example.com', reactivate_existing: true });
  await create(sandbox, { email: 'pending@example.com', double_opt_override: 'off' });
  expect(events).toEqual([
    'created ada@example.com',
    'updated ada@example.com',
    'updated ada@example.com',
    'updated inactive@example.com',
    'updated pending@example.com',
  ]);
});

test.each([
  [
    { name: 'city', value: 'x' },
    'Custom field "city" does not exist on this publication; its value was dropped. There is "City"; the name must match exactly.',
    'CUSTOM_FIELD_NOT_FOUND',
  ],
  [
    { name: ' City ', value: 'x' },
    'Custom field " City " does not exist on this publication; its value was dropped. There is "City"; the name must match exactly.',
    'CUSTOM_FIELD_NOT_FOUND',
  ],
  [
    { name: 'Town', value: 'x' },
    'Custom field "Town" does not exist on this publication; its value was dropped.',
    'CUSTOM_FIELD_NOT_FOUND',
  ],
  [
    { name: 'x'.repeat(100), value: 'x' },
    `Custom field "${'x'.repeat(100)}" does not exist on this publication; its value was dropped.`,
    'CUSTOM_FIELD_NOT_FOUND',
  ],
  [
    { name: 'x'.repeat(101), value: 'x' },
    `Custom field "${'x'.repeat(100)}…" does not exist on this publication; its value was dropped.`,
    'CUSTOM_FIELD_NOT_FOUND',
  ],
  [{ value: 'x' }, '"custom_fields[0]" has no name; its value was dropped.', 'CUSTOM_FIELD_NAME_MISSING'],
  [{ name: '', value: 'x' }, '"custom_fields[0]" has no name; its value was dropped.', 'CUSTOM_FIELD_NAME_MISSING'],
])('the custom field %j is dropped with a warning', async (field, message, code) => {
  const answer = await create(fresh({ seed }), { ...ada, custom_fields: [field] });
  expect(answer.warnings).toEqual([{ message, code }]);
});
