/** The one click of RFC 8058 by which a program for mails unsubscribes: an objection before, a leave after it. */
import { describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../../../test/support/waits.ts';
import { refusal } from '../delivery/parts.ts';
import { startMailServer, type ReceivedMail } from '../mail-server.ts';
import type { RelayParts } from '../running-relay.ts';
import { type Handler, sandboxApi } from '../sandbox-api.ts';
import { leftByMail } from '../../src/store/signup-store.ts';
import { confirming, mailTo, publicUrl } from './confirming.ts';

const email = 'ada@example.com';

const headerOf = ({ headers }: ReceivedMail, name: string): string | null =>
  headers.find(({ key }) => key === name)?.value ?? null;

/** A mail to Ada. */
async function mailed(parts: RelayParts = {}) {
  const mail = await startMailServer();
  const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
  const relay = confirming(mail, { api: api.fetch, ...parts });
  await relay.signUp(email);
  const received = await mailTo(mail, email);
  const address = headerOf(received, 'list-unsubscribe')?.replace(/^<(.+)>$/, '$1') ?? '';
  /** As a program for mails does, which follows no redirect. */
  const leave = (body: FormData | URLSearchParams = oneClick, to = address): Promise<Response> =>
    relay.fetch(new Request(to, { method: 'POST', redirect: 'manual', body }), '192.0.2.1');
  const confirm = () => relay.visit(address.replace('/not-me', ''), 'POST');
  const status = async () => (await api.subscriptions()).map((each) => each.status);
  return { mail, api, relay, received, address, leave, confirm, status };
}

const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
const multipart = new FormData();
multipart.set('List-Unsubscribe', 'One-Click');

describe('the mail', () => {
  it('has the address of the one click', async () => {
    const { received } = await mailed();
    expect(headerOf(received, 'list-unsubscribe')).toMatch(/^<https:\/\/signup\.example\/confirm\/[\w-]{43}\/not-me>$/);
    expect(headerOf(received, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it('has it not where the relay has no https', async () => {
    const { received } = await mailed({ settings: { RELAY_PUBLIC_URL: publicUrl.replace('https', 'http') } });
    expect(headerOf(received, 'list-unsubscribe')).toBeNull();
    expect(headerOf(received, 'list-unsubscribe-post')).toBeNull();
  });

  it('has it not where the key may create subscriptions and not look them up', async () => {
    const api = sandboxApi({ seed: 'empty' });
    api.instead = () => Promise.resolve(refusal(403));
    const { received } = await mailed({ api: api.fetch });
    expect(headerOf(received, 'list-unsubscribe')).toBeNull();
  });
});

describe('the one click', () => {
  it.each([
    ['urlencoded', oneClick],
    ['multipart', multipart],
  ])('deletes a signup that is not confirmed, and stops the mails: %s', async (_, body) => {
    const { relay, leave } = await mailed();
    for (let n = 0; n < 2; n += 1) {
      const answer = await leave(body);
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 0 });
    expect((await relay.store.person(email)).mails).toMatchObject([{ suppressedAt: expect.any(Number) as number }]);
  });

  it('unsubscribes a person whose signup is delivered, until the API says so, and no old signup undoes it', async () => {
    let passed = 0;
    const { api, relay, leave, confirm, status } = await mailed({ now: () => Date.now() + passed });
    await confirm();
    await waitUntil('delivery', async () => (await relay.store.counts()).delivered === 1);
    api.instead = () => Promise.reject(new TypeError('fetch failed'));
    expect((await leave()).status).toBe(200);
    await waitUntil('a failed attempt', () => relay.logged.some((line) => line.includes('is not unsubscribed yet')));
    api.instead = null;
    passed = 120_000;
    expect((await leave()).status).toBe(200);
    await waitUntil('the call', async () => {
      api.sandbox.clock.advance(1000);
      return (await status())[0] === 'inactive';
    });
    passed = 240_000;
    expect((await leave()).status).toBe(200);
    const stored = await waitUntil('the answer of the API', async () => {
      const [signup] = await relay.store.list({}, { limit: 1 });
      return signup?.status === 'inactive' && signup.nextAttemptAt === null ? signup : null;
    });
    expect(stored).toMatchObject({ state: 'delivered' });
    const { consents } = await relay.store.person(email);
    expect(consents.filter(({ kind }) => kind === 'left')).toMatchObject([{ signup: stored.id, form: 'default' }]);
    // The button of the mail, and an operator's redrive, bring nobody back.
    await confirm();
    await relay.store.redrive({}, Date.now() + passed);
    expect(await status()).toEqual(['inactive']);
    expect(api.received).toHaveLength(1);
    expect(relay.logged.join('')).not.toMatch(/ada@|confirm\/[\w-]{20}/);
  });

  it('before the delivery leaves nothing to deliver', async () => {
    const { api, relay, leave, confirm } = await mailed();
    await relay.store.setPaused(true);
    await confirm();
    expect((await leave()).status).toBe(200);
    expect(await relay.store.counts()).toMatchObject({ waiting: 0, sent: 0, delivered: 0 });
    expect((await relay.store.person(email)).consents.map(({ kind }) => kind)).toContain('left');
    expect(api.received).toEqual([]);
  });

  /** Leaves while the API has the signup in hand. @param answer - what the API says then; default: what it says */
  async function leftMeanwhile(answer: Handler | null) {
    let passed = 0;
    const test = await mailed({ now: () => Date.now() + passed, delivery: { backoff: { firstMs: 1, maxMs: 5 } } });
    const { api, confirm, leave } = test;
    const asked = Promise.withResolvers<Request>();
    const left = Promise.withResolvers<undefined>();
    api.instead = async (request) => {
      asked.resolve(request);
      await left.promise;
      api.instead = null;
      return answer ? answer(request) : api.fetch(request);
    };
    await confirm();
    await waitFor('the API is asked', asked.promise);
    expect((await leave()).status).toBe(200);
    passed = 200_000;
    left.resolve(undefined);
    return test;
  }

  it('while the API has the signup in hand unsubscribes the person after that', async () => {
    const { api, status } = await leftMeanwhile(null);
    await waitUntil('the job of the API', async () => {
      api.sandbox.clock.advance(1000);
      return (await status())[0] === 'inactive';
    });
    expect(api.received).toHaveLength(1);
  });

  it('while the API fails keeps a retry from creating anything', async () => {
    const { api, relay, status } = await leftMeanwhile(() => Promise.resolve(refusal(503)));
    await waitUntil('a dead letter', async () => (await relay.store.counts()).dead === 1);
    expect(await relay.store.list({}, { limit: 1 })).toMatchObject([{ reason: leftByMail }]);
    expect(await status()).toEqual([]);
    expect(api.received).toEqual([]);
  });

  it('is answered alike where the signup is long erased or deleted, and not where the address is forged', async () => {
    const { relay, address, leave, confirm } = await mailed();
    await confirm();
    await waitUntil('delivery', async () => (await relay.store.counts()).delivered === 1);
    const at = Date.now() + 1000;
    await relay.store.expire({ delivered: at, review: at, dead: at, unconfirmed: at, consent: at });
    expect((await leave()).status).toBe(200);
    await relay.store.erase(email);
    expect((await leave()).status).toBe(200);
    expect((await leave(oneClick, address.replace(/.\/not-me/, '!/not-me'))).status).toBe(404);
  });

  it('shows a page to a person who presses the button', async () => {
    const { leave } = await mailed();
    expect((await leave(new URLSearchParams())).status).toBe(303);
  });
});
