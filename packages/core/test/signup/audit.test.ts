/** What a page sends for the audit of a signup: its own address, and the touches. */
import { describe, expect, it } from 'vitest';
import { auditTouches, knownTouches, pageAddress, type TouchRule } from '../../src/signup/index.ts';

describe('pageAddress', () => {
  it.each([
    ['https://www.example.com/join?utm_source=fair#top', 'https://www.example.com/join'],
    ['http://127.0.0.1:4000/', 'http://127.0.0.1:4000/'],
    ['https://ada:secret@www.example.com/join', 'https://www.example.com/join'],
    ['https://www.example.com/unsubscribe/ada@example.com', 'https://www.example.com/unsubscribe'],
    ['https://www.example.com/u/ada%40example.com/edit', 'https://www.example.com/u//edit'],
    ['https://www.example.com/@ada/letter', 'https://www.example.com/@ada/letter'],
    ['https://www.example.com/%E6%89%8B%E7%B4%99', 'https://www.example.com/%E6%89%8B%E7%B4%99'],
    ['about:srcdoc', undefined],
    ['file:///home/ada/page.html', undefined],
    ['nonsense', undefined],
    ['', undefined],
  ])('%s is %s', (url, page) => {
    expect(pageAddress(url)).toBe(page);
    expect(pageAddress(page ?? '')).toBe(page);
  });

  it('is shortened to 2000 signs', () => {
    expect(pageAddress(`https://www.example.com/${'x'.repeat(10_000)}`)).toHaveLength(2000);
  });
});

describe('auditTouches', () => {
  const day = 86_400_000;
  const at = Date.UTC(2026, 0, 5);
  const fair = { url: 'https://www.example.com/?utm_source=fair', referrer: '', at };
  const search = { url: 'https://www.example.com/', referrer: 'https://search.example/', at: at + day };
  const blog = { url: 'https://www.example.com/?utm_source=blog', referrer: '', at: at + 2 * day };
  const audited = (rule: TouchRule, ...visits: (typeof fair)[]): unknown =>
    auditTouches(knownTouches('', visits, at + 3 * day), rule);

  it('names the rule of the only touch', () => {
    expect(audited('first', fair)).toEqual({ touch_rule: 'utm' });
    expect(audited('last', search)).toEqual({ touch_rule: 'referrer' });
  });

  it('has both touches, and which of them was chosen', () => {
    const both = {
      first_touch: { at: '2026-01-05T00:00:00.000Z', rule: 'utm', utm_source: 'fair' },
      last_touch: { at: '2026-01-07T00:00:00.000Z', rule: 'utm', utm_source: 'blog' },
    };
    expect(audited('first', fair, search, blog)).toEqual({ touch_rule: 'utm', touch: 'first', ...both });
    expect(audited('last', fair, search, blog)).toEqual({ touch_rule: 'utm', touch: 'last', ...both });
  });

  it('is empty without a touch', () => {
    expect(audited('first', { ...search, referrer: '' })).toEqual({});
  });

  it('shortens the values of both touches', () => {
    const long = { ...fair, url: `${fair.url}&utm_campaign=${'x'.repeat(10_000)}&utm_term=${'語'.repeat(10_000)}` };
    expect(JSON.stringify(audited('first', long, blog)).length).toBeLessThan(1500);
  });
});
