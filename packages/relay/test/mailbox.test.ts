/** Spellings of one address, and addresses of one mailbox. */
import { domainToASCII } from 'node:url';
import { domainOf, mailboxKey } from '@newsletter-kit/core/facts';
import { addressKey, isAddress, normalizeAddress } from '@newsletter-kit/core/signup';
import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { mailboxRules } from '../../core/src/facts/mailbox.ts';
import { personHash } from '../src/store/signup-identity.ts';

/** The recipient as a mail server gets it, its domain as DNS does. */
function recipientOf(email: string): string {
  const composer = new MailComposer({ to: { name: '', address: email }, text: '' });
  const { to } = composer.compile().getEnvelope();
  const recipient = Array.isArray(to) ? String(to[0]) : String(to);
  const at = recipient.lastIndexOf('@');
  return recipient.slice(0, at + 1) + domainToASCII(recipient.slice(at + 1));
}

/** Ways to write a character that some step on the way of a mail takes for the same one. */
const spellings: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => character.toUpperCase(),
  (character) => character.normalize('NFD'),
  // Full-width, and the mathematical alphabets.
  (character) => (/[!-~]/.test(character) ? String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0) : character),
  ...[0x1d41a, 0x1d44e, 0x1d482, 0x1d4ea, 0x1d5ba, 0x1d68a].map(
    (a) => (character: string) =>
      /[a-z]/.test(character) ? String.fromCodePoint((character.codePointAt(0) ?? 0) - 97 + a) : character,
  ),
  (character) => (character === '.' ? '。' : character),
  (character) => `${character}\u00AD`,
];

const spelled = (addresses: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...addresses), fc.array(fc.constantFrom(...spellings), { maxLength: 40 }))
    .map(([address, ways]) =>
      [...address]
        .map((character, n) => (character === '@' ? character : (ways[n] ?? ((same: string) => same))(character)))
        .join(''),
    );

describe('one recipient at the last hop', () => {
  const addresses = ['ada.b+news@gmail.com', 'ada@bücher.example', 'æneas@straße.example', 'i@xn--bcher-kva.example'];
  it('is one address, and one person in the store', () => {
    fc.assert(
      fc.property(spelled(addresses), (spelling) => {
        const email = normalizeAddress(spelling);
        fc.pre(isAddress(email));
        expect(addressKey(email)).toBe(addressKey(recipientOf(email)));
        expect(personHash(email)).toBe(personHash(recipientOf(email)));
      }),
      { seed: 42, numRuns: 3000, maxSkipsPerRun: 1000 },
    );
  });
});

describe('one mailbox', () => {
  it('has one rule per domain', () => {
    const domains = mailboxRules.flatMap((rule) => rule.domains);
    expect(new Set(domains).size).toBe(domains.length);
  });

  it.each([
    ['Ada+news@Example.com', 'ada@example.com'],
    ['a.d.a+x+y@googlemail.com', 'ada@gmail.com'],
    ['"a@b+c"@example.com', '"a@b@example.com'],
    ['+tag@example.com', '+tag@example.com'],
    ['..@gmail.com', '..@gmail.com'],
    ['ada@ＧＭＡＩＬ。com', 'ada@gmail.com'],
    ['a.d-a_b@pm.me', 'adab@proton.me'],
    ['a.d-a_b@mac.com', 'a.d-a_b@icloud.com'],
    ['a.d-a_b@ya.ru', 'a-d-a_b@yandex.ru'],
    ['news@ada.fastmail.fm', 'ada@fastmail.fm'],
    ['news@ada.gmail.com', 'news@ada.gmail.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada.love@example.com', 'ada.love@example.com'],
    ['ada-love@yahoo.com', 'ada-love@yahoo.com'],
    ['ada@hotmail.com', 'ada@hotmail.com'],
    ['ada@outlook.com', 'ada@outlook.com'],
  ])('of %s is %s', (address, mailbox) => {
    expect(mailboxKey(address)).toBe(mailbox);
  });

  it.each([
    [' ada@Bücher.example', 'xn--bcher-kva.example'],
    ['"a@b"@straße.example', 'xn--strae-oqa.example'],
  ])('finds the domain of %s', (address, domain) => {
    expect(domainOf(address)).toBe(domain);
  });
});
