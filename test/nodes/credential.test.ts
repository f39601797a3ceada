/** The fields of a credential are normalized, and a node names the field at fault. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  addressOf,
  apiKeyOf,
  callInExpression,
  type CredentialConnection,
  publicationIdOf,
} from '../../nodes/Newsletter/transport/credential.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

describe('the address of the API', () => {
  const v2 = 'https://api.example.com/v2';
  it.each<[string, Partial<CredentialConnection>, string]>([
    ['is the address of the service', { service: 'beehiiv' }, 'https://api.beehiiv.com/v2'],
    ['is the address of the service', { service: 'sandbox' }, 'http://127.0.0.1:4010/v2'],
    [
      'ignores a base URL entered before the service was chosen',
      { service: 'sandbox', baseUrl: v2 },
      'http://127.0.0.1:4010/v2',
    ],
    ['is the base URL for Other', { service: 'other', baseUrl: v2 }, v2],
    ['loses slashes and white space', { baseUrl: ` ${v2}//\n` }, v2],
    ['gets a version', { baseUrl: 'https://api.example.com' }, v2],
    [
      'gets a version below a path',
      { baseUrl: 'https://example.com/newsletter/' },
      'https://example.com/newsletter/v2',
    ],
    ['keeps another version', { baseUrl: 'https://api.example.com/v3' }, 'https://api.example.com/v3'],
    ['loses the rest of a pasted request', { baseUrl: `${v2}/publications/pub_1/subscriptions?limit=1#top` }, v2],
    ['gets a scheme', { baseUrl: 'api.example.com/v2' }, v2],
    ['gets http on this machine', { baseUrl: 'localhost:4010' }, 'http://localhost:4010/v2'],
    ['keeps a host that begins with v', { baseUrl: 'https://v2.example.com' }, 'https://v2.example.com/v2'],
    ['is empty for an empty base URL', { service: 'other', baseUrl: ' ' }, ''],
  ])('%s: %o', (_, connection, address) => {
    expect(addressOf({ service: 'other', ...connection }, 'baseUrl')).toBe(address);
  });

  it.each<[Partial<CredentialConnection>, string]>([
    [{ service: 'beehiiv' }, 'https://app.beehiiv.com'],
    [{ service: 'sandbox' }, 'http://127.0.0.1:4010'],
    [{ appUrl: ' https://app.example.com/ ' }, 'https://app.example.com'],
    [{ service: 'other', appUrl: 'app.example.com/oauth/authorize' }, 'https://app.example.com'],
  ])('the address of the app, of %o', (connection, address) => {
    expect(addressOf({ service: 'other', ...connection }, 'appUrl')).toBe(address);
  });
});

it.each([
  [' sandbox-key\n', 'sandbox-key'],
  ['Bearer sandbox-key', 'sandbox-key'],
  ['bearer\tsandbox-\nkey ', 'sandbox-key'],
  ['bearers-key', 'bearers-key'],
  ['', ''],
])('normalizes the key %j to %j', (apiKey, sent) => {
  expect(apiKeyOf({ apiKey })).toBe(sent);
});

it('trims the publication ID', () => {
  expect([publicationIdOf({ publicationId: ' pub_1\n' }), publicationIdOf({})]).toEqual(['pub_1', '']);
});

describe('an expression that n8n evaluates', () => {
  it('contains no two braces in a row, which would end it early', () => {
    for (const read of [addressOf, apiKeyOf, publicationIdOf]) {
      expect(callInExpression(read, '$credentials')).not.toMatch(/\{\{|\}\}/);
    }
  });

  it('contains the function of the built bundle', () => {
    const { credential, oAuth2 } = bench.bundle;
    expect(JSON.stringify(credential)).toContain('https://api.beehiiv.com/v2');
    for (const name of ['authUrl', 'accessTokenUrl']) {
      const { default: address } = oAuth2.properties.find((property) => property.name === name) ?? {};
      expect(address).toMatch(/^=\{\{ \(.*\)\(\$self, "appUrl"\) \}\}\/oauth\//s);
    }
  });
});

describe('the fields of both credentials', () => {
  it('ask for an address only with the service Other', () => {
    for (const { properties } of [bench.bundle.credential, bench.bundle.oAuth2]) {
      expect(properties[0]).toMatchObject({ name: 'service', default: 'beehiiv' });
      const shown = properties.filter(({ name }) => name === 'baseUrl' || name === 'appUrl');
      for (const { displayOptions } of shown) expect(displayOptions).toEqual({ show: { service: ['other'] } });
      expect(properties.find(({ name }) => name === 'publicationId')?.required).toBeUndefined();
    }
  });
});

describe('a node with the API key credential', () => {
  const stops: (() => void)[] = [];
  afterEach(() => stops.splice(0).forEach((stop) => stop()));

  /** A real server. @returns its address, and the requests it got */
  async function serve(answer: RequestListener) {
    const requests: { readonly method: string | undefined; readonly key: string | undefined }[] = [];
    const server = createServer((request, response) => {
      requests.push({ method: request.method, key: request.headers.authorization });
      answer(request, response);
    });
    stops.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  }
  const wrongAddress = expect.stringContaining('Check the Service of the credential; for Other, check the Base URL');
  const request = (baseUrl: string, service = fetch) =>
    bench.run(
      'customField',
      'create',
      { display: 'Colour', kind: 'string' },
      { sandbox: { fetch: service }, credential: { service: 'other', baseUrl } },
    );

  it('accepts an address as it was pasted', async () => {
    const more = { credential: { baseUrl: ' sandbox.test/v2/publications ' } };
    expect(await bench.run('automation', 'getMany', {}, more)).not.toEqual([]);
  });

  it('refuses an address with a password and does not repeat it', async () => {
    const error: unknown = await request('https://ada:s3cret@sandbox.test/v2').catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: expect.stringContaining('Base URL of the credential must be without user name and password'),
    });
    expect(inspect(error)).not.toContain('s3cret');
  });

  it('does not follow a redirect, which would send the key to another address', async () => {
    const other = await serve((_request, response) => void response.end('{"data":{}}'));
    const { url, requests } = await serve(
      (_request, response) => void response.writeHead(308, { location: `${other.url}/v2?to=ada@example.com` }).end(),
    );
    await expect(request(url)).rejects.toMatchObject({
      message: `The service answered 308, a redirect to ${other.url}, which is not followed`,
      description: wrongAddress,
      failure: { cause: 'configuration-invalid' },
    });
    expect(requests).toEqual([{ method: 'POST', key: 'Bearer sandbox-key' }]);
    expect(other.requests).toEqual([]);
  });

  it.each([
    { status: 200, type: 'text/html', body: '<!doctype html>' },
    { status: 404, type: 'text/html', body: '' },
    { status: 200, type: 'application/json', body: '{"object":"list"}' },
  ])('asks to check the address after an answer $status $type', async ({ status, type, body }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answer = () => Promise.resolve(new Response(body, { status, headers: { 'content-type': type } }));
    const failed = expect(request('http://127.0.0.1:9', answer)).rejects.toMatchObject({ description: wrongAddress });
    // It is asked several times.
    await vi.advanceTimersByTimeAsync(60_000);
    await failed;
  });

  it('names the fields to fill in where the credential has no address', async () => {
    await expect(request('')).rejects.toMatchObject({
      message: 'The credential has no address of the API',
      description: expect.stringContaining('Choose the Service'),
    });
  });

  it('keeps the example address in a message of the service, and removes the address of the person', async () => {
    const refused = bench.run('subscription', 'create', { email: 'ada@', customFields: {}, additionalFields: {} });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('such as name@example.com') });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('ada@') });
  });

  it('names the remedy for a revoked key and a deleted publication', async () => {
    await expect(bench.run('automation', 'getMany', {}, { credential: { apiKey: 'revoked' } })).rejects.toMatchObject({
      httpCode: '401',
      description: expect.stringContaining('create a new one at the service'),
    });
    const publicationId = { mode: 'list', value: 'pub_00000000-0000-4000-8000-00000000dead' };
    await expect(bench.run('automation', 'getMany', { publicationId })).rejects.toMatchObject({
      httpCode: '404',
      description: expect.stringContaining('choose another Publication in the node'),
    });
  });
});
