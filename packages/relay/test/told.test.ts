/**
 * What becomes of a signup is told as the API has it: each channel of the relay is compared with the record that the
 * sandbox has in that moment, and whoever is not behind the signed link learns nothing.
 */
import { createClient } from '@newsletter-kit/core';
import { getsMail, isUnsubscribed } from '@newsletter-kit/core/facts';
import { expect, it } from 'vitest';
import { waitUntil } from '../../../test/support/waits.ts';
import { type Confirming, confirming, mailTo } from './confirmation/confirming.ts';
import { linkIn, startMailServer } from './mail-server.ts';
import { apiKey, formPost, metricsOf, operatorToken, post, publicationId } from './running-relay.ts';
import { type SandboxApi, sandboxApi } from './sandbox-api.ts';
import { type Receiver, startReceiver, webhookSettings } from './webhooks/receiver.ts';

const minuteMs = 60_000;
const email = 'ada@example.com';
const consent = 'Yes, send me the news.';

interface Situation {
  /** How the address stands before it signs up. */
  readonly before?: (api: SandboxApi) => Promise<unknown>;
  readonly address?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly assumptions?: Readonly<Record<string, string>>;
  /** Whether ten minutes pass, after which the API is asked once more. */
  readonly waits?: boolean;
  /** Whether the form asks for a confirmation of its own. */
  readonly isPlain?: boolean;
}

const clientOf = (api: SandboxApi) =>
  createClient({ baseUrl: 'http://sandbox.example/v2', token: apiKey, publicationId, fetch: api.sandbox.fetch });

async function subscribed(api: SandboxApi, unsubscribe = false, address = email): Promise<void> {
  const client = clientOf(api);
  const { data } = await client.subscriptions.create({ email: address, double_opt_override: 'off' });
  if (unsubscribe) await client.subscriptions.updateStatus({ new_status: 'inactive', subscription_ids: [data.id] });
  api.sandbox.clock.advance(minuteMs);
  api.received.length = 0;
}

const situations: Readonly<Record<string, Situation>> = {
  'somebody new': {},
  'somebody who is subscribed': { before: (api) => subscribed(api) },
  'somebody who had left': { before: (api) => subscribed(api, true) },
  'somebody who had left, where a click brings them back': {
    before: (api) => subscribed(api, true),
    settings: { RELAY_REACTIVATE_CONFIRMED: 'true' },
  },
  'somebody whose address is still checked': { assumptions: { double_opt_off: 'validating' } },
  'somebody whose address was still checked, ten minutes later': {
    assumptions: { double_opt_off: 'validating' },
    waits: true,
  },
  'somebody whose address the service refuses, ten minutes later': {
    address: 'ada@nowhere.invalid',
    assumptions: { double_opt_off: 'validating' },
    waits: true,
  },
  'somebody whom the service asks to confirm, ten minutes later': {
    settings: { RELAY_DOUBLE_OPT_OVERRIDE: 'on' },
    isPlain: true,
    waits: true,
  },
  'somebody of a form without a confirmation': { isPlain: true },
};

interface Told {
  readonly relay: Confirming;
  readonly api: SandboxApi;
  readonly receiver: Receiver;
  readonly answers: readonly (readonly [number, string])[];
  readonly page: string;
}

/** Signs up, clicks, and waits until the relay knows what became of it. */
async function told(situation: Situation): Promise<Told> {
  const { before, address = email, settings = {}, assumptions = {}, waits = false, isPlain = false } = situation;
  const [mail, receiver] = await Promise.all([startMailServer(), startReceiver(undefined, true)]);
  const api = sandboxApi({ seed: 'empty', profile: 'unlimited', assumptions });
  await before?.(api);
  // It checks an address within half a second, in which a busy machine compares nothing.
  api.sandbox.clock.freeze();
  let passed = 0;
  const relay = confirming(mail, {
    api: api.fetch,
    now: () => Date.now() + passed,
    settings: {
      ...webhookSettings(receiver),
      RELAY_CONSENT_SENTENCES: consent,
      RELAY_PAGE: 'true',
      RELAY_CONFIRMATION: String(!isPlain),
      ...settings,
    },
  });
  const answer = await relay.fetch(post({ email: address, consent }));
  const answers = [[answer.status, await answer.text()] as const];
  let page = '';
  const settled = () => waitUntil('delivery', async () => (await relay.store.counts()).delivered === 1);
  if (isPlain) await settled();
  else {
    const received = await mailTo(mail, address);
    expect(received.text).not.toMatch(/subscribed|active|welcome/i);
    const link = linkIn(received);
    const clicked = await relay.visit(link, 'POST');
    expect(clicked.status).toBe(303);
    const first = await (await relay.visit(new URL(clicked.headers.get('location') ?? '', link).href)).text();
    // Nothing is promised before the API has it.
    if ((await relay.store.counts()).delivered === 0) expect(first).toContain('we have noted it');
    await settled();
    if (waits) await later();
    page = await (await relay.visit(link)).text();
  }
  if (waits && isPlain) await later();
  return { relay, api, receiver, answers, page };

  async function later(): Promise<void> {
    api.sandbox.clock.advance(10 * minuteMs);
    passed = 10 * minuteMs;
    // Wakes what waits for that time.
    const headers = { authorization: `Bearer ${operatorToken}` };
    await relay.fetch(new Request('http://relay.example/operator/api/resume', { method: 'POST', headers }));
    await waitUntil('the second question', async () => {
      const [signup] = await relay.store.list({}, { limit: 1 });
      return signup?.nextAttemptAt === null;
    });
  }
}

it.each(Object.entries(situations))('%s', async (_, situation) => {
  const { relay, api, receiver, answers, page } = await told(situation);
  const [record, ...others] = await api.subscriptions();
  expect(others).toEqual([]);
  const status = record?.status ?? '';
  expect(status).not.toBe('');

  // The visitor: the same for every address, and no promise.
  expect(answers).toEqual([[202, '{"status":"accepted"}']]);
  // The person, behind the link of the mail.
  if (page !== '') {
    expect(page.includes('You are subscribed')).toBe(getsMail(status));
    expect(page.includes('had left')).toBe(isUnsubscribed(status));
  }
  // The operator, and programs.
  const [signup] = await relay.store.list({}, { limit: 1 });
  expect(signup?.status).toBe(status);
  expect((await relay.store.overview(Date.now())).statuses).toEqual([{ status, count: 1 }]);
  const metrics = await metricsOf(relay);
  const counted = `newsletter_relay_subscriptions_total{form="default",status="${status}"} `;
  const isFirstWord = signup?.nextAttemptAt !== null;
  expect(metrics).toContain(`${counted}${isFirstWord ? 0 : 1}`);
  await waitUntil('every webhook', async () => (await relay.store.webhooks.overview())[0]?.waiting === 0);
  // Deliveries run side by side: the time of a message says which word is the last.
  const messages = receiver.received.filter(({ data }) => 'status' in data);
  const [last] = messages.toSorted((a, b) => b.timestamp.localeCompare(a.timestamp));
  expect(last?.data.status).toBe(status);
  // The ledger, as its export has it.
  const entries = await relay.store.listConsents({ limit: 9 });
  expect(entries.length).toBeGreaterThan(0);
  expect(new Set(entries.map((entry) => entry.status))).toEqual(new Set([status]));
});

const other = { email: 'bob@example.com' };
const again = { email, custom_fields: [{ name: 'City', value: 'Ulm' }] };

it.each([
  ['who has not clicked', {}, [{ email }]],
  ['whose mail is held', { RELAY_CONFIRMATION_MAILS_PER_HOUR: '1' }, [other, { email }]],
  ['whose second signup got no mail of its own', {}, [{ email }, again]],
  ['who waits for a review', { RELAY_LIMIT_ADDRESS: '1/1h' }, [{ email }, again]],
])('of somebody %s nobody is told what the API does not have', async (_, settings, posts) => {
  const [mail, receiver] = await Promise.all([startMailServer(), startReceiver(undefined, true)]);
  const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
  const relay = confirming(mail, { api: api.fetch, settings: { ...webhookSettings(receiver), ...settings } });
  for (const { email: to, ...more } of posts) await relay.signUp(to, { consent: true, ...more });
  const first = await mailTo(mail, posts[0]?.email ?? '');
  expect(await (await relay.visit(linkIn(first))).text()).not.toMatch(/subscribed|noted|thank/i);
  expect(await api.subscriptions()).toEqual([]);
  expect(mail.received).toHaveLength(1);
  expect(await relay.store.overview(Date.now())).toMatchObject({ counts: { delivered: 0 }, statuses: [] });
  expect(await metricsOf(relay)).not.toMatch(/newsletter_relay_subscriptions_total\{[^}]*\} [1-9]/);
  expect(receiver.received).toEqual([]);
  const entries = await relay.store.listConsents({ limit: 9 });
  expect(entries.map(({ kind, status }) => [kind, status])).toEqual(posts.map(() => ['given', null]));
});

it('the tag and the page of the form answer the same to whoever had left, and to anybody', async () => {
  const answersOf = async (before: (api: SandboxApi) => Promise<unknown>) => {
    const mail = await startMailServer();
    const api = sandboxApi({ seed: 'empty' });
    await before(api);
    const relay = confirming(mail, { api: api.fetch, settings: { RELAY_PAGE: 'true' } });
    const answers = [];
    for (const request of [post({ email }), formPost({ email })]) {
      const answer = await relay.fetch(request);
      const { date: _, ...headers } = Object.fromEntries(answer.headers);
      answers.push([answer.status, headers, await answer.text()]);
    }
    return answers;
  };
  const ofNew = await answersOf(() => Promise.resolve());
  expect(await answersOf((api) => subscribed(api, true))).toEqual(ofNew);
  expect(await answersOf((api) => subscribed(api))).toEqual(ofNew);
  expect(JSON.stringify(ofNew)).not.toMatch(/subscribed|complete/i);
});

it('an erased person leaves nothing that tells of them', async () => {
  const { relay, page } = await told({});
  expect(page).toContain(email);
  await relay.store.erase(email);
  expect((await relay.store.overview(Date.now())).statuses).toEqual([]);
  expect(await relay.store.listConsents({ limit: 9 })).toEqual([]);
});
