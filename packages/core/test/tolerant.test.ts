/** The two schemas of an answer: the strict one follows the specification, the client uses the tolerant one. */
import * as z from 'zod';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { operations, type OperationId } from '../src/contract/index.ts';
import {
  createClient,
  extraField,
  InvalidRequestError,
  type Subscription,
  type SubscriptionRequest,
} from '../src/index.ts';
import type { subscription as strictSubscription, subscriptionRequest } from '../src/records/index.ts';
import { schemas, tolerant } from '../src/records/index.ts';
import { checkAnswer } from '../src/schema/validator.ts';

const subscription = {
  id: 'sub_1',
  email: 'ada@example.com',
  status: 'active',
  created: 1,
  subscription_tier: 'free',
  subscription_premium_tier_names: [],
  utm_source: '',
  utm_medium: '',
  utm_channel: 'api',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  referring_site: '',
  referral_code: 'a',
};
const list = { data: [subscription], limit: 10, has_more: false, next_cursor: null };
const strict = (id: OperationId, value: unknown): boolean => schemas[id].answer.safeParse(value).success;
const accepted = (id: OperationId, value: unknown): boolean => checkAnswer(id, value).length === 0;

/** What the strict reading refuses, and the tolerant one accepts. */
const tolerated: readonly (readonly [what: string, id: OperationId, value: unknown])[] = [
  ['an unknown key', 'subscriptions.create', { data: { ...subscription, stripe_customer_id: '' } }],
  ['an unknown key beside data', 'subscriptions.create', { data: subscription, request_id: 'x' }],
  ['an unknown word of an enum', 'subscriptions.create', { data: { ...subscription, status: 'snoozed' } }],
  ['an id of another form', 'subscriptions.create', { data: { ...subscription, id: '17' } }],
  ['a required text that is missing', 'subscriptions.create', { data: { ...subscription, utm_term: undefined } }],
  ['a required text that is null', 'subscriptions.create', { data: { ...subscription, utm_term: null } }],
  ['an optional list that is null', 'subscriptions.create', { data: { ...subscription, tags: null } }],
  ['paging fields under pagination', 'subscriptions.list', { data: [], pagination: { limit: 10, has_more: false } }],
  ['a last page without next_cursor', 'subscriptions.list', { data: [], limit: 10, has_more: false }],
  ['totals of a page by cursor', 'subscriptions.list', { ...list, total_results: 1 }],
  ['both kinds of paging', 'subscriptions.list', { ...list, page: 1, total_results: 1, total_pages: 1 }],
  ['times as seconds', 'deletionRequests.get', { data: { id: '1', status: 'pending', requested_at: 1 } }],
];

/** What both find odd; the client tells it, and gives the answer as it came. */
const refused: readonly (readonly [what: string, id: OperationId, value: unknown])[] = [
  ['a number in place of an id', 'subscriptions.create', { data: { ...subscription, id: 7 } }],
  ['no email', 'subscriptions.create', { data: { ...subscription, email: undefined } }],
  ['no data', 'subscriptions.create', {}],
  ['data that is no list', 'subscriptions.list', { ...list, data: subscription }],
  ['a text in place of a time', 'subscriptions.create', { data: { ...subscription, created: '1' } }],
];

describe('the schemas of an answer', () => {
  it('both accept the answers of the specification', () => {
    const offset = { data: [subscription], limit: 10, page: 1, total_results: 1, total_pages: 1 };
    for (const answer of [list, offset]) {
      expect(strict('subscriptions.list', answer)).toBe(true);
      expect(accepted('subscriptions.list', answer)).toBe(true);
    }
    expect(strict('publicationFields.list', { ...list, data: [], total_results: 0 })).toBe(true);
  });

  it.each(tolerated)('the strict one rejects %s, the tolerant one accepts it', (_, id, value) => {
    expect(strict(id, value)).toBe(false);
    expect(accepted(id, value)).toBe(true);
  });

  it.each(refused)('both reject %s', (_, id, value) => {
    expect(strict(id, value)).toBe(false);
    expect(accepted(id, value)).toBe(false);
  });

  it('the tolerant one finds nothing odd in what is new', () => {
    const answer = { data: { ...subscription, status: 'snoozed', more: { a: [1] } }, extra: 1 };
    expect(checkAnswer('subscriptions.create', answer)).toEqual([]);
  });

  it('the tolerant one exists for every answer', () => {
    for (const { id } of operations) expect(tolerant(schemas[id].answer), id).toBeInstanceOf(z.core.$ZodType);
  });
});

describe('the generated types', () => {
  it('take what the strict schemas make', () => {
    expectTypeOf<z.output<typeof strictSubscription>>().toExtend<Subscription>();
    expectTypeOf<z.input<typeof subscriptionRequest>>().toExtend<SubscriptionRequest>();
  });

  it('leave unknown fields to extraField', () => {
    const answered = { ...subscription, stripe_customer_id: 'cus_1' };
    const record: Subscription = answered;
    expect(extraField(record, 'stripe_customer_id')).toBe('cus_1');
    expect(extraField(record, 'nothing')).toBeUndefined();
    expect(extraField(record, 'toString')).toBeUndefined();
  });
});

describe('requests with contradictory arguments', () => {
  const client = createClient({
    baseUrl: 'http://api.test/v2',
    publicationId: 'pub_1',
    token: 'k',
    fetch: () => Promise.reject(new Error('nothing is to be sent')),
  });

  it('an enrollment without a subscriber is rejected before it is sent', async () => {
    const call = client.journeys.enroll({ automationId: 'aut_1' } as never);
    await expect(call).rejects.toThrow(InvalidRequestError);
    await expect(call).rejects.toThrow('"email" or "subscription_id" is missing');
  });

  it('a list by cursor and page is rejected before it is sent', async () => {
    const call = client.subscriptions.list({ cursor: 'abc', page: 2 } as never);
    await expect(call).rejects.toThrow('"cursor" and "page" cannot be combined');
  });
});
