/** Every page that a visitor of a relay can come to, by the situation that leads there. */
import { createClient } from '@newsletter-kit/core';
import { waitUntil } from '../../../test/support/waits.ts';
import { confirming, mailTo } from './confirmation/confirming.ts';
import { changedStore } from './changed-store.ts';
import { linkIn, startMailServer } from './mail-server.ts';
import { apiKey, formPost, publicationId, runRelay, site } from './running-relay.ts';
import { sandboxApi } from './sandbox-api.ts';

/** The title of the newsletter, in no language of the pages. */
export const title = 'Ĉiutage';
const origin = 'https://relay.example';
const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const email = 'ada@example.com';

/** A page as it was answered. */
export interface Shown {
  readonly status: number;
  readonly type: string | null;
  readonly html: string;
}

const shown = async (answer: Response): Promise<Shown> => ({
  status: answer.status,
  type: answer.headers.get('content-type'),
  html: await answer.text(),
});

const settingsIn = (lang: string) => ({
  RELAY_PAGE: 'true',
  RELAY_PAGE_TITLE: title,
  RELAY_PAGE_LANG: lang,
  RELAY_CONSENT_REQUIRED: 'true',
  RELAY_PAGE_CONSENT: 'Jes.',
  RELAY_PAGE_PRIVACY_URL: `${site}/1`,
  RELAY_PAGE_IMPRINT_URL: `${site}/2`,
});

/** The pages around the form. */
export async function formPages(lang: string): Promise<Readonly<Record<string, Shown>>> {
  const settings = settingsIn(lang);
  const relay = runRelay({ settings });
  const asking = runRelay({ settings: { ...settings, RELAY_FORM_TOKEN: 'true' } });
  const strict = runRelay({ settings: { ...settings, RELAY_LIMIT_IP: '1/1h' } });
  const broken = runRelay({
    settings,
    store: changedStore(runRelay().store, { accept: () => Promise.reject(new Error('The disk is full.')) }),
  });
  const get = (path: string, method = 'GET') =>
    relay.fetch(new Request(`${origin}${path}`, { method, headers: { accept } }), '192.0.2.1').then(shown);
  const post = (fields: Readonly<Record<string, string>>, headers = {}, to = relay) =>
    to.fetch(formPost({ consent: 'Jes.', ...fields }, headers), '192.0.2.1').then(shown);
  await post({ email }, {}, strict);
  return {
    form: await get('/signup'),
    thanks: await get('/thanks'),
    'nothing typed': await post({}),
    'no address': await post({ email: 'ada' }),
    'no consent': await post({ email, consent: '' }),
    'another consent': await post({ email, consent: 'Maybe' }),
    'another site': await post({ email }, { origin: 'https://other.example' }),
    'too long': await post({ email, utm_source: 'x'.repeat(100_000) }),
    'another encoding': await post({ email }, { 'content-type': 'text/plain' }),
    'one more step': await post({ email }, {}, asking),
    'too many': await post({ email: 'bob@example.com' }, {}, strict),
    'an outage': await post({ email }, {}, broken),
    'no such page': await get('/signup/nope'),
    'another method': await get('/signup', 'PUT'),
    'the address of the relay': await get('/elsewhere'),
  };
}

/** The pages behind the link of a mail. */
export async function linkPages(lang: string): Promise<Readonly<Record<string, Shown>>> {
  const mail = await startMailServer();
  const api = sandboxApi({ seed: 'empty', profile: 'unlimited' });
  const client = createClient({
    baseUrl: 'http://sandbox.example/v2',
    token: apiKey,
    publicationId,
    fetch: api.sandbox.fetch,
  });
  const { data } = await client.subscriptions.create({ email: 'left@example.com', double_opt_override: 'off' });
  await client.subscriptions.updateStatus({ new_status: 'inactive', subscription_ids: [data.id] });
  api.sandbox.clock.advance(60_000);
  const relay = confirming(mail, { api: api.fetch, settings: settingsIn(lang) });
  const visit = (link: string, method = 'GET') => relay.visit(link, method).then(shown);
  const linkFor = async (address: string) => {
    await relay.signUp(address, { consent: 'Jes.' });
    return linkIn(await mailTo(mail, address));
  };
  const [link, left, stranger] = [
    await linkFor(email),
    await linkFor('left@example.com'),
    await linkFor('no@else.example'),
  ];
  const pages: Record<string, Shown> = {
    'check the inbox': await visit(`${new URL(link).origin}/thanks`),
    confirm: await visit(link),
    'nothing chosen': await visit(link.replace(/.$/, ''), 'POST'),
    'not me': await visit(`${stranger}/not-me`),
  };
  const stopped = await relay.visit(`${stranger}/not-me`, 'POST');
  pages['stopped'] = await visit(new URL(stopped.headers.get('location') ?? '', `${stranger}/not-me`).href);
  pages['nothing to stop'] = await visit(`${stranger}/not-me`);
  pages['gone'] = await visit(stranger);
  for (const each of [link, left]) await relay.visit(each, 'POST');
  pages['on its way'] = await visit(link);
  await waitUntil('both deliveries', async () => (await relay.store.counts()).delivered === 2);
  return { ...pages, confirmed: await visit(link), 'had left': await visit(left) };
}
