/** `for await` over a million subscriptions, validated, from a real server: the memory of the process that iterates. */
import { createClient } from '@newsletter-kit/core';
import { tell, timed } from '../figure.ts';
import { serve } from './serve.ts';

const size = 1_000_000;
const server = await serve();
const client = createClient({ baseUrl: server.url, token: 'key', publicationId: `pub_${size}` });

let met = 0;
let last = '';
const took = await timed(async () => {
  for await (const { id } of client.subscriptions.list({ limit: 100 })) {
    met += 1;
    last = id;
  }
});
server.stop();
if (met !== size || !last.startsWith(`sub_${(size - 1).toString(16).padStart(8, '0')}`)) throw new Error(`The walk met ${met} of ${size}, the last ${last}.`);
tell({ memory: { value: process.resourceUsage().maxRSS / 1024, detail: `highest RSS of the process, ${Math.round(size / (took / 1000)).toLocaleString('en')} subscriptions a second` } });
