/** The text and the code of each error, word for word: users act on them. */
import { expect, test } from 'vitest';
import { apiKeys, publicationId, type SandboxOptions } from '../../src/index.ts';
import { create, customFieldsPath, errorsOf, fresh, publicationPath, send, subscriptionsPath } from '../caller.ts';
import { known } from './known.ts';

const bulkPath = `${subscriptionsPath}/bulk_actions`;
const deletionsPath = `${publicationPath}/data_privacy/deletion_requests`;
const restricted = { Authorization: `Bearer ${apiKeys.restricted}` };
const noRecord = '00000000-0000-4000-8000-00000000000a';

interface Refused {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly options?: SandboxOptions;
  readonly status?: number;
  readonly code: string;
  readonly message: string;
}

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
  'a tier that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', premium_tiers: ['Gold'] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"premium_tiers[0]" is not a premium tier of this publication.',
  },
  'a tier id that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', premium_tier_ids: [`tier_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"premium_tier_ids[0]" is not a premium tier of this publication.',
  },
  'a newsletter list that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', newsletter_list_ids: [`nl_list_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"newsletter_list_ids[0]" is not a newsletter list of this publication.',
  },
  'an automation that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', automation_ids: [`aut_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"automation_ids[0]" is not an automation of this publication.',
  },
  'a gift that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', complimentary_gift_id: `comp_access_${noRecord}` },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"complimentary_gift_id" is not a complimentary access of this publication.',
  },
  'a custom field that does not exist': {
    path: `${customFieldsPath}/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no custom field with this id on this publication.',
  },
  'a custom field that exists already': {
    method: 'POST',
    path: customFieldsPath,
    body: { kind: 'string', display: 'Topics' },
    code: 'ALREADY_EXISTS',
    message:
      'A custom field with this "display" exists already. It must be unique, because subscriptions refer to fields by it.',
  },
  'an automation that does not exist': {
    path: `${publicationPath}/automations/aut_${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no automation with this id on this publication.',
  },
  'an author that does not exist': {
    path: `${publicationPath}/authors/nobody`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no author with this id, full name or first name on this publication.',
  },
  'complimentary access that does not exist': {
    path: `${publicationPath}/complimentary_access/comp_access_${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no complimentary access with this id on this publication.',
  },
  'a condition set that does not exist': {
    path: `${publicationPath}/condition_sets/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no active condition set with this id on this publication.',
  },
  'a bulk update that does not exist': {
    path: `${publicationPath}/bulk_subscription_updates/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no bulk update with this id on this publication.',
  },
  'a deletion request that does not exist': {
    path: `${deletionsPath}/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no deletion request with this id.',
  },
  'a deletion request for an unknown address': {
    method: 'POST',
    path: deletionsPath,
    body: { email: 'stranger@example.com' },
    status: 404,
    code: 'NOT_FOUND',
    message: 'No publication of the workspace has a subscription with this address.',
  },
  'a deletion request where data deletion is not enabled': {
    path: deletionsPath,
    options: { assumptions: { data_deletion: 'not_enabled' } },
    status: 403,
    code: 'DATA_DELETION_NOT_ENABLED',
    message: 'Data deletion is not enabled for this organization (assumption data_deletion: not_enabled).',
  },
  'the list of publications where there is none': {
    path: '/publications',
    options: { assumptions: { publication_list: 'absent' } },
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path.',
  },
};

test.each(Object.entries(refused))('refuses %s', async (_name, request) => {
  const { method = 'GET', path, body, headers, options, status = 400, code, message } = request;
  const answered = await send(fresh({ seed: 'demo', ...options }), method, path, body, headers);
  expect(answered.status).toBe(status);
  expect(errorsOf(answered)).toEqual([{ message, code }]);
});

test('refuses a body without a content type', async () => {
  const answer = await fresh().fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}` },
    body: new TextEncoder().encode('{}'),
  });
  expect(await answer.json()).toMatchObject({
    status: 400,
    errors: [
      { message: 'The Content-Type must be application/json; the request has none.', code: 'INVALID_CONTENT_TYPE' },
    ],
  });
});

test('refuses a body that is not UTF-8', async () => {
  const answer = await fresh().fetch(`http://sandbox.test/v2${subscriptionsPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' },
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  });
  expect(await answer.json()).toMatchObject({
    errors: [{ message: 'The body is not valid UTF-8.', code: 'INVALID_ENCODING' }],
  });
});

test('refuses a body whose Content-Length is more than 8 MiB before it reads the body', async () => {
  const sandbox = fresh();
  const post = (length: number) =>
    send(sandbox, 'POST', subscriptionsPath, { email: 'ada@example.com' }, { 'Content-Length': String(length) });
  expect((await post(8 * 1024 * 1024)).status).toBe(200);
  expect((await post(8 * 1024 * 1024 + 1)).status).toBe(413);
});

test('counts a chunked body while it reads it: more than 8 MiB are refused, exactly that length is taken', async () => {
  const sandbox = fresh();
  let chunks = 0;
  const post = (length: number) => {
    const text = `{"email":"ada@example.com"}`.padEnd(length);
    const size = 1024 * 1024;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = text.slice(chunks * size, (chunks + 1) * size);
        if (chunk === '') return controller.close();
        chunks += 1;
        controller.enqueue(new TextEncoder().encode(chunk));
      },
    });
    chunks = 0;
    const headers = {
      Authorization: `Bearer ${apiKeys.workspace}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    };
    const init = { method: 'POST', headers, body, duplex: 'half' } as const;
    return sandbox.fetch(`http://sandbox.test/v2${subscriptionsPath}`, init);
  };
  const limit = 8 * 1024 * 1024;
  const accepted = await post(limit);
  expect([accepted.status, await accepted.json()]).toEqual([
    200,
    expect.objectContaining({ data: expect.objectContaining({ email: 'ada@example.com' }) as object }),
  ]);
  expect((await post(limit + 1)).status).toBe(413);
  expect((await post(2 * limit)).status).toBe(413);
  expect(chunks).toBeLessThan(12);
});

test('refuses a body that announces more than 8 MiB, and takes one of exactly that length', async () => {
  const sandbox = fresh();
  const post = (length: number) =>
    send(sandbox, 'POST', subscriptionsPath, `{"email":"ada@example.com"}`.padEnd(length));
  const limit = 8 * 1024 * 1024;
  expect((await post(limit)).status).toBe(200);
  const answered = await post(limit + 1);
  expect(answered.status).toBe(413);
  expect(errorsOf(answered)).toEqual([
    { message: 'The body is larger than 8 MiB; send fewer items at once.', code: 'PAYLOAD_TOO_LARGE' },
  ]);
});

test('names at most 20 problems of a body', async () => {
  const custom_fields = Array.from({ length: 25 }, () => 'x');
  const answered = await send(fresh(), 'POST', subscriptionsPath, { email: 'ada@example.com', custom_fields });
  expect(errorsOf(answered).map(({ message }) => message)).toEqual(
    Array.from({ length: 20 }, (_, index) => `"custom_fields[${index}]" must be a JSON object.`),
  );
});

test('refuses enrollments that name no subscriber, an unknown one, two, or one that is on a journey', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { automation, otherAutomation, subscription } = await known(sandbox);
  const enroll = async (id: string, body: object) =>
    errorsOf(await send(sandbox, 'POST', `${publicationPath}/automations/${id}/journeys`, body))[0];
  expect(await enroll(automation, {})).toEqual({
    message: 'Identify the subscriber by "email" or "subscription_id".',
    code: 'NOT_EXIST_REQUIRED_KEY',
  });
  expect(await enroll(automation, { email: 'stranger@example.com', subscription_id: subscription.id })).toEqual({
    message:
      'This publication has no such subscriber. Create the subscription first; its "automation_ids" can enroll it, too.',
    code: 'NOT_FOUND',
  });
  expect(await enroll(automation, { email: subscription.email, subscription_id: `sub_${noRecord}` })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await enroll(automation, { email: 'grace@example.org', subscription_id: subscription.id })).toEqual({
    message: '"email" and "subscription_id" belong to two different subscribers.',
    code: 'VALIDATE_ERROR',
  });
  expect(await enroll(otherAutomation, { email: subscription.email })).toEqual({
    message:
      'This automation has no active Add by API trigger: "api" must be one of its trigger_events, and its status must be running or live.',
    code: 'NO_API_TRIGGER',
  });
  await send(sandbox, 'POST', `${publicationPath}/automations/${automation}/journeys`, { email: subscription.email });
  expect(await enroll(automation, { email: subscription.email, subscription_id: subscription.id })).toEqual({
    message: 'This subscriber is already on a journey in this automation.',
    code: 'ALREADY_ENROLLED',
  });
  expect(
    errorsOf(await send(sandbox, 'GET', `${publicationPath}/automations/${automation}/journeys/aj_${noRecord}`))[0],
  ).toEqual({ message: 'There is no journey with this id in this automation.', code: 'NOT_FOUND' });
});

test('refuses a second deletion request while one for the address is open', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  await send(sandbox, 'POST', deletionsPath, { email: 'ada@example.com' });
  const answered = await send(sandbox, 'POST', deletionsPath, { email: 'ADA@example.com' });
  expect(answered.status).toBe(409);
  expect(errorsOf(answered)).toEqual([
    { message: 'A deletion request for this address is already open.', code: 'CONFLICT' },
  ]);
});

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
