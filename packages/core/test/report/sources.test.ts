import { createHistory, createSourceReport, type Cohort, type SourceReportOptions } from '@newsletter-kit/core/report';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const day = 86_400;
/** Monday, 2 March 2026, 00:00 UTC. */
const monday = Date.UTC(2026, 2, 2) / 1000;
const at = monday + 100 * day;

type Subscription = Readonly<Record<string, unknown>>;

let number = 0;
const person = (fields: Subscription = {}): Subscription => ({
  id: `sub_${number++}`,
  status: 'active',
  created: monday,
  ...fields,
});
const people = (count: number, fields: Subscription = {}): Subscription[] =>
  Array.from({ length: count }, () => person(fields));

function report(subscriptions: readonly unknown[], options: Partial<SourceReportOptions> = {}) {
  const sources = createSourceReport({ at, minimum: 1, ...options });
  for (const each of subscriptions) sources.add(each);
  return sources.result();
}

const brief = ({ kind, name, values, signedUp }: Cohort) => [kind, name, values, signedUp];
const shareOf = (share: Cohort['confirmed']) => share && [share.share * share.of, share.of];

/** A history from `since` to `until`, in days after the first Monday. */
function historyOf(since: number, until: number, lines: readonly object[] = []) {
  const history = createHistory({ of: 'here' });
  const time = (days: number) => new Date((monday + days * day) * 1000).toISOString();
  history.read(JSON.stringify({ history: 1, of: 'here', since: time(since) }));
  for (const line of lines) history.read(JSON.stringify(line));
  history.read(JSON.stringify({ until: time(until) }));
  return { history, time };
}

describe('who counts', () => {
  it.each([
    ['active', 1, 1, 1, 0],
    ['inactive', 1, 1, 0, 0],
    ['paused', 1, 1, 0, 0],
    ['pending', 1, 0, 0, 0],
    ['validating', 1, 0, 0, 0],
    ['needs_attention', 1, 0, 0, 0],
    ['a status of tomorrow', 1, 1, 0, 0],
    [undefined, 1, 0, 0, 0],
    ['invalid', 0, 0, 0, 1],
  ])('%s', (status, signedUp, confirmed, active, invalid) => {
    const { total } = report([person({ status }), person()]);
    expect(total).toMatchObject({ signedUp: signedUp + 1, invalid });
    expect([total.confirmed, total.stillThere].map(shareOf)).toEqual([
      [confirmed + 1, signedUp + 1],
      [active + 1, signedUp + 1],
    ]);
  });

  it('counts an invalid address that was active before', () => {
    const gone = person({ status: 'invalid' });
    const { history, time } = historyOf(0, 100, [{ id: gone['id'], left: '2026-03-20T00:00:00.000Z' }]);
    expect(time(0)).toBe('2026-03-02T00:00:00.000Z');
    expect(report([gone], { history }).total).toMatchObject({ signedUp: 1, invalid: 0, confirmed: { share: 1 } });
  });
});

describe('values', () => {
  it('trims them and folds their case into the spelling of most people', () => {
    const { cohorts } = report([
      ...people(2, { utm_source: ' Spring Fair\u200B' }),
      ...people(3, { utm_source: 'spring fair' }),
      person({ utm_source: 'SPRING FAIR' }),
      ...people(2, { utm_source: 'blog' }),
      ...people(2, { utm_source: 'Blog' }),
      person({ utm_source: '  ' }),
      person({ utm_source: null }),
      person(),
    ]);
    expect(cohorts.source.map(brief)).toEqual([
      ['value', 'spring fair', 1, 6],
      ['value', 'Blog', 1, 4],
      ['none', '', 0, 3],
    ]);
  });

  it('keeps the first in the alphabet of two spellings with as many people', () => {
    const names = ['Fair', 'fair', 'blog', 'Blog'].map((utm_source) => person({ utm_source }));
    expect(report(names).cohorts.source.map(({ name }) => name)).toEqual(['Blog', 'Fair']);
  });

  it('sorts them by their people, then by name', () => {
    const sizes = { z: 1, b: 2, c: 2, a: 2, m: 3 };
    const { source } = report(
      Object.entries(sizes).flatMap(([utm_source, size]) => people(size, { utm_source })),
    ).cohorts;
    expect(source.map(({ name }) => name)).toEqual(['m', 'a', 'b', 'c', 'z']);
  });

  it('counts them by medium and by campaign', () => {
    const { medium, campaign } = report([person({ utm_medium: 'cpc', utm_campaign: 'spring' })]).cohorts;
    expect([medium, campaign].map(([first]) => first?.name)).toEqual(['cpc', 'spring']);
  });

  it('names source and medium by the referring site, where there is no UTM parameter', () => {
    const { source, medium } = report([
      person({ referring_site: 'https://www.google.com' }),
      person({ referring_site: 'android-app://com.linkedin.android' }),
      person({ referring_site: 'https://t.co', utm_campaign: 'spring' }),
      person({ referring_site: 'https://blog.example' }),
    ]).cohorts;
    expect(source.map(brief)).toEqual([
      ['value', 'google', 1, 1],
      ['value', 'linkedin', 1, 1],
      ['none', '', 0, 2],
    ]);
    expect(medium.map(brief)).toEqual([
      ['value', 'organic', 1, 1],
      ['value', 'social', 1, 1],
      ['none', '', 0, 2],
    ]);
  });

  it.each(['first', 'last'])(
    'counts sources that are codes of subscribers as referral, whose owner is read %s',
    (order) => {
      const owners = ['gBZbSVal1X', 'h3Kd0aPq2Z'].map((referral_code) => person({ referral_code, utm_source: 'blog' }));
      const readers = ['gBZbSVal1X', 'h3Kd0aPq2Z', 'gBZbSVal1X', 'TechCrunch'].map((utm_source) =>
        person({ utm_source }),
      );
      const { source } = report(order === 'first' ? [...owners, ...readers] : [...readers, ...owners]).cohorts;
      expect(source.map(brief)).toEqual([
        ['value', 'referral', 1, 3],
        ['value', 'blog', 1, 2],
        ['value', 'TechCrunch', 1, 1],
      ]);
    },
  );

  it('takes hardly a name for a code, of a hundred thousand codes', () => {
    const texts = fc.sample(fc.stringMatching(/^[A-Za-z\d]{10}$/), { numRuns: 110_000, seed: 31 });
    const [names, codes] = [texts.slice(0, 10_000), texts.slice(10_000)];
    const { source } = report(
      [
        ...codes.map((referral_code) => person({ referral_code })),
        ...names.map((utm_source) => person({ utm_source })),
      ],
      { largest: 20_000 },
    ).cohorts;
    const known = new Set(codes);
    const expected = names.filter((name) => known.has(name)).length;
    const found = source.find(({ name }) => name === 'referral')?.signedUp ?? 0;
    expect(found - expected).toBeLessThan(2);
  });

  it.each([
    ['https://www.Blog.example/post?utm=1', 'blog.example'],
    ['http://blog.example:8080', 'blog.example'],
    ['//blog.example/a', 'blog.example'],
    ['blog.example/a', 'blog.example'],
    ['https://someone:secret@blog.example/', 'blog.example'],
    ['android-app://com.example.mail/', 'com.example.mail'],
    ['https://münchen.example', 'münchen.example'],
    ['Some words', 'some words'],
    ['https://', 'https'],
  ])('takes the host of the referring site %s', (referring_site, host) => {
    expect(report([person({ referring_site })]).cohorts.referring_site.map(({ name }) => name)).toEqual([host]);
  });

  it.each([
    [0, '2026-03-02'],
    [7 * day - 1, '2026-03-02'],
    [7 * day, '2026-03-09'],
    [-1, '2026-02-23'],
  ])('begins a week on Monday, 00:00 UTC (%d)', (seconds, week) => {
    expect(report([person({ created: monday + seconds })]).cohorts.week.map(({ name }) => name)).toEqual([week]);
  });

  it('sums small values, and values after the largest ones', () => {
    const { cohorts } = report(
      [
        ...people(9, { utm_source: 'a' }),
        ...people(8, { utm_source: 'b' }),
        ...people(7, { utm_source: 'c' }),
        ...people(6, { utm_source: 'd' }),
        ...people(2, { utm_source: 'e' }),
        ...people(1, { utm_source: 'f' }),
      ],
      { minimum: 5, largest: 2 },
    );
    expect(cohorts.source.map(brief)).toEqual([
      ['value', 'a', 1, 9],
      ['value', 'b', 1, 8],
      ['rest', '', 2, 13],
      ['small', '', 2, 3],
    ]);
    expect(cohorts.source.at(-1)).toMatchObject({ confirmed: null, stillThere: null, opens: null });
    expect(cohorts.source.at(-2)?.stillThere?.of).toBe(13);
  });

  it('has months, which may have enough people where no week has', () => {
    const weekly = [0, 1, 2, 3].flatMap((index) => people(8, { created: monday + index * 7 * day }));
    const { cohorts, months } = report([...weekly, ...people(3, { created: monday + 40 * day })], { minimum: 20 });
    expect(cohorts.week.map(brief)).toEqual([['small', '', 5, 35]]);
    expect(months.map(brief)).toEqual([
      ['value', '2026-03', 1, 32],
      ['small', '', 1, 3],
    ]);
  });

  it('keeps weeks in order, and sums those before the newest', () => {
    const weeks = [3, 1, 4, 2].flatMap((index) => people(index, { created: monday + (4 - index) * 7 * day }));
    expect(report(weeks, { largest: 2 }).cohorts.week.map(brief)).toEqual([
      ['value', '2026-03-16', 1, 2],
      ['value', '2026-03-23', 1, 1],
      ['rest', '', 2, 7],
    ]);
  });

  it('sums the tail of 50,000 campaigns', () => {
    const sources = createSourceReport({ at });
    for (let index = 0; index < 60_000; index++)
      sources.add(person({ utm_campaign: index < 10_000 ? `large ${index % 400}` : `campaign ${index % 50_000}` }));
    const { campaign } = sources.result().cohorts;
    expect(campaign).toHaveLength(202);
    expect(campaign.slice(-2).map(brief)).toEqual([
      ['rest', '', 200, 5000],
      ['small', '', 50_000, 50_000],
    ]);
  });

  it('keeps HTML as text and cuts long names', () => {
    const html = '<img src=x onerror="alert(1)">';
    const { cohorts } = report([
      ...people(2, { utm_source: html }),
      person({ utm_source: `\u202E${'ж'.repeat(10_000)}\r\n` }),
    ]);
    expect(cohorts.source.map(({ name }) => name)).toEqual([html, 'ж'.repeat(100)]);
  });
});

describe('bad input', () => {
  it('reads everything without an error', () => {
    const odd: unknown[] = [undefined, null, 7, 'text', [], {}, { id: 1, status: 2, created: 'yesterday', stats: 4 }];
    odd.push({ created: '2026-03-02T00:00:00Z', utm_source: { a: 1 }, utm_medium: ['x'], referring_site: 5 });
    odd.push({ created: 1e300, utm_source: 2026, stats: { open_rate: Number.NaN, click_through_rate: '12' } });
    const { total, cohorts, signups } = report(odd);
    expect(total).toMatchObject({ signedUp: 4, opens: null, clicks: null });
    expect(cohorts.source.map(brief)).toEqual([
      ['value', '2026', 1, 1],
      ['none', '', 0, 3],
    ]);
    expect(signups).toEqual({ from: monday, to: monday });
    expect(cohorts.week.map(brief)).toEqual([
      ['value', '2026-03-02', 1, 1],
      ['none', '', 0, 3],
    ]);
    expect(total.after.map(({ stayed, unknown }) => [stayed, unknown])).toEqual([7, 30, 90].map(() => [null, 1]));
  });

  it('reports a publication without subscriptions, one without UTM and one with 12 people', () => {
    const empty = report([], { minimum: 20 });
    expect(empty).toMatchObject({ signups: null, total: { signedUp: 0, stillThere: null } });
    expect(brief(empty.total)).toEqual(['all', '', 0, 0]);
    expect(empty.cohorts.source).toEqual([]);
    const { source, week } = report(people(30), { minimum: 20 }).cohorts;
    expect([source, week].map((cohorts) => cohorts.map(brief))).toEqual([
      [['none', '', 0, 30]],
      [['value', '2026-03-02', 1, 30]],
    ]);
    const few = report(people(12, { utm_source: 'fair' }), { minimum: 20 });
    expect(few.cohorts.source.map(brief)).toEqual([['small', '', 1, 12]]);
    expect(few.total).toMatchObject({ signedUp: 12, stillThere: null, confirmed: null });
  });

  it('counts no invalid address as the first or the last signup', () => {
    const invalid = [-90, 90].map((days) => person({ status: 'invalid', created: monday + days * day }));
    expect(report([...invalid, person()]).signups).toEqual({ from: monday, to: monday });
  });

  it('reads signups after the time of the report, as of a clock that was set back', () => {
    const { history } = historyOf(0, 100);
    const later = person({ created: at + 50 * day });
    const { total, signups } = report([later, person()], { history });
    expect(total.after.map(({ stayed }) => shareOf(stayed))).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(signups?.to).toBe(at + 50 * day);
  });
});

describe('after days', () => {
  it('knows nothing without a history', () => {
    const { total, historySince, removed } = report([person(), person({ status: 'inactive' })]);
    expect(total.after).toEqual([7, 30, 90].map((days) => ({ days, stayed: null, unknown: 2 })));
    expect([historySince, removed]).toEqual([null, null]);
  });

  it.each([
    ['never left', 'active', [], [1, 1, 1]],
    ['left before the history began', 'inactive', [], [0, 0, 0]],
    ['left on the 7th day', 'inactive', [{ left: 7 }], [1, 0, 0]],
    ['left on the 10th day', 'inactive', [{ left: 10 }], [1, 0, 0]],
    ['left and came back', 'active', [{ left: 10 }, { returned: 40 }], [1, 0, 1]],
    ['had left before and came back', 'active', [{ returned: 40 }], [0, 0, 1]],
    ['left twice', 'inactive', [{ left: 5 }, { returned: 20 }, { left: 60 }], [0, 1, 0]],
    [
      'left twice, the second told twice',
      'inactive',
      [{ left: 5 }, { returned: 20 }, { left: 60 }, { left: 95 }],
      [0, 1, 0],
    ],
    ['left, which is told twice', 'inactive', [{ left: 40 }, { left: 40 }, { left: 95 }], [1, 1, 0]],
    ['left after the history ended', 'active', [{ left: 50 }], [1, 1, 0]],
  ])('%s', (_what, status, changes, stayed) => {
    const one = person({ status });
    const lines = changes.map((change) =>
      Object.fromEntries([
        ['id', one['id']],
        ...Object.entries(change).map(([name, days]) => [name, historyOf(0, 0).time(Number(days))]),
      ]),
    );
    const { history } = historyOf(0, 100, lines);
    expect(report([one], { history }).total.after.map((each) => each.stayed?.share)).toEqual(stayed);
  });

  it('is about those whose day lies in the history, whether they stayed or not', () => {
    const { history } = historyOf(20, 99.5);
    const { total } = report(
      [
        person({ created: monday }),
        person({ created: monday, status: 'inactive' }),
        person({ created: monday + 15 * day, status: 'inactive' }),
        person({ created: monday + 80 * day }),
        person({ created: monday + 99 * day }),
      ],
      { history },
    );
    expect(total.after.map(({ stayed, unknown }) => [shareOf(stayed), unknown])).toEqual([
      [[1, 2], 2],
      [[1, 3], 0],
      [[1, 2], 0],
    ]);
  });

  it('is known from the second in which the history begins to the one in which it ends, in any order of days', () => {
    const { history } = historyOf(7, 90);
    const { after } = report([person(), person({ created: monday + day })], {
      at: monday + 90 * day,
      history,
      days: [90, 7],
    }).total;
    expect(after.map(({ stayed, unknown }) => [shareOf(stayed), unknown])).toEqual([
      [[1, 1], 0],
      [[2, 2], 0],
    ]);
  });

  it('knows nothing from a history that ended more than two days ago', () => {
    expect(report([person()], { history: historyOf(0, 98).history }).total.after[0]?.stayed?.share).toBe(1);
    const { history } = historyOf(0, 97);
    expect(report([person()], { history })).toMatchObject({
      historyUntil: monday + 97 * day,
      total: { after: [{ stayed: null, unknown: 1 }, { unknown: 1 }, { unknown: 1 }] },
    });
  });

  it('tells how many were deleted', () => {
    const gone = { removed: '2026-03-09T00:00:00.000Z', created: monday, hash: 4 };
    const { history } = historyOf(0, 100, [gone, gone, { ...gone, hash: 5 }]);
    expect(report([], { history }).removed).toBe(2);
    expect(report([], { history: createHistory({ of: 'here' }) }).removed).toBeNull();
  });
});

describe('figures', () => {
  it.each([
    // R: prop.test(x, n, correct = FALSE)$conf.int
    [0, 20, 0, 0.1611],
    [20, 20, 0.8389, 1],
    [10, 20, 0.2993, 0.7007],
    [81, 263, 0.2553, 0.3662],
  ])('gives the interval of %d of %d', (part, of, low, high) => {
    const { stillThere } = report([...people(part), ...people(of - part, { status: 'inactive' })]).total;
    expect(stillThere?.low).toBeCloseTo(low, 4);
    expect(stillThere?.high).toBeCloseTo(high, 4);
  });

  it('averages the rates of those who received mail', () => {
    const stats = (emails_received: unknown, open_rate: unknown, click_through_rate: unknown) =>
      person({ stats: { emails_received, open_rate, click_through_rate } });
    const { total } = report([
      stats(4, 50, 25),
      stats(2, 100, 'many'),
      stats(0, 0, 0),
      stats(1, 130, -1),
      stats(9, 0, null),
      person(),
    ]);
    expect([total.opens, total.clicks]).toEqual([
      { of: 3, rate: 0.5 },
      { of: 1, rate: 0.25 },
    ]);
  });
});
