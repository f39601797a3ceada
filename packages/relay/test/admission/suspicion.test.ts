/** Why signups are kept for review: each cause is in the event and the metric, and the answer tells none of it. */
import { expect, it } from 'vitest';
import { suspicions, type RelayEvent, type Suspicion } from '../../src/events.ts';
import { secret, settingsFor } from '../confirmation/confirming.ts';
import { formPost, metricsOf, post, type RelayParts, runRelay } from '../running-relay.ts';

const noDomain = (): Promise<never> => Promise.reject(Object.assign(new Error('dns'), { code: 'ENOTFOUND' }));
const noMail = { resolveMx: noDomain, resolve4: noDomain, resolve6: noDomain };
// Nobody listens there.
const nobody = '127.0.0.1:9';
const email = 'ada@example.com';

/** The parts of a relay, and posts of which the last one is kept for review. */
const cases: Readonly<Record<Suspicion, readonly [parts: RelayParts, ...posts: readonly Request[]]>> = {
  honeypot: [{}, post({ email, hp_field: 'x' })],
  'no-proof': [{ settings: { RELAY_PROOF: 'always', RELAY_SECRET: secret } }, formPost({ email })],
  turnstile: [
    {
      settings: {
        RELAY_PROOF: 'always',
        RELAY_SECRET: secret,
        RELAY_TURNSTILE_SITE_KEY: '0x4site',
        RELAY_TURNSTILE_SECRET: 'turnstile-secret',
      },
      proof: { turnstileUrl: `http://${nobody}/` },
    },
    post({ email, proof: 'a response' }),
  ],
  'mail-domain': [{ settings: { RELAY_MX_CHECK: 'review' }, mail: noMail }, post({ email })],
  'blocked-domain': [
    { blockedDomains: { includes: (domain) => domain === 'example.com', stop: () => undefined } },
    post({ email }),
  ],
  'mails-per-hour': [
    {
      now: () => 1_800_000_000_000,
      settings: { ...settingsFor({ url: `smtp://${nobody}` }), RELAY_CONFIRMATION_MAILS_PER_HOUR: '1' },
    },
    // The first is mailed; for a day the mails of others are held.
    ...Array.from({ length: 25 }, (_, n) => post({ email: `p${n}@example.com` })),
    post({ email }),
  ],
  'mailbox-limit': [
    { settings: { RELAY_LIMIT_ADDRESS: '1/1d' } },
    post({ email, utm_term: 'first' }),
    post({ email, utm_term: 'second' }),
  ],
};

const known = Object.keys(suspicions) as Suspicion[];

it.each(known)('%s is the cause in the event and in the store, and counted by form', async (cause) => {
  const [parts, ...posts] = cases[cause];
  const events: RelayEvent[] = [];
  const relay = runRelay({ ...parts, onEvent: (event) => void events.push(event) });
  for (const each of posts) expect([202, 303]).toContain((await relay.fetch(each.clone())).status);
  const causes = events.flatMap((event) =>
    event.type === 'accepted' ? [event.heldUntil === undefined ? event.suspectedBecause : null] : [],
  );
  expect(causes).toEqual(posts.map((_, n) => (n === posts.length - 1 ? cause : null)));
  expect(await relay.store.list({ states: ['review'] }, { limit: 9 })).toMatchObject([{ reason: suspicions[cause] }]);
  const page = await metricsOf(relay);
  const counted = [...page.matchAll(/^newsletter_relay_review_total\{form="default",cause="(.+)"\} (\d+)$/gm)];
  expect(Object.fromEntries(counted.map(([, name, count]) => [name, Number(count)]))).toEqual(
    Object.fromEntries(known.map((each) => [each, each === cause ? 1 : 0])),
  );
});

it('is the first cause where there are several', async () => {
  const causes: (Suspicion | null)[] = [];
  const relay = runRelay({
    settings: { RELAY_MX_CHECK: 'review', RELAY_LIMIT_ADDRESS: '1/1d' },
    mail: noMail,
    onEvent: (event) => void (event.type === 'accepted' && causes.push(event.suspectedBecause)),
  });
  for (const utm_term of ['first', 'second']) await relay.fetch(post({ email, utm_term, hp_field: 'x' }));
  await relay.fetch(post({ email, utm_term: 'third' }));
  expect(causes).toEqual(['honeypot', 'honeypot', 'mail-domain']);
});
