/** Which pages may post, and what screening does without the state of a relay. */
import { describe, expect, it } from 'vitest';
import { makeToken } from '../../src/admission/form-token.ts';
import { Screening } from '../../src/admission/screening.ts';
import type { SignupPost } from '../../src/admission/signup-post.ts';
import { readConfig } from '../../src/index.ts';
import { purposeKey } from '../../src/secrets.ts';
import { environment, formPost, post, runRelay, site } from '../running-relay.ts';

const ada = { email: 'ada@example.com' };
const host = 'signup.example';
const own = `https://${host}`;
const secret = 'a-secret-of-enough-characters';

/** The headers that say where a post comes from; null for one that is not sent. */
function from(origin: string | null, fetchSite: string | null): Readonly<Record<string, string>> {
  return { host, ...(origin !== null && { origin }), ...(fetchSite !== null && { 'sec-fetch-site': fetchSite }) };
}

describe('a post to a form with a page', () => {
  it.each([
    ['its page', own, 'same-origin', 303],
    ['its page, in a browser without the header', own, null, 303],
    ['its page, behind a proxy that changes the host', 'https://public.example', 'same-origin', 303],
    ['its page, through a link of no site', own, 'none', 403],
    ['a page of the same site', own, 'same-site', 403],
    ['a page of another site that claims the host', own, 'cross-site', 403],
    ['a page whose browser sends an empty header', own, '', 403],
    ['another host, in a browser without the header', 'https://other.example', null, 403],
    ['a longer host, in a browser without the header', `${own}.other.example`, null, 403],
    ['an opaque origin, in a browser without the header', 'null', null, 403],
    ['its page without an origin', null, 'same-origin', 403],
    ['nowhere', null, null, 403],
  ] as const)('from %s (origin %s, Sec-Fetch-Site %s): %i', async (_, origin, fetchSite, status) => {
    const request = formPost(ada, from(origin, fetchSite));
    if (origin === null) request.headers.delete('origin');
    const relay = runRelay({ settings: { RELAY_PAGE: 'true' } });
    expect((await relay.fetch(request)).status).toBe(status);
    const stored = await relay.store.list({}, { limit: 2 });
    expect(stored.map((signup) => signup.origin)).toEqual(status === 303 ? [origin] : []);
  });
});

describe('screening', () => {
  const now = Date.UTC(2026, 10, 27);

  /** A post as reception hands it over, with its body. */
  function received(
    settings: Readonly<Record<string, string>>,
    body: Readonly<Record<string, string>>,
  ): readonly [SignupPost, Uint8Array] {
    const form = readConfig({ ...environment, ...settings }).forms['default'];
    if (!form) throw new Error('The environment makes the form "default".');
    const { headers } = post(body);
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const header = (name: string) => headers.get(name);
    const read = { body: () => Promise.resolve(bytes), entered: () => Promise.resolve([]) };
    return [{ form, client: null, header, ...read }, bytes];
  }

  it.each([
    ['default', undefined, { needsProof: false, proof: null, origin: site }],
    ['no attack', () => false, { needsProof: false, proof: null, origin: site }],
    ['an attack', () => true, { refused: { errors: [{ code: 'PROOF_REQUIRED' }] } }],
  ])('for a form with RELAY_PROOF=attack, by %s', async (_, countAttack, expected) => {
    const of = received({ RELAY_PROOF: 'attack' }, ada);
    expect(await new Screening().screen(...of, now, countAttack)).toMatchObject(expected);
  });

  it('accepts what any relay with its secret has signed, and hashes as it does', async () => {
    const screening = new Screening({ secret });
    const nonce = 'a'.repeat(16);
    const token = makeToken(purposeKey(secret, 'form token'), 'default', site, now - 3000, nonce);
    const screened = await screening.screen(...received({ RELAY_FORM_TOKEN: 'true' }, { ...ada, token }), now);
    expect(screened).toMatchObject({ token: { nonce, origin: site, issuedAt: now - 3000 } });
    expect(screening.visitorKey).toEqual(purposeKey(secret, 'visitor'));
  });

  it('accepts nothing that another without a secret has signed', async () => {
    const asked = await new Screening().screen(...received({ RELAY_FORM_TOKEN: 'true' }, ada), now);
    if (!('refused' in asked) || !asked.refused.ask?.token) throw new Error('No token was asked for.');
    const again = received({ RELAY_FORM_TOKEN: 'true' }, { ...ada, token: asked.refused.ask.token });
    expect(await new Screening().screen(...again, now + 3000)).toMatchObject({
      refused: { errors: [{ code: 'TOKEN_REQUIRED' }] },
    });
  });
});
