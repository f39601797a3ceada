/** Who brought the visitor, read from the address they landed on. Pure, browser-safe, no dependency, nothing stored. */
import { isAddress } from './address.ts';
import { parseUrl } from './parse-url.ts';
import { attributionFields, type Attribution } from './submission.ts';
import { cleanText, textLimit } from './text.ts';

/** One of the seven names in {@link Attribution}. */
export type AttributionField = (typeof attributionFields)[number];

/** What a page knows about how it was reached. In a browser: `location.href` and `document.referrer`, taken at load. */
export interface Visit {
  readonly url: string;
  readonly referrer: string;
}

/** Options of {@link readAttribution}. */
export interface AttributionOptions {
  /** What the site's owner wrote down; wins over the address field by field. Empty texts count as not given. */
  readonly given?: Readonly<Partial<Record<AttributionField, string | null>>>;
  /** Query parameter that carries a referral code. Default `ref`. */
  readonly referralParameter?: string;
}

/**
 * Most bytes an attribution takes as JSON. Leaves a quarter of the 8192-byte body to the address and the custom fields.
 */
export const attributionLimit = 6400;

const referralCode = /^[\w-]{1,64}$/;

/**
 * Reads a visit: what the owner gave, else the address, else the referrer. Nothing is guessed: a referrer never becomes
 * a `utm_source`. Of a repeated name the first counts, and an e-mail address in a UTM value is left out, because a
 * forwarded link would carry somebody else's.
 *
 * @returns only the fields that hold something, cleaned, at most {@link attributionLimit} bytes as JSON
 * @example
 * readAttribution({ url: 'https://site.example/?utm_source=fair&ref=Zq4', referrer: 'https://news.example/post/1' })
 * // → { utm_source: 'fair', referring_site: 'https://news.example', referral_code: 'Zq4' }
 */
export function readAttribution(
  visit: Visit,
  { given, referralParameter = 'ref' }: AttributionOptions = {},
): Attribution {
  const query = parseUrl(visit.url)?.searchParams;
  const seen = collect((name) => {
    if (name === 'referring_site') return referringSite(visit);
    if (name === 'referral_code') return referralCode.exec(query?.get(referralParameter) ?? '')?.[0] ?? '';
    const value = cleanText(query?.get(name) ?? '');
    return isAddress(value) ? '' : value;
  });
  return withGiven(seen, given);
}

/** What the owner wrote down in place of what was seen, field by field; empty texts count as not given. */
export function withGiven(seen: Attribution, given: AttributionOptions['given'] = {}): Attribution {
  return fitAttribution(collect((name) => cleanText(given[name] ?? '') || seen[name] || ''));
}

/**
 * Shortens the longest values until the whole takes at most `bytes` as JSON, so that a long campaign name never costs a
 * signup. Values that are short enough stay untouched; where there is no room at all nothing is left.
 */
export function fitAttribution(attribution: Attribution, bytes: number = attributionLimit): Attribution {
  for (let limit = textLimit; limit > 0; limit = Math.floor(limit * 0.9)) {
    const fitting = collect((name) => cleanText(attribution[name] ?? '', limit));
    if (jsonBytes(fitting) <= bytes) return fitting;
  }
  return {};
}

/** The origin of another site that linked here; its path is the visitor's business. Empty for our own pages. */
function referringSite({ url, referrer }: Visit): string {
  const from = parseUrl(referrer);
  return from?.origin.startsWith('http') && site(from) !== site(parseUrl(url)) ? from.origin : '';
}

/** How many bytes a value takes as JSON in UTF-8, as endpoints count them. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function site(url: URL | undefined): string | undefined {
  return url?.hostname.replace(/^www\./, '');
}

/** Asks for the value of every attribution field and keeps those that hold something. */
function collect(read: (name: AttributionField) => string): Attribution {
  const found: Partial<Record<AttributionField, string>> = {};
  for (const name of attributionFields) {
    const value = read(name);
    if (value) found[name] = value;
  }
  return found;
}
