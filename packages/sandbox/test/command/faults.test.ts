/** Faults over a port: what a real `fetch` sees of them. */
import { expect, test } from 'vitest';
import { headers, start, subscribe, subscriptions, type Running } from './process.ts';

const ada = { email: 'ada@example.com' };
const fault = (running: Running, body: object) =>
  fetch(`${running.address}/_sandbox/faults`, { method: 'POST', headers, body: JSON.stringify(body) });
const total = async (running: Running) =>
  ((await (await fetch(`${running.address}/_sandbox/subscriptions`)).json()) as { total: number }).total;

test('on a port connections really break: before the work, after it, in the middle of the answer; then requests work again', async () => {
  const running = await start(['--seed', 'empty']);

  await fault(running, { match: 'subscriptions.create', effect: 'reset', nth: 1 });
  await expect(subscribe(running, ada)).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  });
  expect(await total(running)).toBe(0);

  await fault(running, { match: 'subscriptions.create', effect: 'lostResponse', nth: 1 });
  await expect(subscribe(running, ada)).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  });
  expect(await total(running)).toBe(1);

  await fault(running, { match: 'subscriptions.list', effect: 'truncate', nth: 1 });
  const cut = await fetch(subscriptions(running), { headers });
  expect(cut.status).toBe(200);
  const length = Number(cut.headers.get('content-length'));
  let received = '';
  const reading = (async () => {
    for await (const chunk of cut.body!.pipeThrough(new TextDecoderStream())) received += chunk;
  })();
  await expect(reading).rejects.toThrow('terminated');
  expect(received.length).toBe(Math.floor(length / 2));
  expect(received.startsWith('{"data":[{"id":"sub_')).toBe(true);

  await fault(running, { effect: { latency: 30_000 }, times: 1 });
  await expect(fetch(subscriptions(running), { headers, signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
  expect((await subscribe(running, ada)).status).toBe(200);
  expect(await running.stop()).toBe(0);
  expect(running.output()).not.toMatch(/error/i);
});
