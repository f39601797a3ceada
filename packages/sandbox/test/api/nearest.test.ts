/** The valid request nearest to a refused one: which operation was meant, and what to change. */
import { operations, type Operation } from '@newsletter-kit/core/contract';
import { describe, expect, it, test } from 'vitest';
import { nearestRequest, type RefusedRequest } from '../../src/api/nearest.ts';
import type { Change } from '../../src/http/errors.ts';
import { publicationId } from '../../src/index.ts';
import { fresh, send, subscriptionsPath } from '../caller.ts';

const subscriptions = 'GET /v2/publications/{publicationId}/subscriptions';
const to = (path: string) => ({ field: 'path', to: path });

test('a successful or rate-limited request has no nearest request', async () => {
  const sandbox = fresh({ profile: { limit: 1 } });
  await send(sandbox, 'GET', subscriptionsPath);
  await send(sandbox, 'GET', subscriptionsPath);
  expect(sandbox.requests().map(({ status, rule, nearest }) => ({ status, rule, nearest }))).toEqual([
    { status: 200, rule: null, nearest: null },
    { status: 429, rule: 'RATE_LIMIT_EXCEEDED', nearest: null },
  ]);
});

test('a path of any length and kind is answered', async () => {
  const sandbox = fresh();
  for (const path of [`/${'a'.repeat(8000)}`, `/${'a/'.repeat(4000)}`, '/%E0%A4%A', '/..//../x'])
    await send(sandbox, 'GET', path);
  expect(sandbox.requests()).toHaveLength(4);
});

/** The nearest request to one that no operation answers. */
const nearest = (request: Partial<RefusedRequest>) =>
  nearestRequest({
    method: 'GET',
    path: '/',
    search: '',
    body: null,
    status: 404,
    operation: null,
    changes: [],
    ...request,
  });

const template = ({ base, path }: Operation): string => (base === 'api' ? '/v2' : '') + path;
const filled = (path: string): string =>
  path.replace('{publicationId}', publicationId).replaceAll(/\{\w+\}/g, 'id-of-a-record');

/** Every operation with paths that a person may write for it, which the sandbox does not have. */
function expectNearest(paths: (path: string, operation: Operation) => readonly string[]): void {
  let checked = 0;
  for (const operation of operations) {
    for (const path of paths(template(operation), operation)) {
      const asked = filled(path);
      expect([asked, nearest({ method: operation.method, path: asked })]).toEqual([
        asked,
        { request: `${operation.method} ${template(operation)}`, change: [to(template(operation))] },
      ]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(20);
}

/** The path with each of its words replaced by each of `variants`, one at a time. */
const respelled = (path: string, variants: (word: string, index: number) => readonly string[]): string[] => {
  const parts = path.split('/');
  return parts.flatMap((word, index) =>
    /^\w/.test(word) ? variants(word, index).map((variant) => parts.with(index, variant).join('/')) : [],
  );
};

describe('the operation that was meant is found', () => {
  it('where one letter of a word is missing, wrong or superfluous', () => {
    expectNearest((path) =>
      respelled(path, (word, index) => {
        const at = index % word.length;
        const [before, after] = [word.slice(0, at), word.slice(at + 1)];
        return [before + after, `${before}q${after}`, `${word.slice(0, at)}q${word.slice(at)}`];
      }),
    );
  });

  it('where a word is written in capitals', () => {
    expectNearest((path) => respelled(path, (word) => [word.toUpperCase()]));
  });

  it('where the path lacks its publication', () => {
    const ofPublication = '/publications/{publicationId}';
    expectNearest((path) =>
      path.includes(ofPublication) ? [path.replace(ofPublication, ''), path.replace('/{publicationId}', '')] : [],
    );
  });

  it('where the path lacks the prefix /v2', () => {
    expectNearest((path, { base }) => (base === 'api' ? [path.slice('/v2'.length)] : []));
  });

  it('where the path ends with a slash', () => {
    expectNearest((path) => [`${path}/`]);
  });

  it.each([
    [
      'GET',
      '/v2/publications/pub_1/deletion_requests',
      'GET /v2/publications/{publicationId}/data_privacy/deletion_requests',
    ],
    ['GET', '/v2/publications/pub_1/subscriptions/by_email/x', subscriptions],
    ['POST', '/token', 'POST /oauth/token'],
    ['GET', '/v2/publication', 'GET /v2/publications'],
    // An id that is missing costs more than another method.
    ['DELETE', '/v2/publications/pub_1/custom_fields', 'POST /v2/publications/{publicationId}/custom_fields'],
    // A word of sixty letters and a path of twenty segments are compared, longer ones are cut.
    [
      'GET',
      `/v2/publications/pub_1/${'x'.repeat(70)}subscriptions`,
      'GET /v2/publications/{publicationId}/bulk_subscription_updates/{id}',
    ],
  ])('%s %s: %s', (method, path, request) => {
    expect(nearest({ method, path })?.request).toBe(request);
  });

  it('with both the path and the method to change', () => {
    expect(nearest({ method: 'DELETE', path: '/v2/publications/pub_1/automation' })?.change).toEqual([
      to('/v2/publications/{publicationId}/automations'),
      { field: 'method', to: 'GET' },
    ]);
  });
});

describe('what to change', () => {
  const [operation] = operations;
  if (!operation) throw new Error('The contract has operations.');
  const limit: Change = { field: 'limit', to: 100 };
  const key: Change = { field: 'Authorization', to: 'Bearer <API key or access token>' };

  it.each([
    [200, null],
    [399, null],
    [400, []],
    [429, null],
    [499, []],
    [500, null],
    [503, null],
  ])('after status %i is %j', (status, change) => {
    expect(nearest({ status, operation })?.change ?? null).toEqual(change);
  });

  it('is the key after a 401, unless something else is wrong', () => {
    expect(nearest({ status: 401, operation })?.change).toEqual([key]);
    expect(nearest({ status: 401, operation, changes: [limit] })?.change).toEqual([limit]);
    expect(nearest({ status: 401, path: '/v2/publication' })?.change).toEqual([to('/v2/publications')]);
  });
});
