/**
 * The report on sources: counts subscriptions one after the other by source, medium, campaign, referring site and week,
 * so that its memory grows with the number of different values and not with that of people.
 */
import { secondsOf } from '../facts/moment.ts';
import { getsMail, hasBeenActive, isInvalid } from '../facts/subscriber-status.ts';
import { isRecord } from '../is-record.ts';
import { utmFields } from '../contract/values.ts';
import { hashText } from '../hash.ts';
import { referrerSource, type NamedSource } from '../signup/source-tables.ts';
import { cleanText } from '../signup/submission.ts';
import type { History } from './history.ts';
import { reportDimensions, type Cohort, type ReportDimension, type Share, type SourceReport } from './types.ts';

/** Options of {@link createSourceReport}. */
export interface SourceReportOptions {
  /** When the subscriptions are read, in Unix seconds. */
  readonly at: number;
  /** Who left when. Without it, only who is still there today can be told. */
  readonly history?: History | null | undefined;
  /** Fewest people a figure is shown of. Default 20. */
  readonly minimum?: number | undefined;
  /** Most values of a dimension; the people of all others are summed. Default 200. */
  readonly largest?: number | undefined;
  /** Days after the signup. Default 7, 30 and 90. */
  readonly days?: readonly number[] | undefined;
}

/** A report in the making. */
export interface SourceReportInProgress {
  /** Counts a subscription. Any of its fields may be missing, or of another type. */
  add(subscription: unknown): void;
  /** The report on the subscriptions so far. */
  result(): SourceReport;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is counted of a group, by place; behind it stand `known`, `stayed` and `unknown` for each number of days. */
const place = { signedUp: 0, invalid: 1, confirmed: 2, active: 3, opens: 4, clicks: 6, after: 8 } as const;

const day = 86_400;
const week = 7 * day;
/** 1970-01-05; the epoch began on a Thursday. */
const firstMonday = 4 * day;

/** Age of the end of a history, in seconds, beyond which it is not used: too many leavings may be missing. */
export const historyStaleAfter = 2 * day;

/** Longest name of a value, in characters. */
const longestName = 100;

/**
 * Starts a report on sources.
 *
 * @example
 * ```ts
 * const sources = createSourceReport({ at: Date.now() / 1000 });
 * for await (const subscription of client.subscriptions.list({ limit: 100 })) sources.add(subscription);
 * const { cohorts } = sources.result();
 * ```
 */
export function createSourceReport(options: SourceReportOptions): SourceReportInProgress {
  const { history, at, largest = 200, days = [7, 30, 90] } = options;
  const minimum = Math.max(1, options.minimum ?? 20);
  const usable = history && (history.until ?? 0) >= at - historyStaleAfter ? history : null;
  /** Seconds between which the history tells who was active; none where there is no history. */
  const from = usable?.since ?? Number.POSITIVE_INFINITY;
  const until = usable?.until ?? at;
  const everybody: number[] = [];
  const groups = new Map(
    [...reportDimensions, 'month' as const].map((grouping) => [grouping, new Map<string, number[]>()]),
  );
  const signups = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  const codes = new ReferralCodes();

  function countsOf(subscription: Fields, created: number | undefined): number[] {
    const { status, stats } = subscription;
    const id = String(subscription['id']);
    const hasHistory = history?.has(id) ?? false;
    if (isInvalid(status) && !hasHistory) return [0, 1];
    const isActive = getsMail(status);
    // The API does not tell who is inactive and never was active.
    const isConfirmed = hasHistory || hasBeenActive(status);
    const rates = isRecord(stats) && stats['emails_received'] !== 0 ? stats : {};
    return [
      1,
      0,
      Number(isConfirmed),
      Number(isActive),
      ...rateCounts(rates['open_rate']),
      ...rateCounts(rates['click_through_rate']),
      ...(created === undefined ? [] : days.flatMap((count) => daysCounts(id, isActive, created + count * day))),
    ];
  }

  /** `known`, `stayed` and `unknown` of one person. */
  function daysCounts(id: string, isActive: boolean, time: number): readonly number[] {
    if (time > until) return [0, 0, 0];
    return time < from ? [0, 0, 1] : [1, Number(history?.wasActive(id, isActive, time)), 0];
  }

  function cohort(kind: Cohort['kind'], members: readonly Pick<Value, 'counts'>[], name = ''): Cohort {
    const sums: number[] = [];
    for (const { counts } of members) add(sums, counts);
    const sum = (index: number): number => sums[index] ?? 0;
    const share = (part: number, of: number): Share | null => (of < minimum ? null : wilson(part, of));
    const mean = (index: number): Cohort['opens'] =>
      sum(index) < minimum ? null : { of: sum(index), rate: sum(index + 1) / sum(index) };
    const signedUp = sum(place.signedUp);
    return {
      kind,
      name,
      values: kind === 'all' || kind === 'none' ? 0 : members.length,
      signedUp,
      invalid: sum(place.invalid),
      confirmed: share(sum(place.confirmed), signedUp),
      stillThere: share(sum(place.active), signedUp),
      after: days.map((each, index) => {
        const first = place.after + index * 3;
        return { days: each, stayed: share(sum(first + 1), sum(first)), unknown: sum(first + 2) };
      }),
      opens: mean(place.opens),
      clicks: mean(place.clicks),
    };
  }

  function cohorts(dimension: Grouping): readonly Cohort[] {
    const spellings = groups.get(dimension) ?? new Map<string, number[]>();
    const none = spellings.get('');
    const isReferral = (name: string): boolean => dimension === 'source' && codes.has(name);
    const values = withoutSpellings(spellings, isReferral);
    const size = ({ counts }: Value): number => counts[place.signedUp] ?? 0;
    const small = values.filter((value) => size(value) < minimum);
    const byName = (one: Value, other: Value): number => (one.name < other.name ? -1 : 1);
    const isTime = dimension === 'week' || dimension === 'month';
    const shown = values
      .filter((value) => size(value) >= minimum)
      .toSorted((one, other) => (isTime ? -byName(one, other) : size(other) - size(one) || byName(one, other)));
    const rest = shown.splice(largest);
    const summed = (kind: Cohort['kind'], of: readonly Value[]): readonly Cohort[] =>
      of.length === 0 ? [] : [cohort(kind, of)];
    return [
      ...(isTime ? shown.toReversed() : shown).map((value) => cohort('value', [value], value.name)),
      ...summed('rest', rest),
      ...summed('small', small),
      ...(none ? [cohort('none', [{ counts: none }])] : []),
    ];
  }

  return {
    add(subscription) {
      if (!isRecord(subscription)) return;
      const created = secondsOf(subscription['created']);
      const counts = countsOf(subscription, created);
      if (created !== undefined && counts[place.signedUp] === 1) {
        signups.from = Math.min(signups.from, created);
        signups.to = Math.max(signups.to, created);
      }
      add(everybody, counts);
      codes.add(textOf(subscription['referral_code']));
      for (const [dimension, values] of groups) {
        const name = nameOf[dimension](subscription, created);
        const group = values.get(name);
        if (group) add(group, counts);
        else values.set(name, [...counts]);
      }
    },
    result: () => ({
      at,
      signups: Number.isFinite(signups.to) ? { ...signups } : null,
      historySince: history?.since ?? null,
      historyUntil: history?.until ?? null,
      removed: history?.since === null ? null : (history?.removed ?? null),
      minimum,
      total: cohort('all', [{ counts: everybody }]),
      cohorts: Object.fromEntries(reportDimensions.map((each) => [each, cohorts(each)])) as SourceReport['cohorts'],
      months: cohorts('month'),
    }),
  };
}

type Grouping = ReportDimension | 'month';

/** The name of a subscription's value in each dimension; empty where it has none. */
const nameOf: Readonly<Record<Grouping, (subscription: Fields, created: number | undefined) => string>> = {
  source: (subscription) => textOf(subscription['utm_source']) || (byReferrer(subscription)?.utm_source ?? ''),
  medium: (subscription) => textOf(subscription['utm_medium']) || (byReferrer(subscription)?.utm_medium ?? ''),
  campaign: ({ utm_campaign: value }) => textOf(value),
  referring_site: ({ referring_site: value }) => hostOf(textOf(value)),
  week: (_subscription, created) => (created === undefined ? '' : weekOf(created)),
  month: (_subscription, created) => (created === undefined ? '' : new Date(created * 1000).toISOString().slice(0, 7)),
};

/**
 * The source of a subscription as the report names it; without one, the host of its referring site, else an empty text.
 */
export function sourceOf(subscription: Fields): string {
  return nameOf.source(subscription, undefined) || nameOf.referring_site(subscription, undefined);
}

/** The source of a known referring site, where the subscription has no UTM parameter. */
function byReferrer(subscription: Fields): NamedSource | undefined {
  if (utmFields.some((name) => textOf(subscription[name]))) return undefined;
  return referrerSource(textOf(subscription['referring_site']));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? cleanText(String(value), longestName) : '';
}

/** The host of an address without `www.`, also where the scheme is missing; any other text as it came. */
function hostOf(text: string): string {
  const [, host = text] =
    /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:\s]+)(?:[/?#:]|$)/i.exec(text) ?? [];
  return host.toLowerCase();
}

/** The Monday of a week, `YYYY-MM-DD`. */
function weekOf(created: number): string {
  const monday = Math.floor((created - firstMonday) / week) * week + firstMonday;
  return new Date(monday * 1000).toISOString().slice(0, 10);
}

/** A value of a dimension and its people. */
interface Value {
  readonly name: string;
  readonly counts: readonly number[];
}

/**
 * The values by name. Names that differ in their case alone are one, in the spelling of most people.
 *
 * @param isReferral - whether a name is a code of a subscriber, whose readers are counted as `referral`
 */
function withoutSpellings(
  spellings: ReadonlyMap<string, readonly number[]>,
  isReferral: (name: string) => boolean,
): readonly Value[] {
  const values = new Map<string, { name: string; most: number; readonly counts: number[] }>();
  for (const [spelling, counts] of spellings) {
    if (spelling === '') continue;
    const name = isReferral(spelling) ? 'referral' : spelling;
    const key = name.toLowerCase();
    const people = counts[place.signedUp] ?? 0;
    const value = values.get(key);
    if (value === undefined) {
      values.set(key, { name, most: people, counts: [...counts] });
      continue;
    }
    add(value.counts, counts);
    if (people > value.most || (people === value.most && name < value.name))
      Object.assign(value, { name, most: people });
  }
  return [...values.values()];
}

/**
 * The referral codes of all subscriptions, in four megabytes however many there are (a Bloom filter): of a million
 * codes, one in 6,000 texts that are none counts as a code.
 */
class ReferralCodes {
  readonly #bits = new Uint8Array(2 ** 22);

  add(code: string): void {
    for (const place of code ? this.#placesOf(code) : [])
      this.#bits[place >>> 3] = (this.#bits[place >>> 3] ?? 0) | (1 << (place & 7));
  }

  has(text: string): boolean {
    return this.#placesOf(text).every((place) => ((this.#bits[place >>> 3] ?? 0) >> (place & 7)) & 1);
  }

  /** Four bits for each text. */
  #placesOf(text: string): readonly number[] {
    return hashText(text, [1, 2, 3, 4]).map((word) => (word >>> 0) % (8 * this.#bits.length));
  }
}

/** How many people have a rate, and its sum. The API gives percents. */
function rateCounts(percent: unknown): readonly [number, number] {
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? [1, percent / 100] : [0, 0];
}

function add(sums: number[], counts: readonly number[]): void {
  for (let index = 0; index < counts.length; index++) sums[index] = (sums[index] ?? 0) + (counts[index] ?? 0);
}

/** The 95 % interval of a share by Wilson's score, which also holds for few people and near 0 and 1. */
function wilson(part: number, of: number): Share {
  const z = 1.959_964;
  const share = part / of;
  const spread = (z * z) / of;
  const middle = share + spread / 2;
  const reach = z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of));
  const bounded = (bound: number): number => Math.min(1, Math.max(0, bound / (1 + spread)));
  return { of, share, low: bounded(middle - reach), high: bounded(middle + reach) };
}
