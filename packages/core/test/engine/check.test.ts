/** The checks of requests and answers, beside the strict schemas of the specification that they are written from. */
import fc from 'fast-check';
import type * as z from 'zod/mini';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { operations, shapes, type OperationId, type Shape } from '../../src/contract/index.ts';
import { answerChecks } from '../../src/engine/answer-checks.ts';
import { fits } from '../../src/engine/check.ts';
import { checkAnswer, checkRequest } from '../../src/engine/index.ts';
import { extraField, type Subscription, type SubscriptionRequest } from '../../src/index.ts';
import { fieldOf, schemas, type OperationSchemas } from '../../src/records/index.ts';
import type { subscription as strictSubscription, subscriptionRequest } from '../../src/records/index.ts';

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

/** What the specification forbids, and a client does without a word. */
const tolerated: readonly (readonly [what: string, id: OperationId, value: unknown])[] = [
  ['an unknown key', 'subscriptions.create', { data: { ...subscription, more: { a: [1] } } }],
  ['an unknown key beside data', 'subscriptions.create', { data: subscription, request_id: 'x' }],
  ['an unknown word of an enum', 'subscriptions.create', { data: { ...subscription, status: 'snoozed' } }],
  ['an id of another form', 'subscriptions.create', { data: { ...subscription, id: '17' } }],
  ['a required text that is missing', 'subscriptions.create', { data: { ...subscription, utm_term: undefined } }],
  ['a required text that is null', 'subscriptions.create', { data: { ...subscription, utm_term: null } }],
  ['an optional list that is null', 'subscriptions.create', { data: { ...subscription, tags: null } }],
  ['paging fields under pagination', 'subscriptions.list', { data: [], pagination: { limit: 10, has_more: false } }],
  ['a last page without next_cursor', 'subscriptions.list', { data: [], limit: 10, has_more: false }],
  ['both kinds of paging', 'subscriptions.list', { ...list, page: 1, total_results: 1, total_pages: 1 }],
  ['times as seconds', 'deletionRequests.get', { data: { id: '1', status: 'pending', requested_at: 1 } }],
];

/** What is told beside an answer, which is given as it came. */
const told: readonly (readonly [id: OperationId, value: unknown, problem: string])[] = [
  ['subscriptions.create', { data: { ...subscription, id: 7 } }, 'data.id: expected string, received number'],
  [
    'subscriptions.create',
    { data: { ...subscription, email: undefined } },
    'data.email: expected string, received undefined',
  ],
  ['subscriptions.create', {}, 'data: expected object, received undefined'],
  ['subscriptions.list', { ...list, data: subscription }, 'data: expected array, received object'],
  [
    'oauth.tokenInfo',
    { resource_owner_id: [], scope: 'a', expires_in_seconds: 1, created_at: 1, application: { uid: 'x' } },
    'resource_owner_id: expected string or number, received array',
  ],
];

describe('the check of an answer', () => {
  it.each(tolerated)('says nothing of %s, which the specification forbids', (_, id, value) => {
    expect(strict(id, value)).toBe(false);
    expect(checkAnswer(id, value)).toEqual([]);
  });

  it.each(told)('of %s tells each field that a client cannot read', (id, value, problem) => {
    expect(checkAnswer(id, value).map((each) => `${each.field}: ${each.problem}`)).toContain(problem);
  });

  it('counts the records that have it', () => {
    const odd = { ...subscription, created: '1' };
    expect(checkAnswer('subscriptions.list', { ...list, data: [odd, subscription, odd] })).toEqual([
      { field: 'data[].created', problem: 'expected number, received string', records: 2 },
    ]);
  });
});

/** Values that fit a shape, and now and then anything else in the place of one of them. */
function valueOf(shape: Shape): fc.Arbitrary<unknown> {
  const fitting = fittingOf(shape);
  const odd = fc.constantFrom<unknown>('', 'word', 0, -1, 1.5, 1e9, true, null, [], {}, [null], Infinity);
  return fc.oneof(
    { weight: 24, arbitrary: fitting },
    { weight: 1, arbitrary: odd },
    ...(shape.nullable ? [{ weight: 2, arbitrary: fc.constant(null) }] : []),
    ...(shape.optional ? [{ weight: 9, arbitrary: fc.constant(undefined) }] : []),
  );
}

function fittingOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.is) {
    case 'object': {
      const fields = Object.fromEntries(Object.entries(shape.of).map(([name, field]) => [name, valueOf(field)]));
      const more = { more: fc.constant(1) };
      return fc.oneof(
        ...[[19, fields] as const, [1, { ...fields, ...more }] as const].map(([weight, all]) => ({
          weight,
          arbitrary: fc.record(all).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        })),
      );
    }
    case 'array':
      return fc.array(valueOf(shape.of), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.constantFrom('x', 'site'), valueOf(shape.of), { maxKeys: 2 });
    case 'union':
      return fc.oneof(...shape.of.map(fittingOf));
    case 'string': {
      const { form, pattern, words = ['text'] } = shape;
      if (form === 'address') return fc.constantFrom('ada@example.com', ' Bo@BÜCHER.example', 'no address');
      if (form === 'trimmed') return fc.constantFrom('Topics', ' Topics ', ' ');
      return pattern ? fc.stringMatching(new RegExp(pattern), { maxLength: 20 }) : fc.constantFrom(...words);
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return shape.coerce ? fc.constantFrom<unknown>(1, 100, '7', 101, 'many') : fc.constantFrom(1, 17, 2.5);
  }
}

describe('the checks beside the strict schemas', () => {
  const strictly: Readonly<Record<OperationId, OperationSchemas>> = schemas;
  const runs = { numRuns: 400, seed: 66 };

  it.each(operations.filter(({ id }) => shapes[id].query ?? shapes[id].body))(
    'take and change a request alike: $id',
    ({ id }) => {
      const { query, body } = shapes[id];
      const nothing = fc.constant({});
      const parts = fc.record({ query: query ? fittingOf(query) : nothing, body: body ? fittingOf(body) : nothing });
      fc.assert(
        fc.property(
          parts as fc.Arbitrary<{ query: Record<string, unknown>; body: Record<string, unknown> }>,
          (given) => {
            const [inQuery, inBody] = (['query', 'body'] as const).map((part) =>
              strictly[id][part]?.safeParse(given[part]),
            );
            const checked = checkRequest(id, given);
            const isClean = 'value' in checked && checked.unknown.length === 0;
            expect(isClean).toBe((inQuery?.success ?? true) && (inBody?.success ?? true));
            if (!('value' in checked) || !isClean) return;
            if (inQuery) expect(checked.value.query).toEqual(inQuery.data);
            if (inBody) expect(checked.value.body).toEqual(inBody.data);
          },
        ),
        runs,
      );
    },
  );

  it.each(operations)('tell of an answer what the schema says of the same fields: $id', ({ id }) => {
    fc.assert(
      fc.property(fittingOf(shapes[id].answer), (answer) => {
        expect(answerChecks[id](answer)).toBe(fits(shapes[id].answer, answer));
        const found = checkAnswer(id, answer).map(({ field }) => field);
        const issues = strictly[id].answer.safeParse(answer).error?.issues ?? [];
        const fields = new Set(issues.map(({ path }) => fieldOf(path)));
        expect(found.filter((field) => !fields.has(field))).toEqual([]);
      }),
      runs,
    );
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
