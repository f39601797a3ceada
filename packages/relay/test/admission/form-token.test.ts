/** Signed form tokens: minimum age, lifetime, signature, single use, and posts without JavaScript. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formPost, post, runRelay, site, type RelayParts, type RunningRelay } from '../running-relay.ts';
import { asked } from './ask.ts';

/** A relay whose clock only moves with `turn`. */
function tokenRelay(parts: RelayParts = {}): RunningRelay & { turn(ms: number): void } {
  let now = Date.UTC(2026, 10, 21);
  const relay = runRelay({ ...parts, settings: { RELAY_FORM_TOKEN: 'true', ...parts.settings }, now: () => now });
  return { ...relay, turn: (ms) => (now += ms) };
}

const ada = { email: 'ada@example.com' };

async function freshToken(relay: RunningRelay, origin = site): Promise<string> {
  const { token = '' } = await asked(await relay.fetch(post(ada, { origin })), 'TOKEN_REQUIRED');
  return token;
}

describe('a form with tokens', () => {
  it('asks for a token that must age two seconds, and accepts it once', async () => {
    const relay = tokenRelay();
    const ask = await asked(await relay.fetch(post(ada)), 'TOKEN_REQUIRED');
    expect(ask).toEqual({ token: expect.stringMatching(/^[\w.-]{50,200}$/) as string, wait_seconds: 2 });
    relay.turn(2000);
    expect((await relay.fetch(post({ ...ada, token: ask.token }))).status).toBe(202);
    expect((await relay.store.claim({ forms: ['default'], limit: 1, now: Date.now() }))[0]?.submission).toEqual(ada);
    const again = await asked(
      await relay.fetch(post({ email: 'bob@example.com', token: ask.token })),
      'TOKEN_REQUIRED',
    );
    expect(again.token).not.toBe(ask.token);
  });

  it('answers a young token with the token and the remaining time', async () => {
    const relay = tokenRelay();
    const token = await freshToken(relay);
    for (const ms of [0, 900]) {
      relay.turn(ms);
      expect(await asked(await relay.fetch(post({ ...ada, token })), 'TOKEN_REQUIRED')).toEqual({
        token,
        wait_seconds: 2,
      });
    }
    relay.turn(900);
    expect(await asked(await relay.fetch(post({ ...ada, token })), 'TOKEN_REQUIRED')).toEqual({
      token,
      wait_seconds: 1,
    });
    relay.turn(200);
    expect((await relay.fetch(post({ ...ada, token }))).status).toBe(202);
  });

  it('refuses a token after two hours, and issues a new one', async () => {
    const relay = tokenRelay();
    const token = await freshToken(relay);
    relay.turn(7_200_000);
    const { token: fresh } = await asked(await relay.fetch(post({ ...ada, token })), 'TOKEN_REQUIRED');
    expect(fresh).not.toBe(token);
    relay.turn(7_199_999);
    expect((await relay.fetch(post({ ...ada, token: fresh }))).status).toBe(202);
  });

  it('replaces a token from the future, where the clock was set back, with a new one', async () => {
    const relay = tokenRelay();
    const token = await freshToken(relay);
    relay.turn(-3_600_000);
    const answer = await asked(await relay.fetch(post({ ...ada, token })), 'TOKEN_REQUIRED');
    expect(answer.token).not.toBe(token);
    expect(answer.wait_seconds).toBe(2);
    relay.turn(2000);
    expect((await relay.fetch(post({ ...ada, token: answer.token }))).status).toBe(202);
  });

  it('refuses a token of another website or another relay', async () => {
    const relay = tokenRelay();
    const other = tokenRelay();
    const tokens = [await freshToken(relay, 'https://www.shop.example'), await freshToken(other)];
    relay.turn(3000);
    for (const token of tokens) await asked(await relay.fetch(post({ ...ada, token })), 'TOKEN_REQUIRED');
  });

  it('refuses a token with one changed character, or one more', async () => {
    const relay = tokenRelay();
    const token = await freshToken(relay);
    relay.turn(3000);
    const characters = 'ABCDEFabcdef0123456789-_.';
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: token.length - 1 }),
        fc.constantFrom(...characters.split('')),
        async (at, character) => {
          // Two bits of a signature's last character are not significant.
          fc.pre(token[at] !== character && at !== token.length - 1);
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          expect((await relay.fetch(post({ ...ada, token: changed }))).status).toBe(403);
        },
      ),
      { numRuns: 200 },
    );
    for (const changed of [`-${token}`, `${token}-`])
      expect((await relay.fetch(post({ ...ada, token: changed }))).status).toBe(403);
  });
});

describe('a visitor without JavaScript', () => {
  const own = { origin: 'https://signup.shop.example', 'sec-fetch-site': 'same-origin' };
  const entered = {
    email: 'ada@example.com',
    'custom_fields[Topics][]': 'CSS & <b>"more"</b>',
    utm_source: 'x',
    hp_field: '',
  };

  async function page(relay: RunningRelay): Promise<Record<string, string>> {
    const answer = await relay.fetch(formPost(entered));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    // With no referrer at all the browser would not say either that the next post comes from this page.
    expect(answer.headers.get('referrer-policy')).toBe('same-origin');
    const html = await answer.text();
    expect(html).not.toContain('<b>');
    expect(html.match(/<button>/g)).toHaveLength(1);
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, unescaped(value)],
    );
    return Object.fromEntries(fields) as Record<string, string>;
  }

  it('gets a page with the entered fields, and signs up with its one button', async () => {
    const relay = tokenRelay();
    const { token, ...fields } = await page(relay);
    expect(fields).toEqual(entered);
    relay.turn(2500);
    const answer = await relay.fetch(formPost({ ...fields, token: token ?? '' }, own));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'thanks']);
    const [kept] = await relay.store.list({}, { limit: 9 });
    expect(kept).toMatchObject({
      origin: site,
      submission: {
        email: 'ada@example.com',
        utm_source: 'x',
        custom_fields: [{ name: 'Topics', value: ['CSS & <b>"more"</b>'] }],
      },
    });
  });
});

function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
