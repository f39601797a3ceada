/**
 * 10,000 requests in process: 5,000 subscriptions created, 5,000 pages of ten read; every answer read to its end. And
 * the reset between.
 */
import { apiKeys, createSandbox, publicationId } from '@newsletter-kit/sandbox';
import { median, reportFigures, timed } from '../figure.ts';

const sandbox = createSandbox();
const address = `http://sandbox.test/v2/publications/${publicationId}/subscriptions`;
const headers = { Authorization: `Bearer ${apiKeys.workspace}`, 'Content-Type': 'application/json' };
const half = 5000;

async function send(path: string, init: RequestInit): Promise<void> {
  const answer = await sandbox.fetch(address + path, init);
  await answer.json();
  if (answer.status !== 200) throw new Error(`A request was answered ${answer.status}.`);
}

async function round(): Promise<{ readonly create: number; readonly list: number }> {
  sandbox.reset();
  const create = await timed(async () => {
    for (let n = 0; n < half; n += 1) {
      await send('', {
        method: 'POST',
        headers,
        body: JSON.stringify({ email: `reader${n}@example.com`, utm_source: 'bench', utm_campaign: 'spring' }),
      });
    }
  });
  const list = await timed(async () => {
    for (let n = 0; n < half; n += 1) await send('?limit=10', { headers });
  });
  return { create, list };
}

/** What the objects alone cost that every request in process is made of: tells a slow machine from a slow sandbox. */
async function bare(): Promise<number> {
  const body = JSON.stringify(await (await sandbox.fetch(`${address}?limit=10`, { headers })).json());
  const took = await timed(async () => {
    for (let n = 0; n < half; n += 1) {
      const request = new Request(address, { method: 'POST', headers, body: '{"email":"reader@example.com"}' });
      await request.text();
      await new Response(body, { headers: { 'Content-Type': 'application/json' } }).json();
    }
  });
  return (took / half) * 1000;
}

const rounds = [];
for (let n = 0; n < 5; n += 1) rounds.push(await round());
const best = rounds.reduce((a, b) => (a.create + a.list <= b.create + b.list ? a : b));

const objects = Math.round(Math.min(await bare(), await bare(), await bare()));

const resets: number[] = [];
for (let n = 0; n < 200; n += 1) {
  for (let made = 0; made < 20; made += 1)
    await send('', { method: 'POST', headers, body: JSON.stringify({ email: `reader${made}@example.com` }) });
  resets.push(await timed(() => sandbox.reset('empty')));
}
sandbox.close();

const each = (milliseconds: number): string => `${Math.round((milliseconds / half) * 1000)} µs`;
reportFigures({
  requests: {
    value: best.create + best.list,
    detail: `best of 5 rounds; a create ${each(best.create)}, a page of ten ${each(best.list)}; bare Request and Response objects ${objects} µs`,
  },
  reset: { value: median(resets), detail: 'median of 200, each after 20 subscriptions' },
});
