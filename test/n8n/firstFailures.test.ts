/** What goes wrong first, as a person sees it in n8n: where a node runs, and where a credential is tested. */
import { expect, inject, it } from 'vitest';
import { answering, closed, intercepted, refusingApi, unknownHost, wall } from '../support/failing-services.ts';
import { newsletterType, start } from './harness/nodes.ts';
import { n8n } from './harness/test.ts';

const { credentialId, credential } = inject('newsletter');
const { apiKey } = credential;

const list = { resource: 'subscription', operation: 'getMany', returnAll: false, limit: 1 };

/** What n8n says by itself where a credential is tested: n8n 2 the code, n8n 1 its own words. */
const byN8n = (code: string, words: string): RegExp => new RegExp(`^(?:${code}|${words}.*)$`);
const keyOf = /missing, \w+, expired, revoked, or the key of another service/;
const plan = /plan of the account does not include this/;
const notTheApi = /not the API/;

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
  ['no key', () => credential.baseUrl, keyOf, keyOf, { apiKey: '' }],
  ['a key that nobody has', () => credential.baseUrl, keyOf, keyOf, { apiKey: 'no-such-key' }],
  [
    'a publication that does not exist',
    () => credential.baseUrl,
    /Check the Publication/,
    /finds no such publication/,
    { publicationId: 'pub_00000000-0000-4000-8000-00000000dead' },
  ],
  ['the key of another service', () => refusingApi(401, 'bad key'), keyOf, keyOf],
  [
    'a plan without the API, as 403',
    () => refusingApi(403, 'No API access'),
    /No API access.*feature may be off/,
    /may not/,
  ],
  ['a plan without the API, as 402', () => refusingApi(402, 'Upgrade it'), plan, plan],
  [
    'a wall',
    () => answering(403, wall),
    /403 a page titled ‹Just a moment\.\.\.›.*not the API that refused/,
    notTheApi,
  ],
  ['another website', () => answering(404, '<title>None</title>'), /404 a page titled ‹None›.*Base URL/, notTheApi],
])('%s', async (_, address, inNode, inTest, given) => {
  const fields = { ...credential, baseUrl: await address(), ...given };
  const id = await n8n.createCredential('newsletterApi', fields);
  const credentials = { newsletterApi: { id, name: 'Of a test' } };
  const node = { name: 'Read', type: newsletterType, parameters: list, credentials };
  const { error } = await n8n.run(await n8n.createWorkflow([start, node]));
  expect(`${error?.message}. ${error?.description}`).toMatch(inNode);
  const tested = await n8n.testCredential(credentialId, 'newsletterApi', fields);
  expect(tested).toMatchObject({ status: 'Error', message: expect.stringMatching(inTest) });
  expect(JSON.stringify([error, tested])).not.toMatch(new RegExp(`${apiKey}|no-such-key`));
});
