/** The test of the API key credential, and a node with it. */
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { newsletterType, start } from './harness/nodes.ts';
import { Rest } from './harness/rest.ts';

const { n8nUrl, cookie, credentialId, credential } = inject('newsletter');
const n8n = new Rest(n8nUrl, cookie);
const { apiKey, baseUrl, publicationId } = credential;
const origin = new URL(baseUrl).origin;

const press = (fields: Readonly<Record<string, string>> = {}) =>
  n8n.testCredential(credentialId, 'newsletterApi', { ...credential, ...fields });

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A server with one answer for all requests. @returns its address, and the received keys */
async function serve(answer: RequestListener): Promise<{ readonly url: string; readonly keys: readonly unknown[] }> {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    answer(request, response);
  });
  stops.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const answerWith =
  (status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body);
const json = (status: number, body: unknown): RequestListener =>
  answerWith(status, 'application/json', JSON.stringify(body));
const page = '<!doctype html><title>Sign in</title>';

describe('the credential test', () => {
  it('passes with the right key and publication', async () => {
    expect(await press()).toMatchObject({ status: 'OK' });
  });

  it.each([
    { pasted: 'a slash at the end of the base URL', fields: { baseUrl: `${baseUrl}/` } },
    { pasted: 'a base URL without its version', fields: { baseUrl: origin } },
    {
      pasted: 'the whole address of a request',
      fields: { baseUrl: ` ${baseUrl}/publications/x/subscriptions?limit=1\n` },
    },
    { pasted: 'an address without its scheme', fields: { baseUrl: baseUrl.replace('http://', '') } },
    { pasted: 'a key between spaces and line ends', fields: { apiKey: `  ${apiKey}\n` } },
    { pasted: 'a whole header', fields: { apiKey: `Bearer ${apiKey}` } },
    { pasted: 'a publication between spaces', fields: { publicationId: `\t${publicationId} ` } },
    { pasted: 'a key restricted to the publication', fields: { apiKey: 'sandbox-key-restricted' } },
    { pasted: 'no publication, where the service lists them', fields: { publicationId: '' } },
  ])('passes with $pasted', async ({ fields }) => {
    expect(await press(fields)).toMatchObject({ status: 'OK' });
  });

  it.each([
    {
      wrong: 'key, without a publication',
      fields: { apiKey: 'no-such-key', publicationId: '' },
      message: 'does not know this API key',
    },
    { wrong: 'form of the publication', fields: { publicationId: 'my newsletter' }, message: 'Publication ID' },
    { wrong: 'path in the base URL', fields: { baseUrl: `${origin}/docs/v2` }, message: 'Base URL' },
  ])('names the field to check for a wrong $wrong, without the key', async ({ fields, message }) => {
    const outcome = await press(fields);
    expect(outcome).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
    expect(outcome.message).not.toContain('no-such-key');
  });

  const notTheApi = 'The server at this address is not the API';
  it.each<{ from: string; answer: RequestListener; message: string }>([
    { from: 'a web page that answers 200', answer: answerWith(200, 'text/html', page), message: notTheApi },
    { from: 'a 404 without a body', answer: answerWith(404, 'text/html', ''), message: notTheApi },
    { from: 'a sign-in page that answers 401', answer: answerWith(401, 'text/html', page), message: notTheApi },
    { from: 'another API', answer: json(200, { object: 'list', items: [] }), message: notTheApi },
    { from: 'another API that has "data"', answer: json(200, { data: { id: 1 } }), message: notTheApi },
    {
      from: 'the API while it does not work',
      answer: json(500, { status: 500, statusText: 'internal_server_error', errors: [] }),
      message: 'does not work at the moment',
    },
  ])('recognizes $from', async ({ answer, message }) => {
    const { url } = await serve(answer);
    expect(await press({ baseUrl: url })).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
  });

  it('does not follow a redirect, which would send the key to another address', async () => {
    const other = await serve(json(200, { data: [] }));
    const { url, keys } = await serve(answerWith(302, 'text/html', '', { location: other.url }));
    expect(await press({ baseUrl: url })).toMatchObject({
      status: 'Error',
      message: expect.stringContaining(notTheApi),
    });
    expect(keys).toEqual([`Bearer ${apiKey}`]);
    expect(other.keys).toEqual([]);
  });
});

describe('a node', () => {
  it('does not follow a redirect either', async () => {
    const other = await serve(json(200, { data: {} }));
    const { url, keys } = await serve(answerWith(307, 'text/html', '', { location: other.url }));
    const id = await n8n.createCredential('newsletterApi', { ...credential, baseUrl: url });
    const workflow = await n8n.createWorkflow([
      start,
      {
        name: 'Add',
        type: newsletterType,
        parameters: { resource: 'subscription', operation: 'create', email: 'ada@example.com' },
        credentials: { newsletterApi: { id, name: 'Of a test' } },
      },
    ]);
    const { error } = await n8n.run(workflow);
    expect(error).toMatchObject({
      message: `The service answered 307, a redirect to ${other.url}, which is not followed`,
      description: expect.stringContaining('Check the Service of the credential'),
    });
    expect(keys).toEqual([`Bearer ${apiKey}`]);
    expect(other.keys).toEqual([]);
  });

  it('sends the same normalized key as the test', async () => {
    const pasted = { apiKey: ` Bearer ${apiKey}\n`, baseUrl: ` ${origin}/ `, publicationId: ` ${publicationId}\n` };
    const id = await n8n.createCredential('newsletterApi', { service: 'other', ...pasted });
    const workflow = await n8n.createWorkflow([
      start,
      {
        name: 'Read',
        type: newsletterType,
        parameters: { resource: 'subscription', operation: 'getMany', limit: 1 },
        credentials: { newsletterApi: { id, name: 'Of a test' } },
      },
    ]);
    const { error, output } = await n8n.run(workflow);
    expect(error).toBeUndefined();
    expect(output('Read')).toHaveLength(1);
  });
});
