import { describe, expect, it, test } from 'vitest';
import * as fc from 'fast-check';
import {
  attributionFields,
  attributionLimit,
  cleanText,
  fitAttribution,
  readAttribution,
  submissionLimit,
  type Attribution,
  type AttributionOptions,
} from '../../src/signup/index.ts';

const page = 'https://shop.example/landing';
const bytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

interface Row {
  readonly name: string;
  readonly url?: string;
  readonly referrer?: string;
  readonly options?: AttributionOptions;
  readonly expected: Attribution;
}

const rows: readonly Row[] = [
  {
    name: 'spaces as plus and as %20',
    url: '?utm_campaign=spring+sale%202026',
    expected: { utm_campaign: 'spring sale 2026' },
  },
  { name: 'a plus sign of its own', url: '?utm_content=C%2B%2B', expected: { utm_content: 'C++' } },
  {
    name: 'an umlaut written as two characters is composed',
    url: '?utm_term=Fru%CC%88hling',
    expected: { utm_term: 'Frühling' },
  },
  { name: 'an empty parameter', url: '?utm_source=&utm_medium=cpc', expected: { utm_medium: 'cpc' } },
  { name: 'parameters we do not know', url: '?utm_id=7&utm_channel=import&gclid=abc&tier=premium', expected: {} },
  {
    name: 'a hash route of old crawlers',
    url: '#!/join?UTM_SOURCE=fair&ref=gBZbSVal1X',
    expected: { utm_source: 'fair', referral_code: 'gBZbSVal1X' },
  },
  {
    name: 'the query wins over the fragment',
    url: '?utm_source=query#/join?utm_source=hash&utm_medium=b',
    expected: { utm_source: 'query', utm_medium: 'b' },
  },
  {
    name: 'broken percent-encoding does no harm',
    url: '?utm_source=%E0%A4%A&utm_medium=cpc',
    expected: { utm_source: '%E0%A4%A', utm_medium: 'cpc' },
  },
  {
    name: 'a link that was encoded as a whole',
    url: '/join%3Futm_source%3Dfair%26x%3D1',
    expected: { utm_source: 'fair' },
  },
  { name: 'a word of ten letters in ref', url: '?ref=Newsletter', expected: { utm_source: 'Newsletter' } },
  { name: 'a word and a year in ref', url: '?ref=Spring2026', expected: { utm_source: 'Spring2026' } },
  { name: 'a placeholder in ref', url: '?ref={{site}}', expected: {} },
  { name: 'our own host in ref', url: '?ref=www.shop.example', expected: {} },
  { name: 'a sister site in ref', url: '?ref=blog.example', options: { sameSite: ['blog.example'] }, expected: {} },
  { name: 'ref is a code, not a host', url: '?ref=blog.example.com', options: { refIs: 'code' }, expected: {} },
  {
    name: 'a source under another name',
    url: '?ref=fair&via=mail',
    options: { referralParameter: 'via', refIs: 'source' },
    expected: { utm_source: 'mail' },
  },
  { name: 'no referral code: wrong characters', url: '?ref=a%20b', options: { refIs: 'code' }, expected: {} },
  { name: 'no referral code: too long', url: `?ref=${'a'.repeat(65)}`, options: { refIs: 'code' }, expected: {} },
  {
    name: 'another site over http with a port',
    referrer: 'http://intranet.example:8080/',
    expected: { referring_site: 'http://intranet.example:8080' },
  },
  {
    name: 'an Android app, without its path',
    referrer: 'android-app://com.google.android.gm/a?b',
    expected: { referring_site: 'android-app://com.google.android.gm' },
  },
  {
    name: 'a page of ours with parameters: an earlier visit',
    referrer: 'https://shop.example/land?utm_source=fair&ref=alpha',
    expected: { utm_source: 'fair' },
  },
  {
    name: 'a value with a question mark',
    url: '?utm_campaign=who?&utm_term=a%3Fb',
    expected: { utm_campaign: 'who?', utm_term: 'a?b' },
  },
  { name: 'an address in a parameter', url: `?next=${encodeURIComponent('/a?utm_source=fair')}`, expected: {} },
  { name: 'a referrer that is no address', referrer: 'javascript:alert(1)', expected: {} },
  {
    name: 'a referrer never becomes a source',
    url: '?utm_medium=social',
    referrer: 'https://t.example/x',
    expected: { utm_medium: 'social', referring_site: 'https://t.example' },
  },
  {
    name: 'the owner wins over the address, field by field',
    url: '?utm_source=fair&utm_campaign=spring',
    options: { overrides: { utm_source: 'footer' } },
    expected: { utm_source: 'footer', utm_campaign: 'spring' },
  },
  {
    name: 'the owner wins over the referrer and the code',
    url: '?ref=gBZbSVal1X',
    referrer: 'https://news.example/',
    options: { overrides: { referring_site: 'Partner page', referral_code: 'owner' } },
    expected: { utm_source: 'gBZbSVal1X', referring_site: 'Partner page', referral_code: 'owner' },
  },
  {
    name: 'an empty text of the owner counts as absent',
    url: '?utm_source=fair',
    options: { overrides: { utm_source: ' ', utm_medium: null } },
    expected: { utm_source: 'fair' },
  },
  {
    name: "the owner's text is cleaned too",
    options: { overrides: { utm_source: ' a\u202Eb\u0007 ' } },
    expected: { utm_source: 'ab' },
  },
];

describe('readAttribution', () => {
  test.each(rows)('$name', ({ url = '', referrer = '', options, expected }) => {
    expect(readAttribution({ url: page + url, referrer }, options)).toEqual(expected);
  });

  it('never throws on an invalid URL', () => {
    expect(readAttribution({ url: 'about:srcdoc', referrer: '' })).toEqual({});
    expect(readAttribution({ url: '', referrer: 'https://news.example' })).toEqual({
      referring_site: 'https://news.example',
    });
    expect(readAttribution({ url: '/relative?utm_source=x', referrer: 'x' })).toEqual({});
  });

  it('keeps five values of 300 emoji beside a referrer and a code, and leaves room in the body', () => {
    const value = '🎉'.repeat(300);
    const query = new URLSearchParams({
      utm_source: value,
      utm_medium: value,
      utm_campaign: value,
      utm_term: value,
      utm_content: value,
      ref: 'gBZbSVal1X',
    });
    const found = readAttribution({ url: `${page}?${query}`, referrer: 'https://news.example/' });
    expect([found.utm_source, found.utm_medium, found.utm_campaign, found.utm_term, found.utm_content]).toEqual(
      Array(5).fill(value),
    );
    expect(found).toMatchObject({ referring_site: 'https://news.example', referral_code: 'gBZbSVal1X' });
    expect(bytes(found)).toBeLessThan(submissionLimit * 0.8);
  });

  it('returns only cleaned, known, non-empty fields within the limit, whatever the URL', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...attributionFields, 'ref', 'tier'),
          fc.string({ unit: 'binary', maxLength: 3000 }),
        ),
        fc.string(),
        (query, referrer) => {
          const found = readAttribution({ url: `${page}?${new URLSearchParams(query)}`, referrer });
          for (const [name, value] of Object.entries(found)) {
            expect(attributionFields).toContain(name);
            expect(value).not.toBe('');
            expect(cleanText(value)).toBe(value);
          }
          expect(bytes(found)).toBeLessThanOrEqual(attributionLimit);
        },
      ),
    );
  });
});

describe('fitAttribution', () => {
  it('shortens the longest value and keeps the others', () => {
    const found = fitAttribution({ utm_source: 'fair', utm_campaign: 'ä'.repeat(400) }, 500);
    expect(found.utm_source).toBe('fair');
    expect(found.utm_campaign).toMatch(/^ä{150,250}$/);
    expect(bytes(found)).toBeLessThanOrEqual(500);
  });

  it('returns no fields where even short values do not fit', () => {
    expect(fitAttribution({ utm_source: 'fair' }, 1)).toEqual({});
  });

  it('never splits an emoji', () => {
    expect(fitAttribution({ utm_source: '🎉'.repeat(100) }, 200).utm_source).toMatch(/^(?:🎉)+$/u);
  });
});
