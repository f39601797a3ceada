/** The delivery of one signup: its requests to the API, and the outcome that is stored. */
import { describe, expect, it, vi } from 'vitest';
import { createSingleDelivery, toSubscriptionRequest } from '../../src/delivery/single-delivery.ts';
import type { ClaimedSignup, Form } from '../../src/index.ts';
import { newSignup } from '../new-signup.ts';
import { publicationId } from '../running-relay.ts';
import { deliveryParts, listed, listPage, refusal, startAt, type DeliveryParts } from './parts.ts';

const email = 'ada@example.com';
const skewMs = 5 * 60_000;

type Answer = (request: Request) => Promise<Response>;

const created = (warnings?: readonly unknown[]) => () =>
  Promise.resolve(Response.json({ data: listed(email, 0), ...(warnings && { warnings }) }));

interface Test extends DeliveryParts {
  readonly backgrounds: (boolean | undefined)[];
  /** Stores, claims and delivers a signup. */
  deliver(changes?: Partial<ClaimedSignup>): Promise<ClaimedSignup>;
  /** Bodies of the creations. */
  bodies(): Promise<Record<string, unknown>[]>;
}

function single({
  create = created(),
  list = () => Promise.resolve(listPage([])),
}: { readonly create?: Answer; readonly list?: Answer } = {}): Test {
  const parts = deliveryParts((request) => (request.method === 'GET' ? list(request) : create(request)));
  const { store, lane } = parts;
  const delivery = createSingleDelivery(lane);
  const backgrounds: (boolean | undefined)[] = [];
  const { subscriptions } = lane.client;
  const creation = subscriptions.create.bind(subscriptions);
  vi.spyOn(subscriptions, 'create').mockImplementation((params, options) => {
    backgrounds.push(options?.background);
    return creation(params, options);
  });
  return {
    ...parts,
    backgrounds,
    async deliver(changes = {}) {
      const { dueAt = startAt, submission = { email } } = changes;
      await store.accept(newSignup(email, { receivedAt: dueAt, submission }));
      const [claimed] = await store.claim({ forms: ['default'], limit: 1, now: parts.clock.now });
      if (!claimed) throw new Error('The signup is due.');
      const signup = { ...claimed, ...changes };
      await delivery.deliver(signup);
      return signup;
    },
    bodies: () =>
      Promise.all(
        parts.requests
          .filter(({ method }) => method === 'POST')
          .map((request) => request.clone().json() as Promise<Record<string, unknown>>),
      ),
  };
}

const stored = async ({ store }: DeliveryParts) => (await store.list({}, { limit: 1 }))[0];

describe('a confirmation of somebody who had left', () => {
  const reactivating = (test: Test): void => {
    const { forms } = test.lane;
    const form = forms['default'];
    if (!form) throw new Error('There is a form.');
    const mail = { from: { name: '', address: 'news@example.com' }, subject: '', text: '', button: '', lang: 'en' };
    const confirmation = { ...mail, confirmedUrl: null, mailsPerHour: 9, reactivates: true };
    Object.assign(forms, { default: { ...form, confirmation } });
  };
  const left = { confirmed: true, status: 'inactive' } as const;

  it('brings them back in the first attempt, right after the click', async () => {
    const test = single();
    reactivating(test);
    test.clock.now += 15 * 60_000;
    await test.deliver(left);
    expect(await test.bodies()).toEqual([{ email, double_opt_override: 'off', reactivate_existing: true }]);
  });

  it('brings nobody back later than a quarter of an hour', async () => {
    const test = single();
    reactivating(test);
    test.clock.now += 15 * 60_000 + 1;
    await test.deliver(left);
    expect(await test.bodies()).toEqual([{ email, double_opt_override: 'off' }]);
  });

  it('brings nobody back where the form does not say so', async () => {
    const test = single();
    await test.deliver(left);
    expect(await test.bodies()).toEqual([{ email, double_opt_override: 'off' }]);
  });

  it.each([
    ['it is tried again', { tried: true }],
    ['it was attempted before', { attempts: 1 }],
    ['it came without a click', { confirmed: false }],
    ['they had not left', { status: 'active' }],
    ['nobody knows whether they had left', { status: null }],
    ['the word is one that nobody knows', { status: 'departed' }],
    ['the click came before the relay started', { dueAt: startAt - 1 }],
  ])('brings nobody back where %s', async (_, changes) => {
    const test = single();
    reactivating(test);
    await test.deliver({ ...left, ...changes });
    for (const body of await test.bodies()) expect(body['reactivate_existing'] ?? false).toBe(false);
  });
});

describe('a first attempt', () => {
  it('creates the subscription without a lookup, and stores the delivery', async () => {
    const test = single();
    test.clock.now += 700;
    const { id } = await test.deliver();
    expect(test.requests.map(({ method }) => method)).toEqual(['POST']);
    expect(await test.bodies()).toEqual([{ email }]);
    expect(await stored(test)).toMatchObject({ id, state: 'delivered', settledAt: startAt + 700 });
    expect(test.events).toEqual([{ type: 'delivered', form: 'default', waitedMs: 700, status: 'active' }]);
    expect(JSON.parse(test.logged.join())).toMatchObject({ signup: id, attempt: 1, waitedMs: 700, msg: 'delivered' });
  });

  it('logs what the API left out', async () => {
    const test = single({ create: created([{ message: 'No such field.', code: 'X' }]) });
    await test.deliver();
    expect(test.logged).toHaveLength(2);
    expect(JSON.parse(test.logged[1] ?? '')).toMatchObject({
      level: 40,
      warnings: [{ message: 'No such field.', code: 'X' }],
      msg: 'the API left out parts of this signup; check the custom fields',
    });
  });

  it.each([
    [0, false],
    [10_000, false],
    [10_001, true],
  ])('%i ms after the post has background priority: %s', async (waitedMs, background) => {
    const test = single();
    await test.deliver({ dueAt: startAt - waitedMs });
    expect(test.backgrounds).toEqual([background]);
  });
});

describe('a retry', () => {
  const tried = { tried: true, attempts: 1 } as const;
  const existing =
    (seconds: number): Answer =>
    () =>
      Promise.resolve(listPage([listed(email, seconds)]));

  it('looks the address up, and creates the subscription without reactivation if there is none', async () => {
    const test = single();
    await test.deliver(tried);
    const [lookup, creation] = test.requests;
    expect([lookup?.method, creation?.method]).toEqual(['GET', 'POST']);
    const { pathname, searchParams } = new URL(lookup?.url ?? '');
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      `/v2/publications/${publicationId}/subscriptions`,
      { email, limit: '1' },
    ]);
    expect(await test.bodies()).toEqual([{ email, reactivate_existing: false }]);
    expect(test.backgrounds).toEqual([true]);
  });

  it.each([
    ['after the post', 1],
    ['five minutes before the post, by a clock that differs', -skewMs / 1000],
  ])('creates nothing if the subscription was created %s', async (_case, seconds) => {
    const test = single({ list: existing(seconds) });
    await test.deliver(tried);
    expect(await test.bodies()).toEqual([]);
    expect(await stored(test)).toMatchObject({ state: 'delivered' });
    expect(test.logged).toHaveLength(1);
  });

  it('updates an older subscription without a welcome mail', async () => {
    const test = single({ list: existing(-skewMs / 1000 - 1) });
    await test.deliver(tried);
    expect(await test.bodies()).toEqual([{ email, reactivate_existing: false, send_welcome_email: false }]);
  });

  it('is sent without a lookup where the key may not read', async () => {
    const test = single({ list: () => Promise.resolve(refusal(403)) });
    await test.deliver(tried);
    expect(await test.bodies()).toEqual([{ email, reactivate_existing: false }]);
  });

  it('is scheduled again where the lookup fails', async () => {
    const test = single({ list: () => Promise.resolve(refusal(503)) });
    await test.deliver(tried);
    expect(test.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(await stored(test)).toMatchObject({ state: 'waiting' });
  });
});

describe('a failed attempt', () => {
  it('is retried after a backoff, and recorded as possibly arrived', async () => {
    const test = single({ create: () => Promise.resolve(refusal(503)) });
    const { id } = await test.deliver();
    expect(await stored(test)).toMatchObject({
      state: 'waiting',
      tried: true,
      nextAttemptAt: startAt + 750,
      reason: expect.stringContaining('503') as string,
    });
    expect(test.events).toEqual([{ type: 'retryScheduled', form: 'default', cause: 'status 503' }]);
    expect(JSON.parse(test.logged.join())).toMatchObject({
      signup: id,
      nextAttemptAt: startAt + 750,
      msg: 'not delivered; it will be tried again',
    });
    expect(test.requests).toHaveLength(1);
  });

  it('counts for the circuit breakers, and a delivery closes them', async () => {
    let answer: Answer = () => Promise.resolve(refusal(401));
    const test = single({ create: (request) => answer(request) });
    await test.deliver();
    expect(test.lane.circuits.isFailing).toBe(true);
    answer = created();
    test.clock.now += 750;
    await test.deliver({ submission: { email, utm_term: 'second' } });
    expect(test.lane.circuits.isFailing).toBe(false);
  });

  it('through the stop of the relay is due at once, without an event or an open circuit breaker', async () => {
    const test: Test = single({
      create: () => {
        test.giveUp.abort();
        return Promise.reject(new Error('aborted'));
      },
    });
    await test.deliver();
    expect(await stored(test)).toMatchObject({ state: 'waiting', tried: true, nextAttemptAt: startAt });
    for (const utm_term of ['second', 'third']) await test.deliver({ submission: { email, utm_term } });
    expect(test.events).toEqual([]);
    expect(test.lane.circuits.isFailing).toBe(false);
  });
});

describe('a refused signup', () => {
  it('becomes a dead letter with the reason', async () => {
    const test = single({ create: () => Promise.resolve(refusal(400)) });
    const { id } = await test.deliver();
    const reason = expect.stringContaining('"No (X)"') as string;
    expect(await stored(test)).toMatchObject({ state: 'dead', settledAt: startAt, reason });
    expect(test.events).toEqual([{ type: 'deadLetter', signup: id, form: 'default', reason }]);
    expect(JSON.parse(test.logged.join())).toMatchObject({
      level: 50,
      signup: id,
      reason,
      msg: 'refused for good; kept as a dead letter',
    });
    expect(test.lane.circuits.isFailing).toBe(false);
  });
});

describe('the request to the API', () => {
  const form = (consentField: string | null, pinned: Form['pinned'] = {}): Pick<Form, 'pinned' | 'consent'> => ({
    pinned,
    consent: { version: null, required: false, sentences: ['I agree.'], field: consentField, address: 'none' },
  });
  const requestOf = (
    submission: Partial<ClaimedSignup['submission']>,
    { of, ...signup }: { tried?: boolean; confirmed?: boolean; of?: Pick<Form, 'pinned' | 'consent'> } = {},
  ) => toSubscriptionRequest({ submission: { email, ...submission }, tried: false, confirmed: false, ...signup }, of);

  it('has the address alone where nothing else was sent, also for a form that was removed', () => {
    expect(requestOf({})).toStrictEqual({ email });
    expect(requestOf({ custom_fields: [] }, { of: form(null) })).toStrictEqual({ email });
  });

  it('has the attribution and the custom fields of the page', () => {
    const sent = {
      utm_source: 'site',
      utm_campaign: 'spring',
      referral_code: 'r',
      custom_fields: [
        { name: 'City', value: 'Oslo' },
        { name: 'Topics', value: ['a', 'b'] },
        { name: 'Age', value: 7 },
      ],
    };
    expect(requestOf(sent)).toStrictEqual({ email, ...sent });
  });

  it('has the consent in the field of the operator, and no other value in that field', () => {
    const custom_fields = [
      { name: 'Consent', value: 'claimed by the page' },
      { name: 'City', value: 'Oslo' },
    ];
    const city = { name: 'City', value: 'Oslo' };
    const of = form('Consent');
    expect(requestOf({ custom_fields }, { of }).custom_fields).toEqual([city]);
    expect(requestOf({ custom_fields, consent: 'I agree.' }, { of }).custom_fields).toEqual([
      city,
      { name: 'Consent', value: 'I agree.' },
    ]);
    expect(requestOf({ consent: true }, { of }).custom_fields).toEqual([{ name: 'Consent', value: 'yes' }]);
    expect(requestOf({ consent: 'I agree.' }, { of: form(null) })).toStrictEqual({ email });
  });

  it('asks for no second confirmation where the relay has one, unless the operator pinned it', () => {
    expect(requestOf({}, { confirmed: true })).toStrictEqual({ email, double_opt_override: 'off' });
    expect(requestOf({}, { confirmed: true, of: form(null, { double_opt_override: 'on' }) })).toStrictEqual({
      email,
      double_opt_override: 'on',
    });
  });

  it('has the pinned fields, but reactivates nobody in a retry', () => {
    const of = form(null, { tier: 'free', reactivate_existing: true });
    expect(requestOf({}, { of })).toStrictEqual({ email, tier: 'free', reactivate_existing: true });
    expect(requestOf({}, { of, tried: true })).toStrictEqual({ email, tier: 'free', reactivate_existing: false });
  });
});
