/**
 * CPU time of the client per call: the calls of the documentation's first snippet and a GET of one record, validated,
 * through ky and through the fetch host, beside bare fetch, ky alone and the service's SDK, none of which validates. In
 * turns, so that other work of the machine affects all of them; the ratio of two ways is the median of the ratios of
 * neighbouring turns.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BeehiivClient } from '@beehiiv/sdk';
import { createClient, type Client, type ClientOptions } from '@newsletter-kit/core';
import ky from 'ky';
import { median, reportFigures, type Figure } from '../figure.ts';
import { callOf } from './readme.ts';
import { serve } from './serve.ts';

const callers = 32;
const rounds = 15;
const publicationId = 'pub_100';
const automationId = 'aut_00000000-0000-4000-8000-000000000001';
const server = await serve();

/** Without the bound of five, and without a pacer of either host being busier than the other. */
const clientOver = (options: ClientOptions): Client =>
  createClient({ ...options, baseUrl: server.url, token: 'key', publicationId, concurrency: callers });
const onFetch = clientOver({});
const onKy = clientOver({ ky });
const sdk = new BeehiivClient({ baseUrl: server.url, token: 'key' });

const create = await callOf<Client>('client.subscriptions.create');
const page = await callOf<Client>('client.subscriptions.list');
const get = (client: Client): Promise<unknown> => client.automations.get({ automationId });
const url = `${server.url}/publications/${publicationId}/subscriptions`;
const automationUrl = `${server.url}/publications/${publicationId}/automations/${automationId}`;
const headers = { authorization: 'Bearer key', accept: 'application/json' };
const input = {
  email: 'ada@example.com',
  utm_source: 'landing',
  custom_fields: [{ name: 'Topics', value: ['ai', 'design'] }],
};

interface Way {
  readonly create: () => Promise<unknown>;
  readonly page: () => Promise<unknown>;
  /** One automation. */
  readonly get: () => Promise<unknown>;
}
const ways = {
  'fetch host': { create: () => create(onFetch), page: () => page(onFetch), get: () => get(onFetch) },
  ky: { create: () => create(onKy), page: () => page(onKy), get: () => get(onKy) },
  SDK: {
    create: () =>
      sdk.subscriptions.create(publicationId, {
        email: input.email,
        utm_source: input.utm_source,
        custom_fields: [{ name: 'Topics', value: ['ai', 'design'] }],
      }),
    page: () => sdk.subscriptions.index(publicationId, { limit: 100 }),
    get: () => sdk.automations.show(publicationId, automationId),
  },
  'bare fetch': {
    create: async () =>
      (
        await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        })
      ).json(),
    page: async () => (await fetch(`${url}?limit=100`, { headers })).json(),
    get: async () => (await fetch(automationUrl, { headers })).json(),
  },
  'ky alone': {
    create: () => ky.post(url, { headers, json: input }).json(),
    page: () => ky.get(`${url}?limit=100`, { headers }).json(),
    get: () => ky.get(automationUrl, { headers }).json(),
  },
} satisfies Record<string, Way>;
type Name = keyof typeof ways;
const names = Object.keys(ways) as Name[];

// Each way pays for its own garbage: pages leave much of it.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Microseconds of CPU time per call. */
async function cost(call: () => Promise<unknown>, calls: number): Promise<number> {
  collectGarbage();
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  const begun = process.cpuUsage();
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / calls;
}

async function compare(kind: keyof Way, calls: number): Promise<(name: 'ky' | 'fetch host') => Figure> {
  const costs = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await cost(ways[name][kind], calls);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) costs.get(name)?.push(await cost(ways[name][kind], calls));
  }
  const listed = names.map((name) => `${name} ${Math.round(median(costs.get(name) ?? []))}`).join(', ');
  /** Calls per CPU time of one way, divided by those of another. */
  const ratio = (name: Name, peer: Name): number =>
    median((costs.get(name) ?? []).map((own, round) => (costs.get(peer)?.[round] ?? Number.NaN) / own));
  return (name) => ({
    value: ratio(name, 'SDK'),
    ratios: { 'bare fetch': ratio(name, 'bare fetch'), 'ky alone': ratio(name, 'ky alone') },
    detail: `µs of CPU time per call, medians of ${rounds} turns: ${listed}`,
  });
}

const creates = await compare('create', 1_000);
const pages = await compare('page', 1_000);
const gets = await compare('get', 1_000);
server.stop();
reportFigures({
  createKy: creates('ky'),
  createFetch: creates('fetch host'),
  pageKy: pages('ky'),
  pageFetch: pages('fetch host'),
  getKy: gets('ky'),
  getFetch: gets('fetch host'),
});
