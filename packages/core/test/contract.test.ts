/** The contract against a second, independent transcription of the specification's tables. */
import { describe, expect, it } from 'vitest';
import { operation, operations, type Operation, type OperationId } from '../src/contract/index.ts';
import { schemas, subscriptionRequest, tolerant, type OperationSchemas } from '../src/records/index.ts';

const P = '/publications/{publicationId}';
const usual = '400 401 404 429 500';
const withForbidden = '400 401 403 404 429 500';

/** Method and path, scope, success, errors: one row per cell of the specification. */
const specified = [
  ['POST', `${P}/subscriptions`, 'subscriptions:write', 200, usual],
  ['GET', `${P}/subscriptions`, 'subscriptions:read', 200, usual],
  ['POST', `${P}/bulk_subscriptions`, 'subscriptions:write', 200, usual],
  ['GET', `${P}/bulk_subscription_updates`, 'subscriptions:read', 200, usual],
  ['GET', `${P}/bulk_subscription_updates/{id}`, 'subscriptions:read', 200, usual],
  ['PUT', `${P}/subscriptions/bulk_actions`, 'subscriptions:write', 200, usual],
  ['PATCH', `${P}/subscriptions/bulk_actions`, 'subscriptions:write', 200, usual],
  ['PUT', `${P}/subscriptions`, 'subscriptions:write', 200, usual],
  ['PATCH', `${P}/subscriptions`, 'subscriptions:write', 200, usual],
  ['GET', `${P}/automations`, 'automations:read', 200, usual],
  ['GET', `${P}/automations/{automationId}`, 'automations:read', 200, usual],
  ['GET', `${P}/automations/{automationId}/emails`, null, 200, usual],
  ['POST', `${P}/automations/{automationId}/journeys`, 'automations:write', 200, usual],
  ['GET', `${P}/automations/{automationId}/journeys`, 'automations:read', 200, usual],
  ['GET', `${P}/automations/{automationId}/journeys/{automationJourneyId}`, 'automations:read', 200, usual],
  ['GET', `${P}/authors`, null, 200, withForbidden],
  ['GET', `${P}/authors/{authorId}`, null, 200, withForbidden],
  ['GET', `${P}/advertisement_opportunities`, 'posts:read', 200, withForbidden],
  ['GET', `${P}/complimentary_access`, 'complimentary_access:read', 200, usual],
  ['GET', `${P}/complimentary_access/{complimentaryAccessId}`, 'complimentary_access:read', 200, usual],
  ['GET', `${P}/condition_sets`, 'condition_sets:read', 200, usual],
  ['GET', `${P}/condition_sets/{conditionSetId}`, 'condition_sets:read', 200, '401 404 429 500'],
  ['POST', `${P}/custom_fields`, 'custom_fields:write', 200, usual],
  ['GET', `${P}/custom_fields`, 'custom_fields:read', 200, usual],
  ['GET', `${P}/custom_fields/{id}`, 'custom_fields:read', 200, usual],
  ['PUT', `${P}/custom_fields/{id}`, 'custom_fields:write', 200, usual],
  ['PATCH', `${P}/custom_fields/{id}`, 'custom_fields:write', 200, usual],
  ['DELETE', `${P}/custom_fields/{id}`, 'custom_fields:write', 204, usual],
  ['POST', `${P}/data_privacy/deletion_requests`, 'data_deletion:write', 201, '400 401 403 404 409 429 500'],
  ['GET', `${P}/data_privacy/deletion_requests`, 'data_deletion:read', 200, '401 403 404 429 500'],
  ['GET', `${P}/data_privacy/deletion_requests/{id}`, 'data_deletion:read', 200, '401 403 404 429 500'],
  ['GET', '/workspaces/publication_fields', 'publication_fields:read', 200, withForbidden],
] as const;

/** An extension that services have beyond the specification. */
const extensions = [['GET', '/publications', 'publications:read', 200, '400 401 403 429 500']] as const;

const api = operations.filter(({ base }) => base === 'api');
const app = operations.filter(({ base }) => base === 'app');
const bare = (name: string): string => name.replace(/\[\]$/, '');

describe('the contract', () => {
  it('holds the 32 API operations of the specification, and besides them only operations marked as extensions', () => {
    const named = api
      .filter(({ extension }: Operation) => extension !== true)
      .map(({ method, path }) => `${method} ${path}`)
      .sort();
    expect(named).toEqual(specified.map(([method, path]) => `${method} ${path}`).sort());
    expect(named).toHaveLength(32);
  });

  it.each([...specified, ...extensions])(
    '%s %s needs scope %s, answers %i, fails with %s',
    (method, path, scope, success, errors) => {
      const found = api.find((each) => each.method === method && each.path === path);
      expect(found).toMatchObject({ scope, success });
      expect(found?.errors.join(' ')).toBe(errors);
    },
  );

  it('holds the six OAuth operations', () => {
    expect(app.map(({ id, method, path }) => `${id}: ${method} ${path}`)).toEqual([
      'oauth.authorize: GET /oauth/authorize',
      'oauth.exchange: POST /oauth/token',
      'oauth.refresh: POST /oauth/token',
      'oauth.revoke: POST /oauth/revoke',
      'oauth.introspect: POST /oauth/introspect',
      'oauth.tokenInfo: GET /oauth/token/info',
    ]);
  });

  it('marks three operations and the OAuth grants as non-idempotent', () => {
    expect(operations.filter(({ retry }) => retry === 'once').map(({ id }) => id)).toEqual([
      'journeys.enroll',
      'customFields.create',
      'deletionRequests.create',
      'oauth.exchange',
      'oauth.refresh',
    ]);
    for (const { id, method, retry } of operations) if (method === 'GET') expect(retry, id).toBe('safe');
  });

  it('names the query parameters of the subscription list in full', () => {
    expect(operation('subscriptions.list').query).toEqual([
      'expand[]',
      'status',
      'tier',
      'premium_tiers[]',
      'premium_tier_ids[]',
      'limit',
      'cursor',
      'page',
      'email',
      'order_by',
      'direction',
      'creation_date',
    ]);
  });

  it('says which lists of the specification page by cursor, by offset, by both or not at all', () => {
    const kinds = Object.groupBy(
      api.filter(({ id, extension }: Operation) => id.includes('.list') && extension !== true),
      ({ pagination }) => pagination,
    );
    expect(Object.fromEntries(Object.entries(kinds).map(([kind, each]) => [kind, each?.map(({ id }) => id)]))).toEqual({
      'cursor-or-offset': [
        'subscriptions.list',
        'automations.listEmails',
        'conditionSets.list',
        'publicationFields.list',
      ],
      cursor: ['complimentaryAccess.list'],
      offset: ['automations.list', 'journeys.list', 'authors.list', 'customFields.list'],
      none: ['bulkSubscriptionUpdates.list', 'advertisementOpportunities.list', 'deletionRequests.list'],
    });
  });

  it('names every operation once', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it('rejects an unknown id', () => {
    expect(() => operation('subscriptions.destroy' as OperationId)).toThrow(
      'There is no operation "subscriptions.destroy"',
    );
  });
});

describe('the schemas', () => {
  it.each(operations.map((each) => [each.id, each] as const))(
    '%s takes exactly the names of the contract',
    (id, { query, body, expand }) => {
      const schema: OperationSchemas = schemas[id];
      expect(Object.keys(schema.query?.shape ?? {}).sort()).toEqual(query.map(bare).sort());
      expect(Object.keys(schema.body?.shape ?? {}).sort()).toEqual([...(body?.fields ?? [])].sort());
      for (const value of expand)
        expect(schema.query?.safeParse({ ...required(id), expand: [value] }).success, value).toBe(true);
      expect(schema.query?.safeParse({ ...required(id), expand: ['everything'] }).success ?? false).toBe(false);
    },
  );

  it('accepts every field of a SubscriptionRequest, and rejects unknown fields', () => {
    expect(Object.keys(subscriptionRequest.shape)).toEqual(operation('subscriptions.create').body.fields);
    expect(subscriptionRequest.safeParse({ email: 'ada@example.com', tags: ['a'] }).success).toBe(false);
  });

  it.each(['ada+news@example.com', 'Ada@EXAMPLE.com', 'ada@bücher.example', '用户@例え.jp', "o'neil@example.co.uk"])(
    'takes the address %s',
    (email) => {
      expect(subscriptionRequest.safeParse({ email }).success).toBe(true);
    },
  );

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'a b@example.com',
    'ada@@example.com',
    'ada@-example.com',
    `${'a'.repeat(65)}@example.com`,
  ])('refuses the address %j', (email) => {
    expect(subscriptionRequest.safeParse({ email }).success).toBe(false);
  });

  it('keeps unknown fields of an answer and unknown values of an enumeration', () => {
    const answer = {
      data: { id: 'sub_1', email: 'a@example.com', status: 'snoozed', created: 1, stripe_customer_id: '' },
    };
    expect(tolerant(schemas['subscriptions.create'].answer).parse(answer)).toEqual(answer);
    expect(schemas['subscriptions.create'].answer.safeParse(answer).success).toBe(false);
  });
});

/** What the query schema cannot do without. */
function required(id: OperationId): Record<string, string> {
  return id === 'oauth.authorize' ? { client_id: 'a', redirect_uri: 'http://localhost/', response_type: 'code' } : {};
}
