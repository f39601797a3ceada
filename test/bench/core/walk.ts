/**
 * Walks a publication from its first page to its last, and tells the highest memory of this process:
 * `walk.ts URL SIZE client|fetch`.
 */
import { createClient } from '@newsletter-kit/core';
import { reportFigures, timed } from '../figure.ts';

const [url = '', size = '', way = ''] = process.argv.slice(2);
const publicationId = `pub_${size}`;

async function* bareFetch(): AsyncGenerator<{ readonly id: string }> {
  let cursor: string | null = '0';
  while (cursor !== null) {
    const answer: Response = await fetch(
      `${url}/publications/${publicationId}/subscriptions?limit=100&cursor=${cursor}`,
    );
    const page = (await answer.json()) as { data: { id: string }[]; next_cursor: string | null };
    yield* page.data;
    cursor = page.next_cursor;
  }
}

const items =
  way === 'fetch'
    ? bareFetch()
    : createClient({ baseUrl: url, token: 'key', publicationId }).subscriptions.list({ limit: 100 });
let met = 0;
let last = '';
const took = await timed(async () => {
  for await (const { id } of items) {
    met += 1;
    last = id;
  }
});
if (met !== Number(size) || !last.startsWith(`sub_${(met - 1).toString(16).padStart(8, '0')}`))
  throw new Error(`The walk met ${met} of ${size}, the last ${last}.`);
reportFigures({
  walk: {
    value: process.resourceUsage().maxRSS / 1024,
    detail: `${Math.round(met / (took / 1000)).toLocaleString('en')} subscriptions a second`,
  },
});
