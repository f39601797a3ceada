import { domainToASCII } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addressKey, isAddress, normalizeAddress } from '../../src/signup/index.ts';

describe('isAddress accepts', () => {
  test.each([
    'ada@example.com',
    'ada+news@example.com',
    'Ada.Lovelace@Example.COM',
    "o'hara@example.ie",
    'ada@bücher.example',
    'ada@xn--bcher-kva.example',
    'アダ@例え.テスト',
    'ада@почта.рф',
    'a@b.co',
    '1@2.example',
    `${'a'.repeat(64)}@example.com`,
    'ada@mail.eu-west.example.com',
    'ada@संगठन.भारत',
  ])('%s', (address) => expect(isAddress(address)).toBe(true));
});

describe('isAddress rejects', () => {
  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'ada@example..com',
    '.ada@example.com',
    'ada.@example.com',
    'ada..b@example.com',
    'ada lovelace@example.com',
    'ada@exa mple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@127.0.0.1:80',
    'ada@123.123.123.123',
    'ada@⒈example.com',
    '"ada"@example.com',
    '<ada@example.com>',
    'ada@example.com, bob@example.com',
    'ada@example.com\nBcc: bob@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'abcdefgh.'.repeat(30)}com`,
  ])('%s', (address) => expect(isAddress(address)).toBe(false));

  it('crafted texts without backtracking, which would take exponential time', () => {
    expect(isAddress(`${'a.'.repeat(120)}@`)).toBe(false);
    expect(isAddress(`a@${'a-'.repeat(124)}`)).toBe(false);
  });
});

describe('normalizeAddress', () => {
  it('lower-cases the domain and keeps the local part', () => {
    expect(normalizeAddress(' Ada+News@BÜCHER.Example ')).toBe('Ada+News@bücher.example');
  });

  it('composes a letter and its combining mark (NFC)', () => {
    expect(normalizeAddress('ju\u0308rgen@bu\u0308cher.example')).toBe('jürgen@bücher.example');
  });

  it.each([
    ['a pasted blank', ' ada@example.com\u00a0'],
    ['characters that nobody sees', '\ufeffada@exam\u00adple.com\u200b'],
    ['wide signs', 'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['a small sign and an ideographic full stop', 'ada﹫example。com'],
    ['a dot at its end', 'ada@example.com.'],
  ])('reads %s as a person does', (_, text) => {
    expect([normalizeAddress(text), isAddress(text)]).toEqual(['ada@example.com', true]);
  });

  it('accepts what it has written, and gives every spelling the key of the written one', () => {
    const sign = fc.constantFrom(
      'a',
      'Ä',
      '@',
      '＠',
      '﹫',
      '.',
      '。',
      '．',
      '\u200b',
      '\u00ad',
      ' ',
      'b',
      '1',
      '-',
      'com',
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        const text = signs.join('');
        const written = normalizeAddress(text);
        expect(normalizeAddress(written)).toBe(written);
        expect(isAddress(written)).toBe(isAddress(text));
        if (isAddress(text)) expect(addressKey(written)).toBe(addressKey(text));
      }),
      { seed: 59 },
    );
  });

  it('leaves a text without @ unchanged', () => {
    expect(normalizeAddress(' Ada ')).toBe('Ada');
  });
});

describe('addressKey', () => {
  test.each([
    [
      'ada+news@example.com',
      'ADA+news@Example.com',
      'ada+NEWS@example.COM ',
      ' ada+news@example.com.',
      'ada+news@example。com',
    ],
    [
      'ada@example.com',
      '\u200bada@example.com',
      'a\u00adda@exam\u00adple.com',
      '\ufeffada@example.com\u200f',
      'ada@example.com \u2060',
    ],
    [
      'ada@example.com',
      'ada＠example.com',
      'ada﹫example.com',
      'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
      'ada@exa\u200dmple.com',
    ],
    [
      'ada@xn--bcher-kva.example',
      'ada@bücher.example',
      'ada@BÜCHER。example',
      'ada@bu\u0308cher.example',
      'ADA@XN--BCHER-KVA.EXAMPLE',
    ],
    ['josé@example.com', 'JOSE\u0301@example.com', 'jose\u0301@EXAMPLE.com'],
    ['ada@xn--nxaslbu.example', 'ada@βολοσ.example', 'ada@ΒΟΛΟΣ.example'],
    ['ada@xn--mgba3gch31f060k.example', 'ada@نامه\u200cای.example', '\u200eada@نامه\u200cای.example'],
    ['ada@0x7f.1', 'ADA@0x7F.1', 'ada@０x７f.1'],
    ['ada@b.com/x', 'ada@B.com/x'],
    ['ada@exam ple.com', 'ADA@exam ple.com'],
    ['ada', ' Ada\u200b'],
    ['ada@', 'ADA@', 'ada＠\u200b'],
    ['', '\u200b'],
  ])('%j stands for every spelling', (key, ...spellings) => {
    expect([key, ...spellings].map((each) => addressKey(each))).toEqual([key, ...spellings].map(() => key));
  });

  test.each([
    ['ada+news@example.com', 'ada@example.com'],
    ['ada@straße.example', 'ada@strasse.example'],
    ['ada@نامه\u200cای.example', 'ada@نامهای.example'],
    ['ada@b.com/x', 'ada@b.com'],
    ['ada@%62.com', 'ada@b.com'],
    ['ada@127.1', 'ada@127.0.0.1'],
  ])('tells %s and %s apart', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });

  const letters = fc.constantFrom(
    ...Array.from('aBz09-_.．。｡üÜ\u0308ßẞﬁ㎏ⅧＡｚ１Kςσİнאبم८१例ー\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f'),
    'xn--',
    'ام\u200cن',
    '्\u200dष',
  );
  const domains = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
  const locals = fc.string({ unit: fc.constantFrom(...Array.from('aA1.+é\u0301İΣ\u200bＡ ')), maxLength: 8 });

  it('is one for all domains that are one by IDNA', () => {
    let compared = 0;
    fc.assert(
      fc.property(locals, domains, (local, domain) => {
        const ascii = domainToASCII(domain);
        fc.pre(ascii !== '' && !/^[\d.]+$/.test(ascii));
        compared += 1;
        expect(addressKey(`${local}@${domain}`)).toBe(addressKey(`${local}@${ascii}`));
      }),
      { numRuns: 2000 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it('is its own key', () => {
    fc.assert(
      fc.property(locals, domains, (local, domain) => {
        const key = addressKey(`${local}@${domain}`);
        expect(addressKey(key)).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });
});
