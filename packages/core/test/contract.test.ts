/** The contract against a second, independent transcription of the specification's tables. */
import { describe, expect, it } from 'vitest';
import {
  answerRecords,
  operation,
  operations,
  type AnswerRecord,
  type Operation,
  type OperationId,
} from '../src/contract/index.ts';

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

const all: readonly Operation[] = operations;
const api = operations.filter(({ base }) => base === 'api');

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

  it('repeats reads, and of writes that must not arrive twice only those whose record can be found', () => {
    for (const { id, method, base, retry, lookUp } of all) {
      if (method === 'GET') expect(retry, id).toBe('safe');
      expect(lookUp !== undefined, id).toBe(retry === 'once' && base === 'api');
    }
  });

  it('looks a record up in a list that takes the path of the call, by fields that the list answers', () => {
    const parameters = (path: string) => path.match(/\{\w+\}/g);
    const records: Readonly<Partial<Record<string, AnswerRecord>>> = answerRecords;
    for (const { id, path, body, lookUp } of all) {
      if (!lookUp) continue;
      const list = all.find((each) => each.id === lookUp.list);
      expect(parameters(list?.path ?? ''), id).toEqual(parameters(path));
      const { fields = [] } = records[lookUp.list] ?? {};
      for (const given of [body?.fields, fields]) expect(given, id).toEqual(expect.arrayContaining([...lookUp.by]));
      expect(
        lookUp.created.some((name) => fields.includes(name)),
        id,
      ).toBe(true);
    }
  });

  it('pages the lists that take a cursor or a page by it', () => {
    const kinds = { cursor: ['cursor'], offset: ['page'], 'cursor-or-offset': ['cursor', 'page'] };
    for (const { id, query, pagination } of all) {
      const taken = query.filter((name) => name === 'cursor' || name === 'page');
      if (taken.length > 0) expect(pagination === 'none' ? [] : kinds[pagination], id).toEqual(taken);
    }
  });

  it('rejects an unknown id', () => {
    expect(() => operation('subscriptions.destroy' as OperationId)).toThrow(
      'There is no operation "subscriptions.destroy"',
    );
  });
});
