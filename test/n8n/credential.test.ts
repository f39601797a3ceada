/**
 * The fields of the API key credential, and what goes wrong first with them, as a person sees it in n8n: where the
 * credential is tested, and where a node runs. test/nodes/credential.test.ts has every spelling of the fields.
 */
import { createServer } from 'node:http';
import { expect, inject, it } from 'vitest';
import {
  answering,
  closed,
  intercepted,
  listening,
  refusingApi,
  unknownHost,
  wall,
} from '../support/failing-services.ts';
import { newsletterType, start } from './harness/nodes.ts';
import { n8n } from './harness/test.ts';

const { credentialId, credential } = inject('newsletter');
const { apiKey, baseUrl, publicationId } = credential;

const press = (fields: Partial<typeof credential>) =>
  n8n.testCredential(credentialId, 'newsletterApi', { ...credential, ...fields });

/** Runs a node with these fields. */
async function runWith(fields: Partial<typeof credential>, parameters: object) {
  const id = await n8n.createCredential('newsletterApi', { ...credential, ...fields });
  const credentials = { newsletterApi: { id, name: 'Of a test' } };
  return n8n.run(await n8n.createWorkflow([start, { name: 'Read', type: newsletterType, parameters, credentials }]));
}

const list = { resource: 'subscription', operation: 'getMany', returnAll: false, limit: 1 };

it('passes with fields as they were pasted, and a node reads them alike', async () => {
  const pasted = {
    apiKey: ` Bearer ${apiKey}\n`,
    baseUrl: ` ${baseUrl}/publications/x/subscriptions?limit=1\n`,
    publicationId: `\t${publicationId} `,
  };
  expect(await press(pasted)).toMatchObject({ status: 'OK' });
  const { error, output } = await runWith(pasted, list);
  expect(error).toBeUndefined();
  expect(output('Read')).toHaveLength(1);
});

it('passes without a publication, where the service lists them', async () => {
  expect(await press({ publicationId: '' })).toMatchObject({ status: 'OK' });
});

/** What n8n says by itself where a credential is tested: n8n 2 the code, n8n 1 its own words. */
const byN8n = (code: string, words: string): RegExp => new RegExp(`^(?:${code}|${words}.*)$`);
const keyOf = /missing, \w+, expired, revoked, or the key of another service/;
const plan = /plan of the account does not include this/;
const notTheApi = /The server at this address is not the API/;
const wrongAddress = /Check the Service of the credential/;
const otherApi = (answer: object) => answering(200, JSON.stringify(answer), 'application/json');

it.each<[string, () => Promise<string> | string, RegExp, RegExp, Partial<typeof credential>?]>([
  [
    'an intercepted TLS connection',
    intercepted,
    /TLS certificate .* not accepted.*NODE_EXTRA_CA_CERTS/,
    byN8n('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
  ],
  [
    'a host name that nobody has',
    () => unknownHost,
    /not be reached.*Base URL.*ENOTFOUND/,
    byN8n('ENOTFOUND', 'The connection cannot be established'),
  ],
  [
    'an address where nothing listens',
    closed,
    /not be reached.*Base URL.*ECONNREFUSED/,
    byN8n('ECONNREFUSED', 'The service refused the connection'),
  ],
  ['no key', () => baseUrl, keyOf, keyOf, { apiKey: '' }],
  ['a key that nobody has', () => baseUrl, keyOf, keyOf, { apiKey: 'no-such-key' }],
  [
    'a publication that does not exist',
    () => baseUrl,
    /Check the Publication/,
    /finds no such publication/,
    { publicationId: 'pub_00000000-0000-4000-8000-00000000dead' },
  ],
  [
    'a publication of another form',
    () => baseUrl,
    /does not look like pub_/,
    /Publication ID/,
    { publicationId: 'my newsletter' },
  ],
  ['the key of another service', () => refusingApi(401, 'bad key'), keyOf, keyOf],
  [
    'a plan without the API, as 403',
    () => refusingApi(403, 'No API access'),
    /No API access.*feature may be off/,
    /may not/,
  ],
  ['a plan without the API, as 402', () => refusingApi(402, 'Upgrade it'), plan, plan],
  ['the API while it does not work', () => refusingApi(500, 'Sorry'), /not working/, /does not work at the moment/],
  [
    'a wall',
    () => answering(403, wall),
    /403 a page titled ‹Just a moment\.\.\.›.*not the API that refused/,
    notTheApi,
  ],
  ['another website', () => answering(404, '<title>None</title>'), /404 a page titled ‹None›.*Base URL/, notTheApi],
  ['a web page that answers 200', () => answering(200, '<title>Sign in</title>'), wrongAddress, notTheApi],
  ['another API', () => otherApi({ object: 'list', items: [] }), wrongAddress, notTheApi],
  ['another API that has "data"', () => otherApi({ data: { id: 1 } }), wrongAddress, notTheApi],
])('%s', async (_, address, inNode, inTest, given) => {
  const fields = { baseUrl: await address(), ...given };
  const { error } = await runWith(fields, list);
  expect(`${error?.message}. ${error?.description}`).toMatch(inNode);
  const tested = await press(fields);
  expect(tested).toMatchObject({ status: 'Error', message: expect.stringMatching(inTest) });
  expect(JSON.stringify([error, tested])).not.toMatch(new RegExp(`${apiKey}|no-such-key`));
});

it('a redirect is not followed, which would send the key to another address', async () => {
  const asked: unknown[] = [];
  const other = `http://${await listening(
    createServer(({ headers }, response) => response.end(asked.push(headers.authorization))),
  )}`;
  const url = `http://${await listening(
    createServer((_, response) => response.writeHead(307, { location: other }).end()),
  )}`;
  expect(await press({ baseUrl: url })).toMatchObject({ status: 'Error', message: expect.stringMatching(notTheApi) });
  const create = { resource: 'subscription', operation: 'create', email: 'ada@example.com' };
  expect((await runWith({ baseUrl: url }, create)).error).toMatchObject({
    message: `The service answered 307, a redirect to ${new URL(other).origin}, which is not followed`,
    description: expect.stringMatching(wrongAddress),
  });
  expect(asked).toEqual([]);
});
