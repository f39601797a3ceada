/** Delivery to the API: a signup, and an API that fails. */
import { describe, expect, it, vi } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { post, runRelay, unreachable } from '../running-relay.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { answering, delivery, failedAttempts, problem, start } from './delivering.ts';

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
    await waitUntil('the relay counts it as delivered', async () => (await relay.store.counts()).delivered === 1);
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
    await waitUntil('they arrive', () => api.received.length === 10);
  });

  it('with a custom field the publication lacks is delivered, and the log names the field', async () => {
    const relay = start(sandboxApi());
    await relay.fetch(post({ email: 'ada@example.com', custom_fields: [{ name: 'Shoe size', value: 38 }] }));
    await waitUntil('the warning is logged', () =>
      relay.logged.some((line) => line.includes('left out parts') && line.includes('warnings')),
    );
    expect((await relay.store.counts()).delivered).toBe(1);
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
    await waitUntil('several attempts have failed', () => failedAttempts(relay) > 8);
    const { waiting, sent, ...others } = await relay.store.counts();
    expect({ open: waiting + sent, ...others }).toEqual({ open: 20, unconfirmed: 0, review: 0, delivered: 0, dead: 0 });
    api.instead = null;
    await waitUntil('all are delivered', async () => (await relay.store.counts()).delivered === 20);
    const arrived = api.received.map(({ email }) => String(email));
    expect(arrived.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `p${i}@example.com`).toSorted());
  });

  it('a new signup is stored without further queries of the store', async () => {
    const api = sandboxApi();
    api.instead = answering(503, problem(503), { 'retry-after': '60' });
    const relay = runRelay({ api: api.fetch });
    relay.start();
    await relay.fetch(post({ email: 'first@example.com' }));
    await waitUntil('the API has asked for a minute', () =>
      relay.logged.some((line) => line.includes('takes no signups')),
    );
    // By its end the run that met the failure has ended, too.
    await relay.fetch(post({ email: 'second@example.com' }));
    const asked = vi.spyOn(relay.store, 'claim');
    const looked = vi.spyOn(relay.store, 'nextDueAt');
    for (let n = 0; n < 20; n += 1) await relay.fetch(post({ email: `p${n}@example.com` }));
    expect([asked.mock.calls.length, looked.mock.calls.length]).toEqual([0, 0]);
    expect((await relay.store.counts()).waiting).toBe(22);
  });

  it('a wrong key and a wrong publication make signups wait, and the log names the remedy once', async () => {
    for (const [settings, advice] of [
      [{ NEWSLETTER_API_KEY: 'sandbox-key-of-another-service' }, 'set a valid key and restart the relay'],
      [{ NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-00000000beef' }, 'correct it and restart'],
    ] as const) {
      const api = sandboxApi();
      const relay = start(api, { settings });
      await relay.fetch(post({ email: 'ada@example.com' }));
      await waitUntil('several attempts', () => api.answered.length > 3);
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
    await Promise.all(Array.from({ length: 200 }, (_, i) => relay.fetch(post({ email: `p${i}@example.com` }))));
    relay.start();
    await waitUntil('the quota is used up', () => api.answered.includes(429));
    // The relay looks again whenever a signup comes in.
    for (let n = 0; n < 5; n += 1) {
      await relay.fetch(post({ email: `waits${n}@example.com` }));
      api.sandbox.clock.advance(10_000);
    }
    expect(api.answered.filter((status) => status === 200)).toHaveLength(180);
    api.sandbox.clock.advance(11_000);
    await relay.fetch(post({ email: 'wakes@example.com' }));
    await waitUntil('the rest is delivered', async () => (await relay.store.counts()).delivered === 206);
    expect(api.answered.filter((status) => status === 429).length).toBeLessThanOrEqual(5);
  });
});
