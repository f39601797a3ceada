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
  test.each([
    ['{campaignid}', undefined],
    ['{keyword:running shoes}', undefined],
    ['{{ad.name}}', undefined],
    ['{{ campaign.id }}', undefined],
    ['${utm.campaign}', undefined],
    ['%%CLICK_URL_UNESC%%', undefined],
    ['__CAMPAIGN_NAME__', undefined],
    ['%epid!', undefined],
    ['%pcampaign=!;', undefined],
    ['\uFFFDid!', undefined],
    ['{{campaign.name}}|{{adset.name}}', undefined],
    ['spring-{campaignid}', 'spring'],
    ['{lpurl}_spring_{creative}', 'spring'],
    ['spring {{ad.name}} sale', 'spring  sale'],
    ['(direct)', undefined],
    ['(none)', undefined],
    ['(not set)', undefined],
    ['null', undefined],
    ['undefined', undefined],
    ['null-{id}', undefined],
    ['none', 'none'],
    ['nullable', 'nullable'],
    ['spring (direct)', 'spring (direct)'],
    ['100% off!', '100% off!'],
    ['spring__sale__2026', 'spring__sale__2026'],
    ['CAMPAIGN_NAME', 'CAMPAIGN_NAME'],
    ['{', '{'],
    ['a}b{c', 'a}b{c'],
    ['-spring-', '-spring-'],
  ])('%s → %s', (value, kept) => expect(read(value)).toBe(kept));

  it('a placeholder whose percent sign the browser decodes', () => {
    expect(readAttribution({ url: 'https://shop.example/?utm_source=x&utm_content=%eaid!', referrer: '' })).toEqual({
      utm_source: 'x',
    });
  });
});

describe('e-mail addresses', () => {
  test.each([
    ['ada@example.com', undefined],
    ['news-ada@example.com-x', undefined],
    ['news|ada@example.com|x', 'news||x'],
    ['mail to ada@example.com', 'mail to'],
    ['mailto:ada@example.com', 'mailto'],
    ['Ada <ada@example.com>', 'Ada <>'],
    ['ada%40example.com', undefined],
    ['ada%2540example.com', undefined],
    ['ada＠example.com', undefined],
    ['ädä@bücher.example', undefined],
    ['ada@example.com,bob@example.com', undefined],
    ['@ada', '@ada'],
    ['ada@', 'ada@'],
    ['2 @ 3', '2 @ 3'],
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

describe('telephone numbers', () => {
  test.each([
    ['+491701234567', undefined],
    ['+49 170 123 45 67', undefined],
    ['+1 (555) 123-4567', undefined],
    ['0049 170 1234567', undefined],
    ['(030) 1234567', undefined],
    ['0170/1234567', undefined],
    ['01701234567', undefined],
    ['020 7946 0958', undefined],
    ['sms-+491701234567', 'sms'],
    ['tel 01701234567 x', 'tel  x'],
    ['20261127', '20261127'],
    ['2026-11-27', '2026-11-27'],
    ['27.11.2026', '27.11.2026'],
    ['01.12.2026', '01.12.2026'],
    ['01/12/2026-31/12/2026', '01/12/2026-31/12/2026'],
    ['0900-1700', '0900-1700'],
    ['2026-11-27T10:00+0100', '2026-11-27T10:00+0100'],
    ['120210000000000000', '120210000000000000'],
    ['12345678901', '12345678901'],
    ['123-456-7890', '123-456-7890'],
    ['id01701234567', 'id01701234567'],
    ['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['C++ 2026', 'C++ 2026'],
    ['007', '007'],
  ])('%s → %s', (value, kept) => expect(read(value)).toBe(kept));
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
      unit: fc.constantFrom(...'ab{}$%_@+0 1-(!'.split(''), 'null', '(none)', '__A__', '\u202E', 'é'),
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
