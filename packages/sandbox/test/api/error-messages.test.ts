/** The text and the code of each error, word for word: users act on them. */
import { expect, test } from 'vitest';
import { apiKeys, publicationId } from '../../src/index.ts';
import { customFieldsPath, fresh, send, subscriptionsPath } from '../caller.ts';
import { expectRefused, type Refused } from './refusals.ts';

const bulkPath = `${subscriptionsPath}/bulk_actions`;

const restricted = { Authorization: `Bearer ${apiKeys.restricted}` };

const noRecord = '00000000-0000-4000-8000-00000000000a';

const refused: Readonly<Record<string, Refused>> = {
  'an unknown path': {
    path: '/newsletters',
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path.',
  },
  'a path without /v2': {
    path: '/v2/../publications/x/subscriptions',
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path. Every path of the API begins with /v2.',
  },
  'a path with a slash at the end': {
    path: `${subscriptionsPath}/`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path. Remove the slash at the end of the path.',
  },
  'a method that the path does not support': {
    method: 'DELETE',
    path: customFieldsPath,
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'This path takes POST, GET, not DELETE.',
  },
  'an unknown key': {
    path: subscriptionsPath,
    headers: { Authorization: 'Bearer nope' },
    status: 401,
    code: 'INVALID_API_KEY',
    message: 'The api key is not valid',
  },
  'an unknown publication': {
    path: '/publications/pub_none/subscriptions',
    status: 404,
    code: 'PUBLICATION_NOT_FOUND',
    message: 'There is no publication with this id, or the API key or token does not give access to it.',
  },
  'a restricted key for the whole workspace': {
    path: '/workspaces/publication_fields',
    headers: restricted,
    status: 403,
    code: 'FORBIDDEN',
    message:
      'This operation concerns the whole workspace. An API key that is restricted to publications cannot use it.',
  },
  'a key above its quota': {
    path: subscriptionsPath,
    options: { profile: { limit: 0, windowSeconds: 60 } },
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'More than 0 requests in a minute; try again in 60 s.',
  },
  'a key above a quota of another window': {
    path: subscriptionsPath,
    options: { profile: { limit: 0, windowSeconds: 90 } },
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'More than 0 requests in 90 seconds; try again in 90 s.',
  },
  'a limit that is no number': {
    path: `${subscriptionsPath}?limit=ten`,
    code: 'VALIDATE_ERROR',
    message: '"limit" must be a whole number.',
  },
  'a limit above the largest': {
    path: `${subscriptionsPath}?limit=101`,
    code: 'MORE_THAN_MAXIMUM',
    message: '"limit" must be at most 100.',
  },
  'a limit below the smallest': {
    path: `${subscriptionsPath}?limit=0`,
    code: 'LESS_THAN_MINIMUM',
    message: '"limit" must be at least 1.',
  },
  'a cursor together with a page': {
    path: `${subscriptionsPath}?cursor=x&page=1`,
    code: 'INVALID_PAGINATION',
    message: 'Use either "cursor" or "page", not both.',
  },
  'a cursor of no list': {
    path: `${subscriptionsPath}?cursor=nonsense`,
    code: 'INVALID_CURSOR',
    message: '"cursor" is not valid for this list. Send the "next_cursor" of an earlier answer unchanged.',
  },
  'a day that does not exist': {
    path: `${subscriptionsPath}?creation_date=2026/02/30`,
    code: 'INVALID_DATE_FORMAT',
    message: '"creation_date" is a day that does not exist.',
  },
  'a status that does not exist': {
    path: `${subscriptionsPath}?tier=gold`,
    code: 'NOT_ENUM_INCLUDE',
    message: '"tier" must be "free", "premium" or "all".',
  },
  'a query parameter that is not UTF-8': {
    path: `${subscriptionsPath}?email=%ff`,
    code: 'INVALID_QUERY',
    message: '"email" is not valid percent-encoded UTF-8.',
  },
  'an unknown query parameter that is not UTF-8': {
    path: `${subscriptionsPath}?limit=5&colour=%ff`,
    code: 'INVALID_QUERY',
    message: 'The query is not valid percent-encoded UTF-8.',
  },
  'a request to the root': {
    method: 'POST',
    path: '/v2/..',
    body: {},
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path.',
  },
  'a missing body': {
    method: 'POST',
    path: subscriptionsPath,
    code: 'NOT_EXIST_REQUIRED_KEY',
    message: 'The body is empty; send a JSON object.',
  },
  'a body that is not JSON': {
    method: 'POST',
    path: subscriptionsPath,
    body: '{"email"',
    code: 'INVALID_JSON',
    message: 'The body is not valid JSON.',
  },
  'a body of another content type': {
    method: 'POST',
    path: subscriptionsPath,
    body: '{}',
    headers: { 'Content-Type': 'text/plain' },
    code: 'INVALID_CONTENT_TYPE',
    message: 'The Content-Type must be application/json, not "text/plain".',
  },
  'a body of a content type that ends like JSON': {
    method: 'POST',
    path: subscriptionsPath,
    body: '{}',
    headers: { 'Content-Type': `x-application/json; note=${'x'.repeat(100)}` },
    code: 'INVALID_CONTENT_TYPE',
    message: `The Content-Type must be application/json, not "x-application/json; note=${'x'.repeat(75)}".`,
  },
  'a body that is no object': {
    method: 'POST',
    path: subscriptionsPath,
    body: [],
    code: 'VALIDATE_ERROR',
    message: 'The body must be a JSON object.',
  },
  'a missing field': {
    method: 'POST',
    path: subscriptionsPath,
    body: {},
    code: 'NOT_EXIST_REQUIRED_KEY',
    message: '"email" is missing.',
  },
  'an address that is none': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada' },
    code: 'VALIDATE_ERROR',
    message: '"email" must be an e-mail address such as name@example.com.',
  },
  'a number in place of a string': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', utm_source: 7 },
    code: 'VALIDATE_ERROR',
    message: '"utm_source" must be a string.',
  },
  'a string in place of a flag': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', reactivate_existing: 'yes' },
    code: 'VALIDATE_ERROR',
    message: '"reactivate_existing" must be true or false.',
  },
  'an object in place of an array': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', custom_fields: {} },
    code: 'VALIDATE_ERROR',
    message: '"custom_fields" must be an array.',
  },
  'a string in place of an object': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', custom_fields: ['City'] },
    code: 'VALIDATE_ERROR',
    message: '"custom_fields[0]" must be a JSON object.',
  },
  'a value of no allowed type': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', custom_fields: [{ name: 'City', value: {} }] },
    code: 'NOT_ONE_OF',
    message: '"custom_fields[0].value" has a type that is not allowed here.',
  },
  'a value that matches no pattern': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', stripe_customer_id: 'x' },
    code: 'INVALID_PATTERN',
    message: '"stripe_customer_id" must look like cus_… or be empty.',
  },
  'an empty string': {
    method: 'POST',
    path: customFieldsPath,
    body: { kind: 'string', display: '' },
    code: 'LESS_THAN_MINIMUM',
    message: '"display" must not be empty.',
  },
  'an empty array': {
    method: 'PATCH',
    path: bulkPath,
    body: { subscriptions: [] },
    code: 'LESS_THAN_MINIMUM',
    message: '"subscriptions" must be at least 1 items long.',
  },
  'an array that is too long': {
    method: 'PATCH',
    path: bulkPath,
    body: { subscriptions: Array.from({ length: 1001 }, () => ({ subscription_id: `sub_${noRecord}` })) },
    code: 'MORE_THAN_MAXIMUM',
    message: '"subscriptions" must be at most 1000 items long.',
  },
};

expectRefused(refused);

test('explains in the log which parameters and keys were ignored', async () => {
  const sandbox = fresh();
  await send(sandbox, 'GET', `${subscriptionsPath}?colour=blue&limit=1`);
  await send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com', colour: 1, custom_fields: [{ hue: 2 }] });
  await send(sandbox, 'GET', `/publications/${publicationId}/condition_sets/x?expand[]=stats`);
  expect(sandbox.requests().map(({ reasons }) => reasons)).toEqual([
    ['The query parameter "colour" is not known here and was ignored.'],
    expect.arrayContaining([
      '"colour" is not known here and was ignored.',
      '"custom_fields[0].hue" is not known here and was ignored.',
      'Created a subscription with status validating.',
      '"custom_fields[0]" has no name; its value was dropped.',
    ]),
    ['There is no active condition set with this id on this publication.'],
  ]);
});
