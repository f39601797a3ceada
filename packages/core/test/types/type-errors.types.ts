/** Type errors: `tsc --build` fails where a line below compiles. Nothing here is run. */
import {
  createClient,
  createEngine,
  createFetchHost,
  type Subscription,
  type SubscriptionListParams,
} from '@newsletter-kit/core';
import { importSubscriptions } from '@newsletter-kit/core/import';
import { readAttribution } from '@newsletter-kit/core/signup';
import { watchSubscriptions } from '@newsletter-kit/core/watch';

const client = createClient({ baseUrl: 'http://127.0.0.1:4010/v2' });
declare const subscription: Subscription;
const automationId = 'aut_1';
const email = 'ada@example.com';

// Fields of answers.
// @ts-expect-error -- misspelled field
export const misspelled = subscription.emial;
// @ts-expect-error -- a field of the service that the specification does not have: use extraField
export const undocumented = subscription.stripe_customer_id;
// @ts-expect-error -- misspelled key beside data
export const { warnigs } = await client.subscriptions.create({ email });
// @ts-expect-error -- the answer is wrapped in data
export const unwrapped = (await client.subscriptions.create({ email })).email;
// @ts-expect-error -- misspelled field of a nested record
export const nested = subscription.stats?.open_rates;
// @ts-expect-error -- seconds are a number
export const created: string = subscription.created;
// @ts-expect-error -- may be missing
export const source: string = subscription.utm_source;
// @ts-expect-error -- the type of a custom field's value is not specified
export const value: string = subscription.custom_fields?.[0]?.value ?? '';
// @ts-expect-error -- a page has no field data
export const page = (await client.subscriptions.list()).data;
// @ts-expect-error -- answers nothing
export const nothing: object = await client.customFields.delete({ id: '1' });

// Parameters.
// @ts-expect-error -- email is required
export const noEmail = client.subscriptions.create({});
// @ts-expect-error -- parameters are required
export const noParams = client.subscriptions.create();
// @ts-expect-error -- misspelled parameter
export const misspelledParam = client.subscriptions.create({ emial: email });
// @ts-expect-error -- a field that the specification does not have
export const tags = client.subscriptions.create({ email, tags: ['a'] });
// @ts-expect-error -- no such word
export const override = client.subscriptions.create({ email, double_opt_override: 'yes' });
// @ts-expect-error -- misspelled key of a custom field
export const field = client.subscriptions.create({ email, custom_fields: [{ nmae: 'Topics', value: 'ai' }] });
// @ts-expect-error -- custom field values are no objects
export const object = client.subscriptions.create({ email, custom_fields: [{ name: 'Topics', value: { a: 1 } }] });
// @ts-expect-error -- no such expansion
export const expand = client.subscriptions.list({ expand: ['everything'] });
// @ts-expect-error -- a list of expansions
export const expandText = client.subscriptions.list({ expand: 'stats' });
// @ts-expect-error -- repeatable parameters stand without brackets
export const brackets = client.subscriptions.list({ 'expand[]': ['stats'] });
// @ts-expect-error -- a cursor or a page, not both
export const both = client.subscriptions.list({ cursor: 'abc', page: 2 });
// @ts-expect-error -- a cursor or a page, not both
export const bothEmails = client.automations.listEmails({ automationId, cursor: 'abc', page: 2 });
// @ts-expect-error -- this list takes no cursor
export const cursor = client.authors.list({ cursor: 'abc' });
// @ts-expect-error -- this list takes no page
export const offset = client.complimentaryAccess.list({ page: 2 });
// @ts-expect-error -- an address or an id is required
export const nobody = client.journeys.enroll({ automationId });
// @ts-expect-error -- the automation is required
export const nowhere = client.journeys.enroll({ email });
// @ts-expect-error -- the id is required
export const noId = client.customFields.get({});
// @ts-expect-error -- an update names its subscription
export const update = client.subscriptions.bulkUpdate({ subscriptions: [{ tier: 'free' }] });
// @ts-expect-error -- list
export const ids = client.subscriptions.updateStatus({ subscription_ids: 'sub_1', new_status: 'active' });

// Methods and options.
// @ts-expect-error -- no such method
export const method = client.subscriptions.delete({ id: 'sub_1' });
// @ts-expect-error -- no such resource
export const resource = client.subscribers;
// @ts-expect-error -- misspelled option
export const option = client.subscriptions.list({}, { timeout: 1000 });
// @ts-expect-error -- an address, not a promise
export const address: Promise<string> = client.oauth.authorize({
  client_id: 'c',
  redirect_uri: 'http://localhost/',
  response_type: 'code',
});

// What must compile. The values of these fields are not shown in the specification.
export const status = client.subscriptions.list({ status: 'asleep' });
export const newStatus = client.subscriptions.updateStatus({ subscription_ids: ['sub_1'], new_status: 'paused' });
export const kind = client.customFields.create({ kind: 'text', display: 'Topics' });
export const byEmail = client.journeys.enroll({ automationId, email });
export const byId = client.journeys.enroll({ automationId, subscription_id: 'sub_1' });
export const params: SubscriptionListParams = { page: 2, limit: 100, expand: ['stats'] as const };
export const snoozed = subscription.status === 'snoozed';
export const frozen = client.subscriptions.create({ email, premium_tiers: Object.freeze(['Gold']) });

// Callbacks may return anything, and an option that is undefined is one that is left out.
const { engine } = client;
const rows: number[] = [];
const none = undefined;
export const bulk = importSubscriptions({
  engine,
  source: [],
  onRejected: ({ row }) => rows.push(row),
  onProgress: ({ read }) => rows.push(read),
  onAccepted: async (batch) => rows.push(...batch.rows),
  onFailed: (batch) => rows.push(...batch.rows),
  signal: none,
});
export const watch = watchSubscriptions({
  engine,
  publicationId: none,
  events: none,
  customFields: none,
  status: none,
  expand: none,
  state: none,
  pages: none,
  capacity: none,
  limit: none,
  hasTime: none,
  call: none,
});
export const polls = watch.polls({ everyMs: none, signal: none });
export const attribution = readAttribution({ url: '', referrer: '' }, { overrides: none, referralParameter: none });
export const bare = createEngine({
  host: createFetchHost({ fetch: none }),
  baseUrl: 'http://127.0.0.1:4010/v2',
  appUrl: none,
  token: none,
  retry: none,
  extraHeaders: none,
  concurrency: none,
  pacer: none,
  validator: none,
  onAttempt: none,
});
export const raw = client.request('GET', '/x', { query: none, body: none, headers: none, retryClass: none });
