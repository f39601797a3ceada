/** Delivery to the sandbox: requests to the API, retries, circuit breakers, dead letters and stopping. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@newsletter-kit/core';
import { describe, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { eventually } from '../eventually.ts';
import {
  apiKey,
  environment,
  post,
  publicationId,
  runRelay,
  unreachable,
  type RelayParts,
  type RunningRelay,
} from '../running-relay.ts';
import { sandboxApi, type SandboxApi } from '../sandbox-api.ts';

/** Short waits without jitter. */
const delivery = { backoff: { firstMs: 20, maxMs: 60 }, random: () => 0.5 };

const start = (api: SandboxApi, parts: RelayParts = {}) => {
  const relay = runRelay({ api: api.fetch, delivery, ...parts });
  relay.start();
  return relay;
};
const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    Promise.resolve(Response.json(body, { status, headers }));
/** Attempts that have failed so far. */
const failedAttempts = ({ logged }: RunningRelay): number =>
  logged.filter((line) => line.includes('it will be tried again')).length;
/** Whether nothing is left to be delivered. */
const settled = async ({ store }: RunningRelay): Promise<boolean> => {
  const { waiting, sent } = await store.counts();
  return waiting + sent === 0;
};
const problem = (status: number, message = 'No.') => ({ status, statusText: 'x', errors: [{ message, code: 'X' }] });

describe('a signup', () => {
  it('is delivered at once with its attribution and custom fields', async () => {
    const api = sandboxApi();
    const relay = start(api);
    await relay.fetch(
      post({
        email: 'Grace.Hopper+navy@BÜCHER.example',
        utm_source: 'Frühlings-Newsletter 🌷',
        utm_campaign: 'x'.repeat(300),
        referring_site: 'https://blog.example/a?b=c',
        custom_fields: [
          { name: 'First Name', value: 'Grace' },
          { name: 'Topics', value: ['boats', 'history'] },
          { name: 'Birthday', value: '1906-12-09' },
        ],
      }),
    );
    // The limit is shorter than the longest sleep of the loop: the post must wake it.
    await eventually(
      'the relay counts it as delivered',
      async () => (await relay.store.counts()).delivered === 1,
      30_000,
    );
    const [newest] = (await api.subscriptions()).filter(({ email }) => email === 'Grace.Hopper+navy@bücher.example');
    expect(newest).toMatchObject({
      utm_source: 'Frühlings-Newsletter 🌷',
      utm_campaign: 'x'.repeat(300),
      referring_site: 'https://blog.example/a?b=c',
    });
    expect(newest?.custom_fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'First Name', value: 'Grace' }),
        expect.objectContaining({ name: 'Topics', value: ['boats', 'history'] }),
        expect.objectContaining({ name: 'Birthday', value: '1906-12-09' }),
      ]),
    );
  });

  it('stored while no relay ran is delivered at the next start', async () => {
    const api = sandboxApi();
    const relay = runRelay({ api: api.fetch, delivery });
    for (let n = 0; n < 10; n += 1) await relay.fetch(post({ email: `p${n}@example.com` }));
    expect(api.received).toEqual([]);
    relay.start();
    await eventually('they arrive', () => api.received.length === 10);
  });

  it('with a custom field the publication lacks is delivered, and the log names the field', async () => {
    const relay = start(sandboxApi());
    await relay.fetch(post({ email: 'ada@example.com', custom_fields: [{ name: 'Shoe size', value: 38 }] }));
    await eventually('the warning is logged', () =>
      relay.logged.some((line) => line.includes('left out parts') && line.includes('warnings')),
    );
    expect((await relay.store.counts()).delivered).toBe(1);
  });

  it('with the honeypot filled in is kept for review and not delivered', async () => {
    const api = sandboxApi();
    const relay = start(api);
    await relay.fetch(post({ email: 'robot@example.com', hp_field: 'https://spam.example' }));
    await relay.fetch(post({ email: 'ada@example.com' }));
    await eventually('the other arrives', async () => (await relay.store.counts()).delivered === 1);
    expect(api.received.map(({ email }) => email)).toEqual(['ada@example.com']);
    expect((await relay.store.counts()).review).toBe(1);
  });

  it('posted several times reaches the API once', async () => {
    const api = sandboxApi();
    const relay = start(api);
    for (let i = 0; i < 10; i++)
      await relay.fetch(
        post({ email: i % 2 ? 'Ada@example.com' : 'ada@EXAMPLE.com' }, { 'idempotency-key': 'one-intent' }),
      );
    await relay.fetch(post({ email: 'bob@example.com' }));
    await eventually('both arrive', async () => (await relay.store.counts()).delivered === 2);
    expect(api.received.map(({ email }) => String(email).toLowerCase())).toEqual([
      'ada@example.com',
      'bob@example.com',
    ]);
  });
});

describe('while the API fails', () => {
  it.each([
    ['it cannot be reached', unreachable],
    ['it fails', answering(500, problem(500))],
    [
      'its proxy answers with an error page',
      () => Promise.resolve(new Response('<h1>Bad Gateway</h1>', { status: 502 })),
    ],
    [
      'a proxy answers 400 without an error body of the API',
      () => Promise.resolve(new Response('Bad Request', { status: 400 })),
    ],
    ['the key is wrong', answering(401, problem(401))],
    ['the key lacks the permission', answering(403, problem(403))],
    ['the publication is unknown', answering(404, problem(404))],
    ['the plan has ended', answering(402, problem(402))],
    ['a login page answers with success', () => Promise.resolve(new Response('<h1>Welcome to our Wi-Fi</h1>'))],
  ])('signups wait – %s – and are all delivered afterwards', async (_case, down) => {
    const api = sandboxApi();
    api.instead = down;
    const relay = start(api);
    for (let i = 0; i < 20; i++) await relay.fetch(post({ email: `p${i}@example.com` }));
    await eventually('several attempts have failed', () => failedAttempts(relay) > 8);
    const { waiting, sent, ...others } = await relay.store.counts();
    expect({ open: waiting + sent, ...others }).toEqual({ open: 20, unconfirmed: 0, review: 0, delivered: 0, dead: 0 });
    api.instead = null;
    await eventually('all are delivered', async () => (await relay.store.counts()).delivered === 20);
    const arrived = api.received.map(({ email }) => String(email));
    expect(arrived.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `p${i}@example.com`).toSorted());
  });

  it('a new signup is stored without further queries of the store', async () => {
    const api = sandboxApi();
    api.instead = answering(503, problem(503), { 'retry-after': '60' });
    const relay = runRelay({ api: api.fetch });
    relay.start();
    await relay.fetch(post({ email: 'first@example.com' }));
    await eventually('the API has asked for a minute', () =>
      relay.logged.some((line) => line.includes('takes no signups')),
    );
    const asked = vi.spyOn(relay.store, 'claim');
    const looked = vi.spyOn(relay.store, 'nextDueAt');
    for (let n = 0; n < 20; n += 1) await relay.fetch(post({ email: `p${n}@example.com` }));
    expect([asked.mock.calls.length, looked.mock.calls.length]).toEqual([0, 0]);
    expect((await relay.store.counts()).waiting).toBe(21);
  });

  it('one signup at a time is attempted', async () => {
    const api = sandboxApi();
    /** Number of requests in flight at the start of each. */
    const asked: number[] = [];
    let inFlight = 0;
    api.instead = async () => {
      inFlight += 1;
      asked.push(inFlight);
      await sleep(1);
      inFlight -= 1;
      return unreachable();
    };
    let now = Date.now();
    const relay = runRelay({ api: api.fetch, delivery, now: () => now });
    for (let i = 0; i < 500; i++) await relay.fetch(post({ email: `p${i}@example.com` }));
    const claims = vi.spyOn(relay.store, 'claim');
    relay.start();
    // Five at first and a few more until three in succession have failed.
    await eventually('the pause has begun, and retries of all claimed signups are scheduled', async () => {
      const claimed = (await Promise.all(claims.mock.results.map(({ value }) => value))).flat();
      return relay.logged.some((line) => line.includes('takes no signups')) && failedAttempts(relay) === claimed.length;
    });
    const first = asked.length;
    expect(first).toBeLessThanOrEqual(10);
    // Then one for each wait; none is longer than 60 ms.
    for (let attempts = first; attempts < first + 8; attempts += 1) {
      await eventually('the next wait has begun', () => failedAttempts(relay) === attempts);
      // The relay looks again when a signup comes in, and finds that nothing may be sent yet.
      await relay.fetch(post({ email: `later${attempts}@example.com` }));
      expect(asked).toHaveLength(attempts);
      now += 60;
    }
    expect(new Set(asked.slice(first))).toEqual(new Set([1]));
    api.instead = null;
    now += 60_000;
    await eventually('all are delivered', async () => (await relay.store.counts()).delivered === 508);
  });

  it('a wrong key and a wrong publication make signups wait, and the log names the remedy once', async () => {
    for (const [settings, advice] of [
      [{ NEWSLETTER_API_KEY: 'sandbox-key-of-another-service' }, 'set a valid key and restart the relay'],
      [{ NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-00000000beef' }, 'correct it and restart'],
    ] as const) {
      const api = sandboxApi();
      const relay = start(api, { settings });
      await relay.fetch(post({ email: 'ada@example.com' }));
      await eventually('several attempts', () => api.answered.length > 3);
      const { waiting, sent } = await relay.store.counts();
      expect(waiting + sent).toBe(1);
      const errors = relay.logged.filter((line) => line.includes('"level":"error"'));
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(advice);
    }
  });

  it('a 429 of the sandbox pauses delivery until the window of its quota has passed', async () => {
    const begun = Date.now();
    const api = sandboxApi({ seed: 'demo', profile: 'service', now: () => begun });
    const now = () => api.sandbox.clock.now();
    const relay = runRelay({ api: api.fetch, delivery, now });
    for (let i = 0; i < 200; i++) await relay.fetch(post({ email: `p${i}@example.com` }));
    relay.start();
    await eventually('the quota is used up', () => api.answered.includes(429));
    // The relay looks again whenever a signup comes in.
    for (let n = 0; n < 5; n += 1) {
      await relay.fetch(post({ email: `waits${n}@example.com` }));
      api.sandbox.clock.advance(10_000);
    }
    expect(api.answered.filter((status) => status === 200)).toHaveLength(180);
    api.sandbox.clock.advance(11_000);
    await relay.fetch(post({ email: 'wakes@example.com' }));
    await eventually('the rest is delivered', async () => (await relay.store.counts()).delivered === 206);
    expect(api.answered.filter((status) => status === 429).length).toBeLessThanOrEqual(5);
  });

  it('its Retry-After is respected', async () => {
    const api = sandboxApi();
    let now = Date.now();
    const begun = now;
    const asked: number[] = [];
    api.instead = (request) => {
      asked.push(now - begun);
      if (asked.length > 1) api.instead = null;
      return asked.length > 1 ? api.fetch(request) : answering(503, problem(503), { 'retry-after': '1' })();
    };
    const relay = start(api, { now: () => now });
    await relay.fetch(post({ email: 'ada@example.com' }));
    await eventually('it was tried', () => failedAttempts(relay) === 1);
    await eventually('it is delivered', async () => {
      now += 10;
      return (await relay.store.counts()).delivered === 1;
    });
    expect(asked).toEqual([0, expect.toSatisfy((ms: number) => ms >= 1000)]);
    expect(api.received).toHaveLength(1);
  });
});

describe('a clock that is set back', () => {
  it('delays no pause, retry or batch', async () => {
    const api = sandboxApi();
    let now = Date.now();
    let answer: (() => Promise<Response>) | null = answering(429, problem(429), { 'retry-after': '3600' });
    api.instead = (request) => answer?.() ?? api.sandbox.fetch(request);
    const relay = start(api, { now: () => now });
    await relay.fetch(post({ email: 'ada@example.com' }));
    await eventually('it was tried', () => failedAttempts(relay) === 1);
    answer = null;
    now -= 86_400_000;
    await relay.fetch(post({ email: 'bob@example.com' }));
    await eventually('both are delivered', async () => (await relay.store.counts()).delivered === 2);
  });
});

describe('a failure', () => {
  /** A relay with forms of their own settings. */
  const withForms = (api: SandboxApi, forms: Readonly<Record<string, Record<string, string>>>): RunningRelay => {
    const path = join(scratchFolder(), 'forms.yaml');
    writeFileSync(path, JSON.stringify({ forms }));
    return start(api, { settings: { RELAY_CONFIG: path } });
  };

  it.each([
    ['a form with a wrong publication', { publication_id: 'pub_00000000-0000-4000-8000-00000000beef' }, 'status 404'],
    ['a form with a wrong key of its own', { api_key: 'of-another-service' }, 'status 401'],
  ])('of %s stops no other form', async (_case, wrong, trouble) => {
    const api = sandboxApi();
    const relay = withForms(api, { wrong, footer: {}, header: {}, popup: {}, article: {} });
    const names = ['wrong', 'wrong', 'wrong', 'footer', 'header', 'popup', 'article'];
    const send = async (round: number) => {
      for (const [n, name] of names.entries()) {
        const request = post({ email: `p${round}.${n}@example.com` });
        const { status } = await relay.fetch(new Request(request.url.replace('/signup', `/signup/${name}`), request));
        expect(status).toBe(202);
      }
    };
    for (let round = 0; round < 20; round += 1) await send(round);
    await eventually('the other forms are delivered', async () => (await relay.store.counts()).delivered === 80);
    expect(relay.logged.join('')).toContain(trouble);
    await send(20);
    await eventually('the other forms are delivered again', async () => (await relay.store.counts()).delivered === 84);
    expect((await relay.store.overview(Date.now())).forms).toMatchObject([{ form: 'wrong', open: 63 }]);
  });

  it('of one signup stops no other signup', async () => {
    const api = sandboxApi();
    api.instead = async (request) => {
      const text = await request.clone().text();
      return text.includes('poison') || request.url.includes('poison')
        ? answering(500, problem(500))()
        : api.sandbox.fetch(request);
    };
    const relay = start(api);
    await relay.fetch(post({ email: 'poison@example.com' }));
    for (let n = 0; n < 30; n += 1) {
      await relay.fetch(post({ email: `p${n}@example.com` }));
      await eventually('it is delivered', async () => (await relay.store.counts()).delivered === n + 1);
    }
    const { waiting, sent } = await relay.store.counts();
    expect(waiting + sent).toBe(1);
  });
});

describe('a retry', () => {
  /** Loses the answers to creations. */
  const losing = (api: SandboxApi, before: () => Promise<unknown> = () => Promise.resolve()) => {
    let lost = 0;
    api.instead = async (request) => {
      if (request.method !== 'POST' || lost > 0) return api.sandbox.fetch(request);
      lost += 1;
      await api.sandbox.fetch(request);
      await before();
      return unreachableAfterwards();
    };
  };
  const unreachableAfterwards = (): Promise<Response> =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }));
  const creations = (api: SandboxApi): number =>
    api.sandbox.requests().filter(({ method, path }) => method === 'POST' && path.endsWith('/subscriptions')).length;

  it('after a lost answer finds the subscription and creates no second one', async () => {
    const api = sandboxApi();
    losing(api);
    const relay = start(api);
    await relay.fetch(post({ email: 'new@example.com' }));
    await eventually('it is delivered', async () => (await relay.store.counts()).delivered === 1);
    expect(creations(api)).toBe(1);
  });

  it('never reactivates a subscription that was ended in the meantime, whatever the configuration says', async () => {
    const api = sandboxApi();
    const ada = (await api.subscriptions()).find(({ email }) => email === 'ada.lovelace@example.com');
    const client = createClient({
      baseUrl: 'http://sandbox.example/v2',
      token: apiKey,
      publicationId,
      fetch: api.sandbox.fetch,
    });
    const leave = () =>
      client.subscriptions.updateStatus({ subscription_ids: [ada?.id ?? ''], new_status: 'inactive' });
    await leave();
    api.sandbox.clock.advance('PT1M');
    losing(api, async () => {
      await leave();
      api.sandbox.clock.advance('PT1M');
    });
    const relay = start(api, { settings: { RELAY_REACTIVATE_EXISTING: 'true' } });
    await relay.fetch(
      post({ email: 'ada.lovelace@example.com', custom_fields: [{ name: 'First Name', value: 'Ada K.' }] }),
    );
    await eventually('it is delivered', async () => (await relay.store.counts()).delivered === 1);
    const now = (await api.subscriptions()).find(({ email }) => email === 'ada.lovelace@example.com');
    expect(now).toMatchObject({ status: 'inactive' });
    expect(now?.custom_fields).toContainEqual(expect.objectContaining({ name: 'First Name', value: 'Ada K.' }));
  });
});

describe('a dead letter', () => {
  it('is kept with the reason of the API, and delays no other signup', async () => {
    const api = sandboxApi();
    api.instead = async (request) => {
      const { email } = (await request.clone().json()) as { email: string };
      if (!email.startsWith('bad')) return api.sandbox.fetch(request);
      return Response.json(problem(400, `The address ${email} is disposable`), { status: 400 });
    };
    const relay = start(api);
    await relay.fetch(post({ email: 'bad@example.com' }));
    await relay.fetch(post({ email: 'good@example.com' }));
    await eventually('both are settled', () => settled(relay));
    expect(await relay.store.counts()).toMatchObject({ waiting: 0, delivered: 1, dead: 1 });
    expect(relay.logged.join('')).toContain('The address [address] is disposable');
  });

  it('follows from an invalid pinned field', async () => {
    const relay = start(sandboxApi(), {
      settings: { RELAY_NEWSLETTER_LIST_IDS: 'nl_list_00000000-0000-4000-8000-00000000beef' },
    });
    await relay.fetch(post({ email: 'ada@example.com' }));
    await eventually('it is dead', async () => (await relay.store.counts()).dead === 1);
    expect(relay.logged.join('')).toContain('is not a newsletter list of this publication');
  });
});

describe('stopping', () => {
  it('waits for deliveries in flight, and starts no more', async () => {
    const api = sandboxApi();
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    api.instead = async (request) => {
      await asked;
      return api.sandbox.fetch(request);
    };
    const relay = start(api);
    for (let i = 0; i < 20; i++) await relay.fetch(post({ email: `p${i}@example.com` }));
    const stopped = relay.stop();
    answer();
    await stopped;
    expect(await relay.store.counts()).toMatchObject({ delivered: 5, waiting: 15 });
  });

  it('aborts calls that the API does not answer, and keeps the signup', async () => {
    const api = sandboxApi();
    let asked = false;
    api.instead = (request) => {
      asked = true;
      return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    // By itself the client would wait for longer than this test may take.
    const client = createClient({
      baseUrl: environment.NEWSLETTER_API_URL,
      token: apiKey,
      fetch: api.fetch,
      timeoutMs: 3_600_000,
      pacer: false,
    });
    const relay = start(api, { clientOf: () => client });
    await relay.fetch(post({ email: 'ada@example.com' }));
    await eventually('the API is asked', () => asked);
    await relay.stop(100);
    expect(await relay.store.counts()).toMatchObject({ waiting: 1 });
    // It may have arrived: the next attempt looks first.
    const claim = { forms: ['default'], limit: 1, now: Date.now() };
    expect(await relay.store.claim(claim)).toMatchObject([{ attempts: 1, tried: true }]);
  });
});

describe('the log', () => {
  it('contains neither key nor address after any failure', async () => {
    const api = sandboxApi();
    const email = 'Ada.Lovelace+secret@example.com';
    const relay = start(api);
    for (const status of [400, 401, 404, 429, 500]) {
      const reply = answering(status, problem(status, `${email} with sandbox-key: no`));
      let answered = false;
      api.instead = () => {
        answered = true;
        return reply();
      };
      await relay.fetch(post({ email, utm_term: String(status) }));
      await eventually(`${status} is answered`, () => answered);
    }
    api.instead = null;
    await eventually('all are settled', () => settled(relay));
    const text = relay.logged.join('');
    expect(text).toContain('[address]');
    expect(text).not.toMatch(/lovelace|example\.com/i);
    expect(text).not.toContain('sandbox-key');
  });
});
