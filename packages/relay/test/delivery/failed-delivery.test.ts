/** Delivery to the API: failures, retries, dead letters, the stop of the relay, and the log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { apiKey, post, publicationId, type RunningRelay } from '../running-relay.ts';
import { sandboxApi, type SandboxApi } from '../sandbox-api.ts';
import { start, answering, problem } from './delivering.ts';

/** Whether nothing is left to be delivered. */
const settled = async ({ store }: RunningRelay): Promise<boolean> => {
  const { waiting, sent } = await store.counts();
  return waiting + sent === 0;
};

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
    for (let round = 0; round < 5; round += 1) await send(round);
    await waitUntil('the other forms are delivered', async () => (await relay.store.counts()).delivered === 20);
    expect(relay.logged.join('')).toContain(trouble);
    await send(5);
    await waitUntil('the other forms are delivered again', async () => (await relay.store.counts()).delivered === 24);
    expect((await relay.store.overview(Date.now())).forms).toMatchObject([{ form: 'wrong', open: 18 }]);
  });
});

describe('a retry', () => {
  /** Loses the answers to creations. */
  const losing = (api: SandboxApi, before: () => Promise<unknown>) => {
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
    await waitUntil('it is delivered', async () => (await relay.store.counts()).delivered === 1);
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
    await waitUntil('both are settled', () => settled(relay));
    expect(await relay.store.counts()).toMatchObject({ waiting: 0, delivered: 1, dead: 1 });
    expect(relay.logged.join('')).toContain('The address [address] is disposable');
  });

  it('follows from an invalid pinned field', async () => {
    const relay = start(sandboxApi(), {
      settings: { RELAY_NEWSLETTER_LIST_IDS: 'nl_list_00000000-0000-4000-8000-00000000beef' },
    });
    await relay.fetch(post({ email: 'ada@example.com' }));
    await waitUntil('it is dead', async () => (await relay.store.counts()).dead === 1);
    expect(relay.logged.join('')).toContain('is not a newsletter list of this publication');
  });
});

describe('the log', () => {
  it('contains neither key nor address after any failure', async () => {
    const api = sandboxApi();
    const relay = start(api);
    for (const status of [400, 401, 404, 429, 500]) {
      // Several people: the signups of one go one after the other.
      const email = `Ada.Lovelace+secret-${status}@example.com`;
      const reply = answering(status, problem(status, `${email} with sandbox-key: no`));
      let answered = false;
      api.instead = () => {
        answered = true;
        return reply();
      };
      await relay.fetch(post({ email, utm_term: String(status) }));
      await waitUntil(`${status} is answered`, () => answered);
    }
    api.instead = null;
    await waitUntil('all are settled', () => settled(relay));
    const text = relay.logged.join('');
    expect(text).toContain('[address]');
    expect(text).not.toMatch(/lovelace|example\.com/i);
    expect(text).not.toContain('sandbox-key');
  });
});
