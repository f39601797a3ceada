/** Posts that nobody types by accident: what is answered, and what is kept. */
import { expect, it } from 'vitest';
import { formPost, post, runRelay } from '../running-relay.ts';

/** An address of so many characters. */
function addressOf(length: number): string {
  const name = 'a'.repeat(64);
  const labels = 'd'.repeat(60).concat('.').repeat(4);
  return `${name}@${labels.slice(0, length - name.length - '@.example'.length)}.example`;
}

const large = 'x'.repeat(65_536);
const kept = (email: string) => ({ status: 202, kept: [email] });
const invalid = { status: 400, kept: [] };

it.each([
  // A Cyrillic o: another domain than the Latin one, and as valid.
  ['a domain of mixed scripts', 'ada@g\u043Eogle.example', {}, kept('ada@g\u043Eogle.example')],
  ['an address of 254 characters', addressOf(254), {}, kept(addressOf(254))],
  ['an address of 255 characters', addressOf(255), {}, invalid],
  ['a domain of combining marks', 'ada@\u0301\u0300', {}, invalid],
  ['a label of combining marks', 'ada@\u0301\u0300.example', {}, invalid],
  ['a top-level domain of combining marks', 'ada@example.\u0301\u0300', {}, invalid],
  ['an address with a display name', 'Ada <ada@example.com>', {}, invalid],
  ['an address as the display name of another', '"bob@example.com" <ada@example.com>', {}, invalid],
  ['an address before that of another', 'ada@example.com <bob@example.com>', {}, invalid],
  ['a page of 64 kB', 'ada@example.com', { referer: `https://shop.example/${large}` }, kept('ada@example.com')],
  ['a browser of 64 kB', 'ada@example.com', { 'user-agent': large }, kept('ada@example.com')],
  ['a key of 64 kB', 'ada@example.com', { 'idempotency-key': large }, kept('ada@example.com')],
] as const)('%s', async (_, email, headers, expected) => {
  const forms = { json: post({ email }, headers), form: formPost({ email }, headers) };
  for (const [door, request] of Object.entries(forms)) {
    const relay = runRelay();
    const answer = await relay.fetch(request, '192.0.2.1');
    // A form without JavaScript is led to the page of thanks.
    expect({ door, status: answer.status }).toEqual({
      door,
      status: door === 'form' && expected.status === 202 ? 303 : expected.status,
    });
    if (expected.status === 400) expect(await answer.text()).toContain('such as name@example.com');
    const stored = await relay.store.list({}, { limit: 9 });
    expect(stored.map(({ submission }) => submission?.email)).toEqual(expected.kept);
    // A post of eight kilobytes is the largest; no header makes more of it.
    expect(JSON.stringify(stored).length).toBeLessThan(8192);
  }
});
