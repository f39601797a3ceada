/** First-touch and last-touch attribution: chooses one of several visits. Pure: the caller stores the touches. */
import { readAttribution, type AttributionOptions, type Visit } from './attribution.ts';
import type { Attribution } from './submission.ts';
import { parseUrl } from './text.ts';

/** A visit and its time, in milliseconds since the epoch. */
export interface TimedVisit extends Visit {
  readonly at: number;
}

/**
 * The attribution of one visit. Fields of two visits are never mixed.
 */
export interface Touch {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly attribution: Attribution;
}

/** Whether the first or the last visit with attribution counts. */
export type TouchRule = 'first' | 'last';

/**
 * Lifetime of a stored touch, in milliseconds: 30 days. Safari deletes script-written storage after 7 days without a
 * visit.
 */
export const touchLifetime = 2_592_000_000;

/**
 * All known touches, oldest first: the stored ones, then the visits of this page.
 *
 * @param stored - the text of {@link storedTouches}; untrusted, since any script on the page can change it; empty where
 *   storage must not be read
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
 * The first or the last touch with UTM parameters or a referral code; where none has any, the first or the last touch
 * from another site. Visits without attribution never count.
 */
export function chooseTouch(touches: readonly Touch[], rule: TouchRule): Touch | undefined {
  const named = touches.filter(({ attribution: { referring_site: _, ...named } }) => Object.keys(named)[0]);
  const candidates = named[0] ? named : touches.filter(({ attribution }) => attribution.referring_site);
  return candidates.at(rule === 'last' ? -1 : 0);
}

/** The text to store: the first and the last touch, so that the next page can apply either rule. */
export function storedTouches(touches: readonly Touch[]): string {
  const texts = (['first', 'last'] as const).map((rule) => {
    const touch = chooseTouch(touches, rule);
    return touch ? `t:${touch.at}?${new URLSearchParams({ ...touch.attribution }).toString()}` : '';
  });
  return [...new Set(texts)].join(' ');
}

/**
 * Parses a stored touch. It is stored in the form of a URL, so that the same code validates it as the URL of a page.
 */
function restore(url: string): Touch {
  const { pathname = '', searchParams } = parseUrl(url) ?? {};
  return {
    // NaN for anything but a number: the comparisons in `knownTouches` are then false, which drops the touch.
    at: parseInt(pathname),
    attribution: readAttribution(
      { url, referrer: searchParams?.get('referring_site') ?? '' },
      { referralParameter: 'referral_code' },
    ),
  };
}
