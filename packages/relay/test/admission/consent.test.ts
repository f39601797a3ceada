/** Consent: its entry in the ledger, and the custom field for the API. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { visitorOf } from '../../src/admission/consent.ts';
import { signLink } from '../../src/confirmation/mail.ts';
import { toSubscriptionRequest } from '../../src/delivery/single-delivery.ts';
import { purposeKey } from '../../src/secrets.ts';
import { publicUrl, secret, settingsFor } from '../confirmation/confirming.ts';
import { environment, formPost, post, runRelay, site } from '../running-relay.ts';
import { refusals } from '../../../../test/support/refusals.ts';

const email = 'ada@example.com';
const sentence = 'I agree to receive the newsletter.';

/** The ledger's entries after a post of `body`. */
async function ledgerAfter(
  body: Readonly<Record<string, unknown>>,
  {
    settings = {},
    headers = {},
    peer = '203.0.113.77',
  }: { settings?: Record<string, string>; headers?: Record<string, string>; peer?: string | null } = {},
) {
  const relay = runRelay({ settings, now: () => 1_772_366_400_000, secret: 'a-secret-for-the-test-alone' });
  const answer = await relay.fetch(post({ email, ...body }, headers), peer);
  expect(answer.status).toBe(202);
  return (await relay.store.person(email)).consents;
}

describe('the consent ledger', () => {
  it('stores sentence, version, time, page, form and the network of the visitor', async () => {
    const entries = await ledgerAfter(
      { consent: sentence },
      {
        settings: { RELAY_CONSENT_VERSION: 'privacy 2026-02', RELAY_CONSENT_SENTENCES: sentence },
        headers: { referer: `${site}/landing/spring?email=ada@example.com#top` },
      },
    );
    expect(entries).toEqual([
      {
        signup: expect.any(String),
        kind: 'given',
        at: 1_772_366_400_000,
        form: 'default',
        person: expect.any(String),
        sentence,
        version: 'privacy 2026-02',
        page: `${site}/landing/spring`,
        visitor: '203.0.113.0/24',
        status: null,
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(email);
  });

  it.each([true, 'on', 'YES', '1'])('has an entry without a sentence for %j', async (consent) => {
    expect(await ledgerAfter({ consent })).toMatchObject([{ kind: 'given', sentence: null }]);
  });

  it.each([[undefined], [false], [''], ['false'], ['OFF'], ['no'], ['0']])('has no entry for %j', async (consent) => {
    expect(await ledgerAfter({ consent })).toEqual([]);
  });

  it.each([
    ['yes, I agree', 'yes, I agree'],
    ['a'.repeat(1900), 'a'.repeat(1900)],
    ['Send it\n to ada@example.com.', 'Send it to …'],
  ])('has the words of %j as unclear while no sentence is named', async (consent, words) => {
    expect(await ledgerAfter({ consent })).toMatchObject([{ kind: 'unclear', sentence: words, page: null }]);
  });

  it('has no refusal in any language as given, whatever the form has named', async () => {
    for (const settings of [{}, { RELAY_CONSENT_SENTENCES: sentence, RELAY_CONSENT_REQUIRED: 'true' }]) {
      const relay = runRelay({ settings: { ...settings, RELAY_LIMIT_ADDRESS: '0' } });
      for (const consent of refusals) await relay.fetch(post({ email, consent }));
      const { consents } = await relay.store.person(email);
      expect(consents.map(({ kind }) => kind)).toEqual(
        'RELAY_CONSENT_SENTENCES' in settings ? [] : refusals.map(() => 'unclear'),
      );
    }
  });

  it('has the request of a signup to confirm as unclear, and its confirmation as another entry', async () => {
    const settings = settingsFor({ url: 'smtp://127.0.0.1:9' });
    expect(await ledgerAfter({ consent: 'nein' }, { settings })).toMatchObject([{ kind: 'unclear', sentence: 'nein' }]);
    expect(await ledgerAfter({ consent: 'no' }, { settings })).toMatchObject([{ kind: 'requested', sentence: null }]);
  });

  it.each([
    ['shortened', '203.0.113.77', '203.0.113.0/24'],
    ['shortened', '2001:db8:1:2:3::4', '2001:db8:1::/48'],
    ['shortened', '203.0.113.7', '203.0.113.0/24'],
    ['none', '203.0.113.77', null],
    ['shortened', null, null],
  ])('%s: stores %s as %s', async (kind, peer, visitor) => {
    const [entry] = await ledgerAfter({ consent: true }, { settings: { RELAY_CONSENT_ADDRESS: kind }, peer });
    expect(entry?.visitor).toBe(visitor);
  });

  it('hashed: stores the same hash for every spelling of an IP address', async () => {
    const settings = { RELAY_CONSENT_ADDRESS: 'hashed', RELAY_SECRET: 'a-secret-of-24-characters' };
    const hashOf = async (peer: string): Promise<string | null | undefined> =>
      (await ledgerAfter({ consent: true }, { settings, peer }))[0]?.visitor;
    const hash = await hashOf('2001:db8::1');
    expect(hash).toMatch(/^[\w-]{43}$/);
    expect(await hashOf('2001:0DB8:0:0::1')).toBe(hash);
    expect(await hashOf('2001:db8::2')).not.toBe(hash);
  });

  it.each([
    ['another site', 'https://elsewhere.example/page'],
    ['no URL', 'nonsense'],
    ['the same site on another port', `${site}:8443/page`],
  ])('stores no page for a referrer that is %s', async (_case, referer) => {
    expect((await ledgerAfter({ consent: true }, { headers: { referer } }))[0]?.page).toBeNull();
  });
});

describe('the entry of a confirmation', () => {
  it.each([
    ['shortened', '198.51.100.7', null, '198.51.100.0/24'],
    ['shortened', '10.0.0.2', '198.51.100.7', '198.51.100.0/24'],
    ['hashed', '198.51.100.7', null, visitorOf('198.51.100.7', { address: 'hashed' }, purposeKey(secret, 'visitor'))],
    ['none', '198.51.100.7', null, null],
  ])('%s: stores the person at %s, X-Forwarded-For %s, as %s', async (kind, peer, forwardedFor, visitor) => {
    const relay = runRelay({
      settings: { ...settingsFor({ url: 'smtp://127.0.0.1:9' }), RELAY_CONSENT_ADDRESS: kind },
    });
    await relay.fetch(post({ email }), '203.0.113.77');
    const [{ id } = { id: '' }] = await relay.store.list({}, { limit: 1 });
    const link = `${publicUrl}/confirm/${signLink(purposeKey(secret, 'confirmation'), id)}`;
    const headers = new Headers(forwardedFor === null ? [] : [['x-forwarded-for', forwardedFor]]);
    expect((await relay.fetch(new Request(link, { method: 'POST', headers }), peer)).status).toBe(303);
    const { consents } = await relay.store.person(email);
    expect(consents.find((entry) => entry.kind === 'confirmed')).toMatchObject({ visitor });
  });
});

describe('a form that requires consent', () => {
  const settings = {
    RELAY_CONSENT_REQUIRED: 'true',
    RELAY_CONSENT_SENTENCES: `${sentence}|I agree to <a href="/rules">the rules</a>.`,
    RELAY_LIMIT_ADDRESS: '1/1d',
  };

  it('refuses a signup without consent, and does not count it for a rate limit', async () => {
    const relay = runRelay({ settings });
    for (const consent of [undefined, false]) {
      const answer = await relay.fetch(post({ email, consent }));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ code: 'CONSENT_REQUIRED' })] }),
      ]);
    }
    expect((await relay.fetch(formPost({ email, consent: sentence }))).status).toBe(303);
    expect(await relay.store.counts()).toMatchObject({ waiting: 1, review: 0 });
  });
});

describe('a form with named sentences', () => {
  const settings = { RELAY_CONSENT_SENTENCES: `I agree to the rules, too. | ${sentence}` };

  it.each([
    [sentence, 'I agree to receive the newsletter.'],
    ['I&nbsp;agree to <a href="/rules">the\n rules</a>, too. *', 'I agree to the rules, too.'],
  ])('takes %j, and keeps the sentence as it was named', async (consent, named) => {
    expect(await ledgerAfter({ consent }, { settings })).toMatchObject([{ kind: 'given', sentence: named }]);
  });

  it('refuses any other text, tells its sender why, and tells the operator once', async () => {
    const relay = runRelay({ settings });
    for (let times = 0; times < 2; times += 1) {
      const answer = await relay.fetch(post({ email, consent: 'nein, nicht an ada@example.com' }));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        {
          status: 400,
          statusText: 'bad_request',
          errors: [
            {
              code: 'CONSENT_UNKNOWN',
              message:
                'This form sends a consent that its owner has not named in RELAY_CONSENT_SENTENCES: “nein, nicht an …”. A no is sent as false, or left out.',
            },
          ],
        },
      ]);
    }
    expect(relay.logged.filter((line) => line.includes('refused because of its consent'))).toEqual([
      expect.stringContaining('nein, nicht an …'),
    ]);
    expect(await relay.store.person(email)).toMatchObject({ signups: [], consents: [] });
    expect((await relay.fetch(post({ email, consent: 'no' }))).status).toBe(202);
  });
});

describe('the custom field of RELAY_CONSENT_FIELD', () => {
  const form = readConfig({ ...environment, RELAY_CONSENT_FIELD: 'Consent', RELAY_CONSENT_SENTENCES: sentence }).forms[
    'default'
  ];
  if (!form) throw new Error('The environment makes the form "default".');
  const claimed = { name: 'Consent', value: 'claimed by the page' };
  const other = { name: 'First Name', value: 'Ada' };

  it.each([
    ['the sentence', sentence, [other, { name: 'Consent', value: sentence }]],
    ['yes, where the page sent none', true, [other, { name: 'Consent', value: 'yes' }]],
    ['nothing without consent', undefined, [other]],
    ['nothing for words that nobody has named', 'nein', [other]],
  ])('gets %s, and never the value sent by the page', (_case, consent, fields) => {
    const submission = { email, custom_fields: [claimed, other], ...(consent !== undefined && { consent }) };
    expect(toSubscriptionRequest({ submission, tried: false, confirmed: false }, form)).toEqual({
      email,
      custom_fields: fields,
    });
  });
});
