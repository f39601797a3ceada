/** The hosts over fetch against real sockets: what the network does to a request, and what the engine makes of it. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AbortedError,
  createClient,
  createFetchHost,
  createKyHost,
  NetworkError,
  TimeoutError,
  type AttemptEvent,
} from '../../src/index.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
}

describe.each([
  ['ky', createKyHost],
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

  it('sends what the engine wrote and reads what the server answers', async () => {
    let seen = '';
    const baseUrl = await serving((request, response) => {
      seen = `${request.method} ${request.url} ${request.headers.authorization}`;
      response.setHeader('content-type', 'application/json').end('{"data":[],"has_more":false,"limit":10}');
    });
    const page = await client(baseUrl).list();
    expect(page.limit).toBe(10);
    expect(seen).toBe('GET /v2/publications/pub_1/subscriptions Bearer sandbox-key');
  });

  it('knows that a refused connection sent nothing', async () => {
    const baseUrl = await serving(() => {});
    await new Promise((closed) => servers.pop()?.close(closed));
    await expect(client(baseUrl).list()).rejects.toSatisfy(
      (error) => error instanceof NetworkError && error.notSent && error.code === 'ECONNREFUSED',
    );
  });

  it('does not know it of a connection that broke, also in the middle of the body', async () => {
    const cut = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' });
      response.write('{"data":[');
      setTimeout(() => response.destroy(), 20);
    });
    const reset = await serving((request) => request.socket.destroy());
    for (const baseUrl of [cut, reset]) {
      await expect(client(baseUrl).list()).rejects.toSatisfy(
        (error) => error instanceof NetworkError && !error.notSent,
      );
    }
  });

  it('repeats by the policy alone: ky adds nothing', async () => {
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

  it('ends when its signal does: before, during, and while it waits to repeat', async () => {
    const silent = await serving(() => {});
    await expect(client(silent).list(AbortSignal.abort())).rejects.toBeInstanceOf(AbortedError);
    await expect(client(silent).list(AbortSignal.timeout(30))).rejects.toBeInstanceOf(AbortedError);

    const busy = await serving((_, response) => void response.writeHead(429, { 'retry-after': '60' }).end());
    await expect(client(busy, { retries: 3 }).list(AbortSignal.timeout(50))).rejects.toBeInstanceOf(AbortedError);
  });

  it('lets an error of the given fetch surface as itself', async () => {
    const broken = createClient({
      baseUrl: 'http://api.test/v2',
      publicationId: 'pub_1',
      host: createHost({
        fetch: () => {
          throw new RangeError('a bug in the handler');
        },
      }),
    });
    await expect(broken.subscriptions.list()).rejects.toThrow('a bug in the handler');
  });
});
