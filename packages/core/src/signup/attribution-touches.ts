/** Which of several visits counts. Pure: the caller knows the time, the visits, and whether anything may be stored. */
import { readAttribution, type AttributionOptions, type Visit } from './attribution.ts';
import { parseUrl } from './parse-url.ts';
import type { Attribution } from './submission.ts';

/** A visit, and when it was made, in milliseconds since the epoch. */
export interface TimedVisit extends Visit {
  readonly at: number;
}

/**
 * What one visit said about who brought the visitor. It is whole: no field of it is ever mixed with another visit's.
 */
export interface Touch {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly attribution: Attribution;
}

/** Whether the first or the last visit counts that says where it came from. */
export type TouchRule = 'first' | 'last';

/**
 * How long a stored touch counts, in milliseconds: 30 days. Safari deletes what a script stored after 7 without a
 * visit.
 */
export const touchLifetime = 2_592_000_000;

/**
 * Every touch we know of, oldest first: those that were stored, then the visits of this page.
 *
 * @param stored - what {@link storedTouches} wrote, which anybody may have changed since; empty where the store may not
 *   be read
 */
export function knownTouches(
  stored: string,
  visits: readonly TimedVisit[],
  now: number,
  options?: AttributionOptions,
): readonly Touch[] {
  const kept = stored.split(' ').map(restore);
  const seen = visits.map((visit) => ({ at: visit.at, attribution: readAttribution(visit, options) }));
  return [...kept.filter(({ at }) => now - at < touchLifetime && at <= now), ...seen];
}

/**
 * The touch that counts: the first or the last one with a campaign or a referral code in its address; where no visit
 * had one, the first or the last one from another site. Visits that say nothing never count.
 */
export function chooseTouch(touches: readonly Touch[], rule: TouchRule): Touch | undefined {
  const named = touches.filter(({ attribution: { referring_site: _, ...named } }) => Object.keys(named)[0]);
  const telling = named[0] ? named : touches.filter(({ attribution }) => attribution.referring_site);
  return telling.at(rule === 'last' ? -1 : 0);
}

/** The text to store: the first and the last touch that count, so that either rule can be followed on the next page. */
export function storedTouches(touches: readonly Touch[]): string {
  const texts = (['first', 'last'] as const).map((rule) => {
    const touch = chooseTouch(touches, rule);
    return touch ? `t:${touch.at}?${new URLSearchParams({ ...touch.attribution }).toString()}` : '';
  });
  return [...new Set(texts)].join(' ');
}

/**
 * A touch is stored as an address, so that it is read by the same code, with the same suspicion, as the one of a page.
 */
function restore(url: string): Touch {
  const { pathname = '', searchParams } = parseUrl(url) ?? {};
  return {
    // Of anything but a number nothing is left: no comparison with NaN holds.
    at: parseInt(pathname),
    attribution: readAttribution(
      { url, referrer: searchParams?.get('referring_site') ?? '' },
      { referralParameter: 'referral_code' },
    ),
  };
}
