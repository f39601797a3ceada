/** Delivery by a relay to the API of a sandbox. The other tests of this folder prove its rules, part by part. */
import { createClient } from '@newsletter-kit/core';
import { expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { apiKey, post, publicationId, runRelay, type RunningRelay, unreachable } from '../running-relay.ts';
import { sandboxApi, type SandboxApi } from '../sandbox-api.ts';

/** Starts a relay with short waits. */
function start(api: SandboxApi, settings: Readonly<Record<string, string>> = {}): RunningRelay {
  const relay = runRelay({ api: api.fetch, settings, delivery: { backoff: { firstMs: 20, maxMs: 60 } } });
  relay.start();
  return relay;
}

const delivered = (relay: RunningRelay, count: number): Promise<void> =>
  waitUntil(`${count} are delivered`, async () => (await relay.store.counts()).delivered === count);

it('delivers a signup at once with its attribution and custom fields, and logs what the API left out', async () => {
  const api = sandboxApi();
  const relay = start(api);
  const fields = [
    { name: 'First Name', value: 'Grace' },
    { name: 'Topics', value: ['boats', 'history'] },
    { name: 'Birthday', value: '1906-12-09' },
  ];
  const attribution = {
    utm_source: 'Frühlings-Newsletter 🌷',
    utm_campaign: 'x'.repeat(300),
    referring_site: 'https://blog.example/a?b=c',
  };
  const custom_fields = [...fields, { name: 'Shoe size', value: 38 }];
  await relay.fetch(post({ email: 'Grace.Hopper+navy@BÜCHER.example', ...attribution, custom_fields }));
  // The limit is shorter than the longest sleep of the loop: the post must wake it.
  await delivered(relay, 1);
  const [newest] = (await api.subscriptions()).filter(({ email }) => email === 'Grace.Hopper+navy@bücher.example');
  expect(newest).toMatchObject(attribution);
  expect(newest?.custom_fields).toEqual(
    expect.arrayContaining(fields.map((field) => expect.objectContaining(field) as unknown)),
  );
  await waitUntil('the warning is logged', () =>
    relay.logged.some((line) => line.includes('left out parts') && line.includes('Shoe size')),
  );
});

it.each([
  ['the API cannot be reached', unreachable],
  ['a proxy answers 400', () => Promise.resolve(new Response('Bad Request', { status: 400 }))],
  ['a login page answers with success', () => Promise.resolve(new Response('<h1>Welcome to our Wi-Fi</h1>'))],
])('keeps signups while %s, and delivers all of them afterwards', async (_case, down) => {
  const api = sandboxApi();
  api.instead = down;
  const relay = start(api);
  const emails = Array.from({ length: 20 }, (_, n) => `p${n}@example.com`);
  for (const email of emails) await relay.fetch(post({ email }));
  const failed = () => relay.logged.filter((line) => line.includes('it will be tried again')).length;
  await waitUntil('several attempts have failed', () => failed() > 8);
  const { waiting, sent, ...others } = await relay.store.counts();
  expect({ open: waiting + sent, ...others }).toEqual({ open: 20, unconfirmed: 0, review: 0, delivered: 0, dead: 0 });
  api.instead = null;
  await delivered(relay, 20);
  expect(api.received.map(({ email }) => String(email)).toSorted()).toEqual(emails.toSorted());
});

it('never reactivates a subscription that was ended before a retry, whatever the configuration says', async () => {
  const api = sandboxApi();
  const email = 'ada.lovelace@example.com';
  const ada = async () => (await api.subscriptions()).find((each) => each.email === email);
  const id = (await ada())?.id ?? '';
  const client = createClient({
    baseUrl: 'http://sandbox.example/v2',
    token: apiKey,
    publicationId,
    fetch: api.sandbox.fetch,
  });
  const leave = async () => {
    await client.subscriptions.updateStatus({ subscription_ids: [id], new_status: 'inactive' });
    api.sandbox.clock.advance('PT1M');
  };
  await leave();
  let creations = 0;
  api.instead = async (request) => {
    if (request.method === 'POST') creations += 1;
    const answer = await api.sandbox.fetch(request);
    if (request.method !== 'POST' || creations > 1) return answer;
    // The answer is lost, and the person leaves before the retry.
    await leave();
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
  const relay = start(api, { RELAY_REACTIVATE_EXISTING: 'true' });
  await relay.fetch(post({ email, custom_fields: [{ name: 'First Name', value: 'Ada K.' }] }));
  await delivered(relay, 1);
  expect(creations).toBe(2);
  const now = await ada();
  expect(now).toMatchObject({ status: 'inactive' });
  expect(now?.custom_fields).toContainEqual(expect.objectContaining({ name: 'First Name', value: 'Ada K.' }));
});

it('logs neither key nor address after any failure', async () => {
  const api = sandboxApi();
  const relay = start(api);
  for (const status of [400, 401, 404, 429, 500]) {
    // Several people: the signups of one go one after the other.
    const email = `Ada.Lovelace+secret-${status}@example.com`;
    const errors = [{ message: `${email} with sandbox-key: no`, code: 'X' }];
    let answered = false;
    api.instead = () => {
      answered = true;
      return Promise.resolve(Response.json({ status, statusText: 'x', errors }, { status }));
    };
    await relay.fetch(post({ email, utm_term: String(status) }));
    await waitUntil(`${status} is answered`, () => answered);
  }
  api.instead = null;
  await waitUntil('all are settled', async () => {
    const { waiting, sent } = await relay.store.counts();
    return waiting + sent === 0;
  });
  const text = relay.logged.join('');
  expect(text).toContain('[address]');
  expect(text).not.toMatch(/lovelace|example\.com/i);
  expect(text).not.toContain('sandbox-key');
});
