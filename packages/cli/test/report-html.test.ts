/** The report on sources as a page. Its look in browsers: `report-html.slow.test.ts` in `test/e2e`. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renderSourceReport } from '../src/commands/report/html.ts';
import { cohortOf, largeReport, realisticReport, smallReport } from './report-sample.ts';
import type { SourceReport } from '@newsletter-kit/core/report';

const about = { title: 'The Harbour Letter' };

function withSources(...names: readonly string[]): SourceReport {
  const report = realisticReport();
  return { ...report, cohorts: { ...report.cohorts, source: names.map((name) => cohortOf(name, 50)) } };
}

/** What a reader sees, without the style sheet and the markup. */
function textOf(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,])/g, '$1');
}

describe('the headline', () => {
  it.each([
    ['4,212 people signed up in 26 weeks. 78 % are still there.', realisticReport()],
    ['12 people signed up in 3 weeks. Too few to tell how many stay: that takes 20 people.', smallReport(12)],
    ['1 person signed up in 3 weeks.', smallReport(1)],
    ['Nobody has signed up yet.', smallReport(0)],
    ['4,212 people signed up in 1 week.', { ...realisticReport(), signups: { from: 0, to: 0 } }],
    ['4,212 people signed up in about 5 years.', { ...realisticReport(), signups: { from: 0, to: 1.5e8 } }],
    ['4,212 people signed up. 78 % are still there.', { ...realisticReport(), signups: null }],
  ])('says: %s', (headline, report) => {
    expect(textOf(/<h1>.*<\/h1>/.exec(renderSourceReport(report, about))?.[0] ?? '')).toContain(headline);
  });
});

it('has a figure for each cohort, and its interval as a line', () => {
  const page = renderSourceReport(withSources('fair'), about);
  expect(page).toContain(
    '<tr><th><bdi>fair</bdi><td>80 %<svg role=img aria-label="66 to 94 %"><line x2=80% /><line x1=66% x2=94% /></svg><td>50<td>92 %<td>90 %<td>85 %<td>80 %<td>47 %<td>7 %',
  );
});

describe('what cannot be known', () => {
  const withoutHistory = 'is not known without a history';
  const unreadStatistics = 'are known with --stats';
  it.each([
    ['no history', realisticReport({ hasHistory: false }), [withoutHistory], ['After 7 days', unreadStatistics]],
    ['no statistics', realisticReport({ hasStats: false }), [unreadStatistics], [withoutHistory]],
    ['all of it', realisticReport(), ['421 people after 90 days', '3 subscriptions deleted'], [withoutHistory]],
    [
      'a history that ended',
      { ...realisticReport({ hasHistory: false }), historySince: 1_790_000_000, historyUntil: 1_790_000_000 },
      ['After 7, 30, 90 days: not known, because the history of who left when ends on 21 September 2026.'],
      [withoutHistory],
    ],
    [
      'months, where no week has enough people',
      { ...smallReport(45), months: [cohortOf('2026-03', 45)] },
      ['By month', '2026-03'],
      ['By week'],
    ],
    [
      '12 people',
      smallReport(12),
      ['No month has 20 people or more.', 'too few people', 'No signup has a medium.'],
      [],
    ],
    ['a week that is over', realisticReport(), ['The weeks as a table'], ['The last week is not over.']],
    [
      'a week that is not over',
      { ...realisticReport(), at: realisticReport().at - 11 * 86_400 },
      ['The last week is not over.'],
      [],
    ],
    [
      'invalid addresses',
      { ...realisticReport(), total: { ...realisticReport().total, invalid: 2 } },
      ['Not counted: 2 invalid addresses.'],
      [],
    ],
  ] as const)('says it: %s', (_, report, said, unsaid) => {
    const text = textOf(renderSourceReport(report, about));
    for (const each of said) expect(text).toContain(each);
    for (const each of unsaid) expect(text).not.toContain(each);
  });
});

it.each([
  ['<img src=x onerror=alert(1)>'],
  ['</script></style></table>'],
  ['"><script>alert(1)</script> a long name, which has a title'],
  [`' onfocus='alert(1) autofocus a long name, which has a title`],
  ['&lt;b&gt; &amp;'],
])('shows markup in a name as text: %s', (name) => {
  const page = renderSourceReport(withSources(name), { title: name });
  const tags = [...page.replace(/<style>.*?<\/style>/s, '').matchAll(/<\/?(\w+)/g)].map(([, tag]) => tag);
  expect(tags).not.toContain('img');
  expect(tags).not.toContain('script');
  expect(page.match(/<\/style>/g)).toHaveLength(1);
  // Quotes end no attribute: what is left of a start tag has none outside of its values.
  for (const [tag] of page.matchAll(/<th title="[^"]*"[^>]*>/g)) expect(tag).toMatch(/^<th title="[^"<>']*">$/);
  expect(textOf(page)).toContain(`${name}, sources of its readers`);
});

it('keeps the direction of a name within it', () => {
  expect(renderSourceReport(withSources('\u202Eevil', 'رسالة'), about)).toContain('<bdi>\u202Eevil</bdi>');
});

it('allows its own style sheet and nothing else', () => {
  const page = renderSourceReport(realisticReport(), about);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">`,
  );
  expect(page).not.toMatch(/ style=|<script|<link|url\(|@import|https?:(?!\/\/(www\.)?[a-z.]+\/<)/);
});

it('names the rows that are no value, and folds what follows the largest', () => {
  const text = textOf(renderSourceReport(largeReport(), about));
  for (const row of [
    'No source',
    '800 sources with fewer people',
    '49,000 sources with fewer than 20 people each',
    '190 sources more',
    '90 campaigns more',
    '100 campaigns more: see newsletter report sources --by campaign --format csv.',
  ])
    expect(text).toContain(row);
});

it('stays below 150 kB with 200 values in each dimension', () => {
  expect(Buffer.byteLength(renderSourceReport(largeReport(), about))).toBeLessThan(150_000);
});
