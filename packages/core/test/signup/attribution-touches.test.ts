import { describe, expect, it, test } from 'vitest';
import * as fc from 'fast-check';
import {
  attributionFields,
  attributionLimit,
  chooseTouch,
  cleanText,
  jsonBytes,
  knownTouches,
  storedTouches,
  touchLifetime,
  type Attribution,
} from '../../src/signup/index.ts';
import type { Step } from './histories/types.ts';
import { site, walk } from './histories/walk.ts';

interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What is sent under each rule; one where they agree. */
  readonly first: Attribution;
  readonly last?: Attribution;
}

const fair = { utm_source: 'fair', utm_campaign: 'spring' };
const mail = { utm_source: 'mail' };
const toFair = '/?utm_source=fair&utm_campaign=spring';
const toMail = '/offer?utm_source=mail';
const news = 'https://news.example/post';
const fromNews = { referring_site: 'https://news.example' };

const rows: readonly Row[] = [
  {
    name: 'a page that goes on by itself keeps its referrer',
    steps: [{ load: '/', from: news }, { push: '/about' }],
    first: fromNews,
  },
  {
    name: 'a campaign met on the way beats the referrer, and does not take it over',
    steps: [{ load: '/', from: news }, { push: toMail }],
    first: mail,
  },
  {
    name: 'campaigns are never mixed',
    steps: [{ load: '/?utm_campaign=spring' }, { push: toMail }],
    first: { utm_campaign: 'spring' },
    last: mail,
  },
  {
    name: 'the next page forgets when consent comes too late',
    steps: [{ load: toFair }, { load: '/two', from: site }, 'grant'],
    first: {},
  },
  {
    name: 'the next page does not read without its own consent',
    steps: [{ load: toFair }, 'grant', { load: '/two', from: site }],
    first: {},
  },
  {
    name: 'a referrer is remembered too',
    steps: [{ load: '/', from: news }, 'grant', { load: '/two', from: site }, 'grant'],
    first: fromNews,
  },
  {
    name: 'the address is stronger than a stored referrer',
    steps: [{ load: '/', from: news }, 'grant', { days: 2 }, { load: toMail }, 'grant'],
    first: mail,
  },
  {
    name: 'a second campaign before the grant: only what the page may know',
    steps: [{ load: toFair }, 'grant', { days: 2 }, { load: toMail }],
    first: mail,
  },
  {
    name: 'three campaigns: the first and the last are kept',
    steps: [
      { load: toFair },
      'grant',
      { load: toMail },
      'grant',
      { load: '/?utm_source=third' },
      'grant',
      { load: '/' },
      'grant',
    ],
    first: fair,
    last: { utm_source: 'third' },
  },
  {
    name: 'two referrers',
    steps: [{ load: '/', from: news }, 'grant', { load: '/', from: 'https://blog.example' }, 'grant'],
    first: fromNews,
    last: { referring_site: 'https://blog.example' },
  },
  { name: '29 days later', steps: [{ load: toFair }, 'grant', { days: 29 }, { load: '/' }, 'grant'], first: fair },
  {
    name: 'the first has expired, the last has not',
    steps: [{ load: toFair }, 'grant', { days: 20 }, { load: toMail }, 'grant', { days: 20 }, { load: '/' }, 'grant'],
    first: mail,
  },
  {
    name: 'consent taken back: the page still knows what it saw',
    steps: [{ load: toFair }, 'grant', 'refuse'],
    first: fair,
  },
  {
    name: 'consent taken back: the next page knows nothing',
    steps: [{ load: toFair }, 'grant', 'refuse', { load: '/' }, 'grant'],
    first: {},
  },
  {
    name: 'consent taken back and given again',
    steps: [{ load: toFair }, 'grant', 'refuse', 'grant', { load: '/' }, 'grant'],
    first: fair,
  },
];

describe('the touch that counts', () => {
  test.each(rows)('$name', ({ steps, first, last = first }) => {
    const { touches } = walk(steps, { asksAnew: true });
    const sent = (rule: 'first' | 'last') => chooseTouch(touches, rule)?.attribution ?? {};
    expect({ first: sent('first'), last: sent('last') }).toEqual({ first, last });
  });

  it('is stored only after a grant', () => {
    for (const { steps } of rows.filter((row) => !row.steps.includes('grant')))
      expect(walk(steps, { asksAnew: true }).stored).toBe('');
  });

  it('is restored unchanged, whatever its values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
          fc.string({ unit: 'binary', maxLength: 600 }),
        ),
        (query) => {
          const visit = { url: `${site}/?${new URLSearchParams(query)}`, referrer: news, at: 1000 };
          const touches = knownTouches('', [visit], 1000);
          const [touch] = touches;
          expect(knownTouches(storedTouches(touches), [], 2000)).toEqual([touch]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is cleaned and within the limit, whatever is stored', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    const hostile = fc.oneof(
      text,
      fc
        .tuple(
          fc.integer({ min: -10, max: 2000 }),
          fc.dictionary(fc.constantFrom(...attributionFields, 'tier', '__proto__'), text),
        )
        .map(([at, query]) => `t:${at}?${new URLSearchParams(query)}`),
    );
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 5 }), (texts) => {
        for (const { at, attribution } of knownTouches(texts.join(' '), [], 1000)) {
          expect(at).toBeLessThanOrEqual(1000);
          for (const [name, value] of Object.entries(attribution)) {
            expect(attributionFields).toContain(name);
            expect(value).toBe(cleanText(value));
          }
          expect(jsonBytes(attribution)).toBeLessThanOrEqual(attributionLimit);
        }
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['no touch', 'hello {"a":1}'],
    ['another format', '[{"first":{"utm_source":"fair"}}]'],
    ['a touch without a time', 't:?utm_source=fair'],
    ['a touch of tomorrow', 't:99999999999999?utm_source=fair'],
    ['a touch from long ago', `t:${1000 - touchLifetime}?utm_source=fair`],
  ])('is nothing where the store holds %s', (_, stored) => {
    expect(chooseTouch(knownTouches(stored, [], 1000), 'first')).toBeUndefined();
  });

  it('never holds an e-mail address from the store', () => {
    expect(knownTouches('t:5?utm_content=ada@example.com&utm_source=mail', [], 1000)).toEqual([
      { at: 5, attribution: { utm_source: 'mail' }, details: {}, rule: 'utm' },
    ]);
  });
});
