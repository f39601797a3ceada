/**
 * Requests a second, 32 at a time: our client with validation on, bare fetch that parses the JSON, and the service's
 * own SDK. In turns, so that whatever else the machine does meets all three.
 */
import { BeehiivClient } from '@beehiiv/sdk';
import { createClient } from '@newsletter-kit/core';
import { median, tell, timed } from '../figure.ts';
import { serve } from './serve.ts';

const callers = 32;
const requests = 6_000;
const rounds = 7;
const publicationId = 'pub_00000000-0000-4000-8000-000000000001';

const server = await serve();
const client = createClient({ baseUrl: server.url, token: 'key', publicationId });
const sdk = new BeehiivClient({ baseUrl: server.url, token: 'key' });

const ways = {
  fetch: async () => {
    const answer = await fetch(`${server.url}/publications/${publicationId}/custom_fields/field_1`, {
      headers: { authorization: 'Bearer key', accept: 'application/json' },
    });
    return ((await answer.json()) as { data: { display?: string | undefined } }).data.display;
  },
  ours: async () => (await client.customFields.get({ id: 'field_1' })).data.display,
  sdk: async () => (await sdk.customFields.show(publicationId, 'field_1')).data?.display,
} as const;

/** Requests a second. */
async function rate(way: () => Promise<string | undefined>): Promise<number> {
  let left = requests;
  const caller = async (): Promise<void> => {
    while (left-- > 0) if ((await way()) !== 'Topics') throw new Error('The answer was another.');
  };
  return (requests * 1000) / (await timed(() => Promise.all(Array.from({ length: callers }, caller))));
}

const rates: Record<keyof typeof ways, number[]> = { fetch: [], ours: [], sdk: [] };
for (const way of Object.values(ways)) await rate(way);
for (let round = 0; round < rounds; round += 1) {
  for (const name of ['fetch', 'ours', 'sdk'] as const) rates[name].push(await rate(ways[name]));
}
server.stop();

/** The middle of the rounds' own ratios: each compares neighbours in time. */
const ratio = (other: 'fetch' | 'sdk'): number =>
  median(rates.ours.map((value, round) => value / (rates[other][round] ?? Number.NaN)));
const detail = `requests/s, medians of ${rounds} rounds: fetch ${Math.round(median(rates.fetch))}, ours ${Math.round(median(rates.ours))}, SDK ${Math.round(median(rates.sdk))}`;
tell({ fetch: { value: ratio('fetch'), detail }, sdk: { value: ratio('sdk'), detail } });
