/** A failing newsletter API: a sandbox behind a server that refuses calls, breaks connections and loses answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox } from '@newsletter-kit/sandbox';
import { onTestFinished } from 'vitest';

/** What may befall a call, and how often: shares of one. What is left goes well. */
export interface Weather {
  readonly down: number;
  readonly limited: number;
  readonly reset: number;
  /** Done, but the answer never arrives. */
  readonly lost: number;
}

export const storm: Weather = { down: 0.1, limited: 0.03, reset: 0.08, lost: 0.08 };
export const calm: Weather = { down: 0, limited: 0, reset: 0, lost: 0 };

export interface StormyApi {
  readonly url: string;
  weather: Weather;
  /** By address: how often it was created alone, and how many of those answers nobody got. */
  readonly created: ReadonlyMap<string, { readonly times: number; readonly unheard: number }>;
  /** Every address that is subscribed, in the sandbox's own spelling; twice where it is there twice. */
  subscribed(): Promise<string[]>;
}

/** Starts it until the end of the test. */
export async function stormyApi(random: () => number): Promise<StormyApi> {
  const sandbox = createSandbox({ seed: 'empty', profile: 'unlimited' });
  const created = new Map<string, { times: number; unheard: number }>();
  const api = {
    weather: storm,
    created,
    async subscribed() {
      const addresses: string[] = [];
      let before = '';
      do {
        const answer = await sandbox.fetch(
          new Request(`http://sandbox.example/_sandbox/subscriptions?limit=200${before && `&before=${before}`}`),
        );
        const page = (await answer.json()) as { data: { email: string }[]; next_before: string | null };
        addresses.push(...page.data.map(({ email }) => email));
        before = page.next_before ?? '';
      } while (before);
      return addresses;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { down, limited, reset, lost } = api.weather;
    const luck = random();
    if (luck < down) return void response.writeHead(503).end();
    if (luck < down + limited) return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (luck < down + limited + reset) return void request.socket.destroy();

    const url = `http://sandbox.example${request.url}`;
    const body = Buffer.concat(chunks);
    const { authorization = '' } = request.headers;
    const method = request.method ?? 'GET';
    const done = await sandbox.fetch(
      new Request(url, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body.length > 0 && { body }),
      }),
    );
    const text = await done.text();
    const isLost = luck < down + limited + reset + lost;
    const { email } = (body.length > 0 ? JSON.parse(body.toString()) : {}) as { email?: string };
    const record = email === undefined ? undefined : (created.get(email) ?? { times: 0, unheard: 0 });
    if (record && email !== undefined && done.ok)
      created.set(email, {
        ...record,
        times: record.times + 1,
        unheard: record.unheard + (isLost || request.socket.destroyed ? 1 : 0),
      });
    if (isLost) return void request.socket.destroy();
    response.writeHead(done.status, { 'content-type': 'application/json' }).end(text);
  }

  const server = createServer((request, response) => {
    // A caller that was killed in the middle of its call has nobody left to answer.
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    sandbox.close();
  });
  return Object.assign(api, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2` });
}
