/**
 * A plain server in a process of its own, so that what is measured is the client: it takes subscriptions, answers a
 * list of them as long as asked, in pages of 100, and has one automation. `answering-server.ts [MS]` answers after so
 * many milliseconds. Prints its address; ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { subscription } from '../subscription.ts';

const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const;
const latencyMs = Number(process.argv[2] ?? 0);
const created = JSON.stringify({ data: listed(0) });
const automation = JSON.stringify({
  data: {
    id: 'aut_00000000-0000-4000-8000-000000000001',
    status: 'live',
    name: 'Welcome',
    trigger_events: ['api'],
    description: null,
  },
});
const limit = 100;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const isAutomation = url.pathname.includes('/automations/');
  const body =
    request.method === 'POST'
      ? created
      : isAutomation
        ? automation
        : page(Number(url.searchParams.get('cursor') ?? 0), Number(/pub_(\d+)/.exec(url.pathname)?.[1] ?? 0));
  const answer = (): void => {
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      ...headers,
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  request.resume().on('end', () => (latencyMs > 0 ? void setTimeout(answer, latencyMs) : answer()));
});

/** The page that starts at this subscription, of a publication this large. */
function page(from: number, size: number): string {
  const data = Array.from({ length: Math.min(limit, size - from) }, (_, index) => listed(from + index));
  const next = from + limit < size ? String(from + limit) : null;
  return JSON.stringify({ data, limit, has_more: next !== null, next_cursor: next });
}

function listed(index: number): object {
  return {
    ...subscription(index),
    created: 1_750_000_000 - index * 150,
    utm_source: `source ${index % 300}`,
    utm_campaign: `campaign ${index % 50_000}`,
    newsletter_list_ids: [],
  };
}

server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`));
process.on('disconnect', () => process.exit());
