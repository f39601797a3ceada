/** The hosts over fetch against real sockets: network failures, and the errors that the engine throws for them. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import ky from 'ky';
import nodeFetch from 'node-fetch';
import { generate } from 'selfsigned';
import { fetch as undiciFetch } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AbortedError,
  ConfigurationError,
  createClient,
  createFetchHost,
  NetworkError,
  RedirectError,
  TimeoutError,
  TransportError,
  type AttemptEvent,
  type Fetch,
  type FetchInit,
} from '../../src/index.ts';
import { createKyHost } from '../../src/hosts/ky.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
}

function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  return listening(server);
}

/** An address where nothing listens. */
async function refusing(): Promise<string> {
  const server = createServer();
  const address = await listening(server);
  await new Promise((closed) => server.close(closed));
  return address;
}

const options = { baseUrl: 'http://api.test/v2', publicationId: 'pub_1', retry: { retries: 0 } } as const;
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error,
  );

describe.each([
  ['an instance of ky', (options: { readonly fetch?: Fetch } = {}) => createKyHost(ky, options.fetch)],
  ['fetch alone', createFetchHost],
])('over a real connection, by %s', (_, createHost) => {
  function client(baseUrl: string, options: { retries?: number; timeoutMs?: number } = {}) {
    const attempts: AttemptEvent[] = [];
    return {
      attempts,
      list: (signal?: AbortSignal) =>
        createClient({
          baseUrl,
          host: createHost(),
          token: 'sandbox-key',
          publicationId: 'pub_1',
          timeoutMs: options.timeoutMs ?? 2_000,
          retry: { retries: options.retries ?? 0, minDelayMs: 1 },
          onAttempt: (event) => attempts.push(event),
        }).subscriptions.list({}, { signal }),
    };
  }

  it('sends the request of the engine and reads the answer of the server', async () => {
    let seen = '';
    const baseUrl = await serving((request, response) => {
      seen = `${request.method} ${request.url} ${request.headers.authorization}`;
      response.setHeader('content-type', 'application/json').end('{"data":[],"has_more":false,"limit":10}');
    });
    const page = await client(baseUrl).list();
    expect(page.limit).toBe(10);
    expect(seen).toBe('GET /v2/publications/pub_1/subscriptions Bearer sandbox-key');
  });

  it('reports a refused connection as not sent', async () => {
    await expect(client(await refusing()).list()).rejects.toSatisfy(
      (error) => error instanceof NetworkError && error.notSent && error.code === 'ECONNREFUSED',
    );
  });

  it('reports a broken connection as possibly sent, also in the middle of the body', async () => {
    const cut = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' });
      response.write('{"data":[', () => response.destroy());
    });
    const reset = await serving((request) => request.socket.destroy());
    for (const baseUrl of [cut, reset]) {
      await expect(client(baseUrl).list()).rejects.toSatisfy(
        (error) => error instanceof NetworkError && !error.notSent,
      );
    }
  });

  it('retries by the retry policy alone: ky adds nothing', async () => {
    let requests = 0;
    const baseUrl = await serving((_, response) => {
      requests += 1;
      response.writeHead(503).end();
    });
    const { list, attempts } = client(baseUrl, { retries: 2 });
    await expect(list()).rejects.toThrow('answered 503');
    expect(requests).toBe(3);
    expect(attempts.map(({ attempt, outcome, retryInMs }) => [attempt, outcome, retryInMs !== null])).toEqual([
      [1, 503, true],
      [2, 503, true],
      [3, 503, false],
    ]);
  });

  it('times out, also when the body stalls', async () => {
    const silent = await serving(() => {});
    const stalled = await serving((_, response) => {
      response.writeHead(200).write('{');
    });
    for (const baseUrl of [silent, stalled]) {
      await expect(client(baseUrl, { timeoutMs: 60 }).list()).rejects.toBeInstanceOf(TimeoutError);
    }
  });

  it('ends when its signal aborts: before, during, and while it waits for a retry', async () => {
    const silent = await serving(() => {});
    await expect(client(silent).list(AbortSignal.abort())).rejects.toBeInstanceOf(AbortedError);
    await expect(client(silent).list(AbortSignal.timeout(30))).rejects.toBeInstanceOf(AbortedError);

    const busy = await serving((_, response) => void response.writeHead(429, { 'retry-after': '60' }).end());
    await expect(client(busy, { retries: 3 }).list(AbortSignal.timeout(50))).rejects.toBeInstanceOf(AbortedError);
  });

  it.each([
    ['an error of its own', () => new RangeError('a bug in the handler')],
    ['a TypeError', () => new TypeError('Cannot read properties of undefined')],
    ['a TypeError of Node', () => Object.assign(new TypeError('The "url" argument'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ])('throws %s of the given fetch as it is, after one attempt', async (_, make) => {
    const bug = make();
    let attempts = 0;
    const broken = createClient({
      ...options,
      host: createHost({
        fetch: () => {
          attempts += 1;
          throw bug;
        },
      }),
    });
    expect(await failure(broken.subscriptions.list())).toBe(bug);
    expect(attempts).toBe(1);
  });

  it.each([
    ['that of undici', undiciFetch],
    ['that of node-fetch', nodeFetch],
    ['one of the caller around that of the platform', (url: string, init: FetchInit) => fetch(url, init)],
  ] as const)('sends with another fetch: %s', async (_, given) => {
    const seen: string[] = [];
    const baseUrl = await serving((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        seen.push(`${request.method} ${request.headers['content-type']} ${request.headers.authorization} ${body}`);
        response
          .setHeader('x-request-id', 'r1')
          .end(JSON.stringify({ data: { id: 'f1', display: 'a', kind: 'string' } }));
      });
    });
    const client = createClient({
      ...options,
      baseUrl,
      token: 'sandbox-key',
      host: createHost({ fetch: given as Fetch }),
    });
    const { data, requestId } = await client.customFields.create({ display: 'a', kind: 'string' }).withResponse();
    expect([data.data.id, requestId]).toEqual(['f1', 'r1']);
    expect(seen).toEqual(['POST application/json Bearer sandbox-key {"display":"a","kind":"string"}']);

    const closed = createClient({ ...options, baseUrl: await refusing(), host: createHost({ fetch: given as Fetch }) });
    expect(await failure(closed.customFields.list())).toMatchObject({ name: 'NetworkError', notSent: true });
    const broken = createClient({
      ...options,
      baseUrl: await serving((request) => request.socket.destroy()),
      host: createHost({ fetch: given as Fetch }),
    });
    expect(await failure(broken.customFields.list())).toMatchObject({ name: 'NetworkError', notSent: false });
  });

  it('carries the whole chain of causes, without addresses', async () => {
    const baseUrl = await refusing();
    const error = await failure(client(baseUrl).list());
    expect(error).toBeInstanceOf(NetworkError);
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(TransportError);
    expect((cause as Error).cause).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });

    const others = createClient({ ...options, baseUrl, host: createHost({ fetch: nodeFetch as unknown as Fetch }) });
    const leaking = await failure(others.subscriptions.list({ email: 'ada@example.com' }));
    expect(inspect(leaking, { depth: 9 })).toContain('ECONNREFUSED');
    expect(inspect(leaking, { depth: 9 })).not.toMatch(/ada(@|%40)/);
  });

  it('reports the reason of the signal that aborted a call', async () => {
    const reason = new Error('the page was closed');
    const abort = new AbortController();
    const silent = await serving(() => abort.abort(reason));
    expect(await failure(client(silent).list(abort.signal))).toMatchObject({ name: 'AbortedError', cause: reason });
  });

  it.each([301, 302, 303, 307, 308])(
    'refuses to follow a redirect (%i), and names where it points to',
    async (status) => {
      let requests = 0;
      const baseUrl = await serving((_, response) => {
        requests += 1;
        response.writeHead(status, { location: 'https://login.example:8443/in?email=ada@example.com' }).end();
      });
      const error = await failure(client(baseUrl, { retries: 3 }).list());
      expect(error).toBeInstanceOf(RedirectError);
      expect(error).toMatchObject({ status, location: 'https://login.example:8443' });
      expect(String(error)).toContain(`answered ${status}, a redirect to https://login.example:8443`);
      expect(inspect(error)).not.toContain('ada');
      expect(requests).toBe(1);
    },
  );

  it('refuses a redirect that the browser hides', async () => {
    const hidden = Object.assign(Response.error(), {});
    Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' });
    const browser = createClient({ ...options, host: createHost({ fetch: async () => hidden }) });
    const error = await failure(browser.customFields.list());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('a redirect, which is not followed. Correct the base URL');
  });

  it('names a certificate that is not trusted, after one attempt', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    let connections = 0;
    const server = createTlsServer({ key, cert }, (_, response) => response.end('{}'));
    server.on('connection', () => (connections += 1));
    servers.push(server);
    const baseUrl = (await listening(server)).replace('http:', 'https:');
    const error = await failure(client(baseUrl, { retries: 3 }).list());
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(String(error)).toContain('TLS certificate of the service was not accepted');
    expect((error as Error).cause).toMatchObject({ cause: { cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } } });
    expect(connections).toBe(1);
  });

  it.each([
    [
      'https to a port without TLS',
      async () => (await serving(() => {})).replace('http:', 'https:'),
      'does not speak TLS',
    ],
    ['a port that fetch refuses', async () => 'http://127.0.0.1:25/v2', 'no request can be sent to this address'],
  ])('names a wrong address, after one attempt: %s', async (_, address, text) => {
    const { list, attempts } = client(await address(), { retries: 3 });
    const error = await failure(list());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(text);
    expect(attempts).toHaveLength(1);
  });
});

it('sends the request as the hooks of a ky instance left it, also with another fetch', async () => {
  const seen: string[] = [];
  const baseUrl = await serving((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen.push(`${request.headers['x-trace']} ${body}`);
      response.end(JSON.stringify({ data: { id: 'f1', display: 'a', kind: 'string' } }));
    });
  });
  const statuses: number[] = [];
  const traced = ky.create({
    retry: 5,
    hooks: {
      beforeRequest: [({ request }) => request.headers.set('x-trace', request.headers.get('authorization') ?? '')],
      afterResponse: [({ response }) => void statuses.push(response.status)],
    },
  });
  for (const given of [undefined, undiciFetch as unknown as Fetch, nodeFetch as unknown as Fetch])
    await createClient({ ...options, baseUrl, token: 'k', ky: traced, fetch: given }).customFields.create({
      display: 'a',
      kind: 'string',
    });
  expect(new Set(seen)).toEqual(new Set(['Bearer k {"display":"a","kind":"string"}']));
  expect(statuses).toEqual([200, 200, 200]);

  const bug = new TypeError('a bug in the hook');
  const throwing = ky.create({ hooks: { beforeRequest: [() => Promise.reject(bug)] } });
  expect(await failure(createClient({ ...options, baseUrl, token: 'k', ky: throwing }).customFields.list())).toBe(bug);
});
