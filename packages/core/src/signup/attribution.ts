/** Reads attribution (UTM parameters, referral code, referring site) from the URL and the referrer of a visit. Pure. */
import { isAddress } from './address.ts';
import { attributionFields, type Attribution } from './submission.ts';
import { cleanText, parseUrl, textLimit } from './text.ts';

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
  readonly given?: Readonly<Partial<Record<AttributionField, string | null>>>;
  /** Query parameter with the referral code. Default `ref`. */
  readonly referralParameter?: string;
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

/** Overrides an attribution, field by field, with the owner's values; empty values are ignored. */
export function withGiven(seen: Attribution, given: AttributionOptions['given'] = {}): Attribution {
  return fitAttribution(collect((name) => cleanText(given[name] ?? '') || seen[name] || ''));
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
  return new TextEncoder().encode(JSON.stringify(value)).length;
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
