/**
 * Attribution: reads UTM parameters, referral code and referring site from the URL and the referrer of a visit, and
 * chooses the first or the last touch of several visits. Pure: the caller stores the touches.
 */
import { isAddress } from './address.ts';
import { attributionFields, type Attribution, cleanText, parseUrl, textLimit, toJson } from './submission.ts';

/** One of the seven names in {@link Attribution}. */
export type AttributionField = (typeof attributionFields)[number];

/** The URL and the referrer of a page visit. In a browser: `location.href` and `document.referrer`, taken at load. */
export interface Visit {
  readonly url: string;
  readonly referrer: string;
}

/** Options of {@link readAttribution}. */
export interface AttributionOptions {
  /** Values set by the site's owner; each one overrides the field read from the URL. Empty values are ignored. */
  readonly overrides?: Readonly<Partial<Record<AttributionField, string | null>>> | undefined;
  /** Query parameter with the referral code. Default `ref`. */
  readonly referralParameter?: string | undefined;
}

/**
 * Maximum size of an attribution as JSON, in bytes. Leaves a quarter of the 8192-byte body to the e-mail address and
 * the custom fields.
 */
export const attributionLimit = 6400;

const referralCode = /^[\w-]{1,64}$/;

/**
 * Reads the attribution of a visit: the UTM parameters and the referral code from the URL, the referring site from the
 * referrer, overridden by the owner's values. A referrer never becomes a `utm_source`. The first value of a repeated
 * parameter counts. A UTM value that is an e-mail address is dropped, because a forwarded link may carry another
 * person's address.
 *
 * @returns only the fields with a value, cleaned, at most {@link attributionLimit} bytes as JSON
 * @example
 * readAttribution({ url: 'https://site.example/?utm_source=fair&ref=Zq4', referrer: 'https://news.example/post/1' })
 * // → { utm_source: 'fair', referring_site: 'https://news.example', referral_code: 'Zq4' }
 */
export function readAttribution(
  visit: Visit,
  { overrides, referralParameter = 'ref' }: AttributionOptions = {},
): Attribution {
  const query = parseUrl(visit.url)?.searchParams;
  const found = collect((name) => {
    if (name === 'referring_site') return referringSite(visit);
    if (name === 'referral_code') return referralCode.exec(query?.get(referralParameter) ?? '')?.[0] ?? '';
    const value = cleanText(query?.get(name) ?? '');
    return isAddress(value) ? '' : value;
  });
  return applyOverrides(found, overrides);
}

/** Overrides an attribution, field by field, with the owner's values; empty values are ignored. */
export function applyOverrides(found: Attribution, overrides: AttributionOptions['overrides'] = {}): Attribution {
  return fitAttribution(collect((name) => cleanText(overrides[name] ?? '') || found[name] || ''));
}

/**
 * Shortens the longest values until the attribution takes at most `bytes` as JSON, so that a long campaign name never
 * prevents a signup. Short values stay unchanged. Returns no fields where even short values do not fit.
 */
export function fitAttribution(attribution: Attribution, bytes: number = attributionLimit): Attribution {
  for (let limit = textLimit; limit > 0; limit = Math.floor(limit * 0.9)) {
    const fitting = collect((name) => cleanText(attribution[name] ?? '', limit));
    if (jsonBytes(fitting) <= bytes) return fitting;
  }
  return {};
}

/** The origin of the other site that linked here, without its path, for privacy. Empty for a link on the same site. */
function referringSite({ url, referrer }: Visit): string {
  const from = parseUrl(referrer);
  return from?.origin.startsWith('http') && site(from) !== site(parseUrl(url)) ? from.origin : '';
}

/** The size of a value as JSON in UTF-8, in bytes, as endpoints measure it. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(toJson(value)).length;
}

function site(url: URL | undefined): string | undefined {
  return url?.hostname.replace(/^www\./, '');
}

/** Reads every attribution field and keeps those with a value. */
function collect(read: (name: AttributionField) => string): Attribution {
  const found: Partial<Record<AttributionField, string>> = {};
  for (const name of attributionFields) {
    const value = read(name);
    if (value) found[name] = value;
  }
  return found;
}

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
  const found = visits.map((visit) => ({ at: visit.at, attribution: readAttribution(visit, options) }));
  return [...kept.filter(({ at }) => now - at < touchLifetime && at <= now), ...found];
}

/**
 * The first or the last touch with UTM parameters or a referral code; where none has any, the first or the last touch
 * from another site. Visits without attribution never count.
 */
export function chooseTouch(touches: readonly Touch[], rule: TouchRule): Touch | undefined {
  const named = touches.filter(({ attribution: { referring_site: _, ...named } }) => Object.keys(named)[0]);
  const candidates = named[0] ? named : touches.filter(({ attribution }) => attribution.referring_site);
  return candidates[rule === 'last' ? candidates.length - 1 : 0];
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
