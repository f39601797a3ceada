/** What is removed from the values of an address, and what stays. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isAddress, readAttribution, textLimit, type Attribution } from '../../src/signup/index.ts';

/** What is read of this value, as it stands in an address that a browser has encoded. */
function read(value: string): string | undefined {
  const url = `https://shop.example/?utm_campaign=${encodeURIComponent(value)}`;
  return readAttribution({ url, referrer: '' }).utm_campaign;
}

describe('placeholders and empty words', () => {
  const word = fc.stringMatching(/^[A-Za-z][\w :-]{0,20}\w$/);
  const signs = '#$%&*@^|~!?<[{';
  const mirrored = (opening: string): string =>
    [...opening]
      .toReversed()
      .map((sign) => '#$%&*@^|~!?>]}'[signs.indexOf(sign)] ?? sign)
      .join('');

  it('a word between mirrored signs is none', () => {
    // Other signs stand inside brackets, as in `<%= name %>`.
    const opening = fc.stringMatching(/^(?:[<[]?[#$%&*@^|~!?]|[#$%&*@^|~!?]{2}|[<[]{1,2}|\{{1,3})$/);
    fc.assert(
      fc.property(opening, word, (before, name) => {
        expect(read(before + name + mirrored(before))).toBeUndefined();
      }),
    );
  });

  it('quotes, hyphens, underscores and separators stand around real words', () => {
    const pairs = ['""', "''", '“”', '«»', '--', '__', '()', '//', '..', '++', '::'];
    fc.assert(
      fc.property(fc.constantFrom(...pairs), word, ([before, after], name) => {
        fc.pre(!/^(?:direct|none|(?:data )?not \w+)$/.test(name));
        const value = `${before}${name}${after}`;
        expect(read(value)).toBe(value);
      }),
    );
  });

  test.each<readonly [string, string | undefined]>([
    ['{keyword:running shoes}', undefined],
    ['{{ campaign.id }}', undefined],
    ['{{campaign.name}}|{{adset.name}}', undefined],
    ['spring-{campaignid}', 'spring'],
    ['{lpurl}_spring_{creative}', 'spring'],
    ['spring {{ad.name}} sale', 'spring  sale'],
    ['spring-${utm.campaign}', 'spring'],
    ['#{id}', undefined],
    ['spring-*|CAMPAIGN|*', 'spring'],
    ['<%= campaign %>_spring', 'spring'],
    ['spring-[[ad.name]]', 'spring'],
    ['spring-%%CLICK_URL%%', 'spring'],
    ['spring-__CAMPAIGN_NAME__', 'spring'],
    ['[object Object]', undefined],
    ['%epid!', undefined],
    ['%pcampaign=!;', undefined],
    ['$publisher_name$_$section_id$', undefined],
    ['spring {{ campaign.${name} | url_encode }}', 'spring'],
    ['(direct)', undefined],
    ['(none)', undefined],
    ['(not set)', undefined],
    ['(not provided)', undefined],
    ['(data not available)', undefined],
    ['null', undefined],
    ['undefined', undefined],
    ['null-{id}', undefined],
    ...[
      'none',
      'nullable',
      'spring (direct)',
      '100% off!',
      '20% off 30%',
      'spring__sale__2026',
      'CAMPAIGN_NAME',
      'Brand||Search||DE',
      '[DE] Brand | Search',
      '{',
      'a}b{c',
      '##',
      '-spring-',
    ].map((text) => [text, text] as const),
  ])('%s → %s', (value, kept) => expect(read(value)).toBe(kept));

  it.each(['%eaid!', '%CAMPAIGNNAME%', '%%CAMPAIGN%%', '%campaign%', '%AD%'])(
    'an address holds as it is: %s',
    (name) => {
      const url = `https://shop.example/?utm_source=x&utm_content=${name}&utm_term=caf%C3%A9`;
      expect(readAttribution({ url, referrer: '' })).toEqual({ utm_source: 'x', utm_term: 'café' });
    },
  );
});

describe('e-mail addresses', () => {
  test.each<readonly [string, string | undefined]>([
    ['ada@example.com', undefined],
    ['news-ada@example.com-x', undefined],
    ['news|ada@example.com|x', 'news||x'],
    ['mail to ada@example.com', 'mail to'],
    ['Ada <ada@example.com>', 'Ada <>'],
    ['ada%40example.com', undefined],
    ['ada%2540example.com', undefined],
    ['ada＠example.com', undefined],
    ['ädä@bücher.example', undefined],
    ['ada@example.com,bob@example.com', undefined],
    ...['@ada', 'ada@', '2 @ 3', 'acme@2024', 'john@acme', 'react@18.2'].map((text) => [text, text] as const),
    ...['+491701234567', '0123456789', '(030) 1234567', '2026-11-27T10:00+0100'].map((text) => [text, text] as const),
  ])('%s → %s', (value, kept) => expect(read(value)).toBe(kept));

  it('never stay, whatever is around them', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(text, name, name, text, (before, local, domain, after) => {
        const address = `${local}@${domain}.example`;
        expect(isAddress(address)).toBe(true);
        expect(read(before + address + after) ?? '').not.toContain(address);
      }),
      { numRuns: 200 },
    );
  });
});

describe('any text', () => {
  /** The same greeting in scripts from left to right, from right to left, and from the top. */
  const greetings = [
    'Grüße',
    'Γειά',
    'Привет',
    'שלום',
    'مرحبا',
    'नमस्ते',
    'สวัสดี',
    '你好',
    'こんにちは',
    '안녕하세요',
    'გამარჯობა',
    'Բարեւ',
    'ሰላም',
    'ᠰᠠᠢᠨ',
    'ꦲꦭꦺꦴ',
    '𐐐𐐯𐑊𐐬',
  ];
  test.each(greetings)('%s stays', (greeting) => expect(read(greeting)).toBe(greeting.normalize('NFC')));

  test.each([
    ['bidirectional marks', 'a\u202Eb\u2066c\u2069\u200Fd', 'abcd'],
    ['line ends', 'spring\r\nsale\u2028x', 'springsale\u2028x'],
    ['HTML', '<img src=x onerror=alert(1)>&amp;', '<img src=x onerror=alert(1)>&amp;'],
    ['a lone surrogate', 'a\uD800b', 'a\uFFFDb'],
    ['10,000 letters', 'x'.repeat(10_000), 'x'.repeat(textLimit)],
    ['10,000 emoji', '🎉'.repeat(10_000), '🎉'.repeat(textLimit)],
    ['10,000 braces', '{'.repeat(10_000), '{'.repeat(textLimit)],
    ['10,000 addresses', 'ada@example.com '.repeat(10_000), undefined],
  ])('%s', (_, value, kept) => {
    const url = new URL('https://shop.example/');
    url.searchParams.set('utm_campaign', value);
    expect(readAttribution({ url: url.href, referrer: '' }).utm_campaign).toBe(kept);
  });

  it('is cleaned the same a second time', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'ab{}[]<>|*#$%_@.+0 1-(!'.split(''), 'null', '(none)', '__A__', '\u202E', 'é'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(texts, (value) => {
        const once = read(value) ?? '';
        expect(read(once) ?? '').toBe(once);
      }),
    );
  });
});

describe("the owner's values", () => {
  test.each<[Attribution, Attribution]>([
    [{ utm_source: '{{ page.slug }}' }, { utm_source: 'fair' }],
    [{ utm_source: 'ada@example.com' }, { utm_source: 'fair' }],
    [{ utm_source: 'footer-{{ id }}' }, { utm_source: 'footer' }],
  ])('%j', (overrides, expected) => {
    const visit = { url: 'https://shop.example/?utm_source=fair', referrer: '' };
    expect(readAttribution(visit, { overrides })).toEqual(expected);
  });
});
