/** Reports on sources made up for tests of the page. */
import type { Cohort, ReportDimension, Share, SourceReport } from '@newsletter-kit/core/report';
import { seeded } from '../../../test/support/seeded.ts';

/** 30 November 2026, a Monday. */
const at = 1_796_000_400;

/** A share with an interval of about 95 %. */
function shareOf(part: number, of: number): Share {
  const share = part / of;
  const reach = 1 / Math.sqrt(of);
  return { of, share, low: Math.max(0, share - reach), high: Math.min(1, share + reach) };
}

export interface CohortOptions {
  readonly kind?: Cohort['kind'];
  readonly values?: number;
  readonly stay?: number;
  readonly minimum?: number;
  readonly hasHistory?: boolean;
  readonly hasStats?: boolean;
}

/** A cohort of which `stay` are still there. */
export function cohortOf(
  name: string,
  signedUp: number,
  { kind = 'value', values = 1, stay = 0.8, minimum = 20, hasHistory = true, hasStats = true }: CohortOptions = {},
): Cohort {
  const known = (rate: number, of = signedUp): Share | null =>
    signedUp < minimum || of < minimum ? null : shareOf(Math.round(of * rate), of);
  const days = (count: number, rate: number, part: number) => ({
    days: count,
    stayed: hasHistory ? known(rate, Math.round(signedUp * part)) : null,
    unknown: count === 90 && hasHistory && signedUp >= minimum ? Math.round(signedUp * 0.1) : 0,
  });
  const mean = (rate: number) => (hasStats && signedUp >= minimum ? { of: Math.round(signedUp * 0.9), rate } : null);
  return {
    kind,
    name,
    values,
    signedUp,
    invalid: 0,
    confirmed: known(Math.min(1, stay + 0.12)),
    stillThere: known(stay),
    after: [days(7, Math.min(1, stay + 0.1), 0.95), days(30, Math.min(1, stay + 0.04), 0.8), days(90, stay, 0.5)],
    opens: mean(0.2 + stay / 3),
    clicks: mean(stay / 12),
  };
}

const names: Readonly<Record<Exclude<ReportDimension, 'week'>, readonly string[]>> = {
  source: [
    'google',
    'harbour-letter',
    'linkedin',
    'reddit',
    'podcast-deep-water',
    'facebook',
    'رسالة-الميناء',
    'hackernews',
    'chatgpt.com',
    'partner-swap-with-a-rather-long-name-2026-spring',
    'bsky.app',
    'fair-hamburg',
    'x.com',
    'youtube',
    'qr-code',
  ],
  medium: ['email', 'cpc', 'social', 'organic', 'referral', 'podcast'],
  campaign: ['spring-2026', 'launch', 'webinar-march', 'lead-magnet', 'swap'],
  referring_site: [
    'https://www.google.com/',
    'https://news.ycombinator.com/',
    'https://www.linkedin.com/',
    'https://t.co/',
  ],
};

/** A newsletter of some months, with a few dozen sources. */
export function realisticReport(options: Pick<CohortOptions, 'hasHistory' | 'hasStats'> = {}): SourceReport {
  const random = seeded(7);
  const many = (values: readonly string[], people: number): readonly Cohort[] => [
    ...values
      .map((name, index) =>
        cohortOf(name, Math.round((people / (index + 2)) * (0.7 + 0.6 * random())), {
          ...options,
          stay: 0.4 + 0.55 * random(),
        }),
      )
      .toSorted((a, b) => b.signedUp - a.signedUp),
    cohortOf('', 87, { ...options, kind: 'small', values: 14, stay: 0.7 }),
    cohortOf('', Math.round(people / 5), { ...options, kind: 'none', stay: 0.83 }),
  ];
  return {
    at,
    signups: { from: at - 26 * 604_800 + 90_000, to: at - 3600 },
    historySince: options.hasHistory === false ? null : at - 20 * 604_800,
    historyUntil: options.hasHistory === false ? null : at - 3600,
    removed: options.hasHistory === false ? null : 3,
    minimum: 20,
    total: cohortOf('', 4212, { ...options, kind: 'all', stay: 0.78 }),
    cohorts: {
      source: many(names.source, 1400),
      medium: many(names.medium, 1800),
      campaign: many(names.campaign, 900),
      referring_site: [cohortOf('', 4212, { ...options, kind: 'none', stay: 0.78 })],
      week: weeksOf(26, 160, random, options),
    },
    months: [],
  };
}

function weeksOf(count: number, size: number, random: () => number, options: CohortOptions): readonly Cohort[] {
  return Array.from({ length: count }, (_, index) => {
    const monday = new Date((at - (count - index) * 604_800) * 1000);
    return cohortOf(monday.toISOString().slice(0, 10), Math.round(size * (0.5 + random() + (index === 9 ? 1.2 : 0))), {
      ...options,
      stay: 0.65 + 0.2 * random() + (index / count) * 0.1,
    });
  });
}

/** The largest report: 200 values in each dimension, and more of them summed. */
export function largeReport(): SourceReport {
  const random = seeded(7);
  const values = (name: string): readonly Cohort[] => [
    ...Array.from({ length: 200 }, (_, index) =>
      cohortOf(
        `${name}-${index}-${Math.round(random() * 1e6)}`.padEnd(40, '-partner'),
        Math.round(200_000 / (index + 2)),
        { stay: random() },
      ),
    ),
    cohortOf('', 80_000, { kind: 'rest', values: 800 }),
    cohortOf('', 70_000, { kind: 'small', values: 49_000 }),
    cohortOf('', 60_000, { kind: 'none' }),
  ];
  return {
    ...realisticReport(),
    total: cohortOf('', 1_000_000),
    cohorts: {
      source: values('source'),
      medium: values('medium'),
      campaign: values('campaign'),
      referring_site: values('www.site'),
      week: weeksOf(200, 5000, random, {}),
    },
    months: [],
  };
}

/** A publication with this many people, of which nothing else is known. */
export function smallReport(people: number): SourceReport {
  const cohorts = [cohortOf('', people, { kind: 'none' })];
  const small = [cohortOf('', people, { kind: 'small', values: 3 })];
  return {
    ...realisticReport({ hasHistory: false, hasStats: false }),
    signups: people === 0 ? null : { from: at - 3 * 604_800, to: at - 3600 },
    total: cohortOf('', people),
    cohorts:
      people === 0
        ? { source: [], medium: [], campaign: [], referring_site: [], week: [] }
        : { source: cohorts, medium: cohorts, campaign: small, referring_site: cohorts, week: small },
    months: people === 0 ? [] : small,
  };
}
