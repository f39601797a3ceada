/**
 * Attribution: reads UTM parameters, referral code and referring site from the URL and the referrer of a visit, and
 * chooses the first or the last touch of several visits. Pure: the caller stores the touches.
 */
import { utmFields } from '../contract/values.ts';
import { cleanValue, readParameters } from './attribution-values.ts';
import type { clickSource, referrerSource } from './source-tables.ts';
import { attributionFields, type Attribution, cleanText, parseUrl, textLimit, toJson } from './submission.ts';

/** One of the seven names in {@link Attribution}. */
export type AttributionField = (typeof attributionFields)[number];

/** The URL and the referrer of a page visit. In a browser: `location.href` and `document.referrer`, taken at load. */
export interface Visit {
  readonly url: string;
  readonly referrer: string;
}

/** How visits are read. */
export interface VisitOptions {
  /** Parameter with the referral code. Default `ref`. */
  readonly referralParameter?: string | undefined;
  /**
   * What that parameter carries. Default: a code, except in `ref`, where ten letters and digits that are no word are a
   * code, as the service makes them, and everything else is a source.
   */
  readonly refIs?: 'code' | 'source' | undefined;
  /** Hosts of the same site, such as `shop.example.com`: they are no referrer. */
  readonly sameSite?: readonly string[] | undefined;
  /** Names the source of a visit by its click id, where the address names none. Default: not at all. */
  readonly clickSource?: typeof clickSource | undefined;
  /** Names the source of a visit by its referrer, where it has nothing else. Default: not at all. */
  readonly referrerSource?: typeof referrerSource | undefined;
}

/** Options of {@link readAttribution}. */
export interface AttributionOptions extends VisitOptions {
  /** Values set by the site's owner; each one overrides the field read from the URL. Empty values are ignored. */
  readonly overrides?: Readonly<Partial<Record<AttributionField, string | null>>> | undefined;
}

/**
 * Maximum size of an attribution as JSON, in bytes. Leaves a quarter of the 8192-byte body to the e-mail address and
 * the custom fields.
 */
export const attributionLimit = 6400;

const referralCode = /^[\w-]{1,64}$/;

/** The codes of the service: ten letters and digits that are no word, and no word with a number at its end. */
const serviceCode = /^(?![A-Z]?[a-z]*\d*$|[A-Z]*\d*$)[A-Za-z\d]{10}$/;

/**
 * Reads the attribution of a visit: the UTM parameters and the referral code from the URL, the referring site from the
 * referrer, overridden by the owner's values. E-mail addresses, telephone numbers and placeholders are removed from the
 * values, because a link that is passed on may carry those of another person.
 *
 * @returns only the fields with a value, cleaned, at most {@link attributionLimit} bytes as JSON
 * @example
 * readAttribution({ url: 'https://site.example/?utm_source=fair', referrer: 'https://news.example/post/1' })
 * // → { utm_source: 'fair', referring_site: 'https://news.example' }
 */
export function readAttribution(visit: Visit, { overrides, ...options }: AttributionOptions = {}): Attribution {
  return applyOverrides(readTouch({ ...visit, at: 0 }, options).attribution, overrides);
}

/** Reads one visit. */
function readTouch({ url, referrer, at }: TimedVisit, options: VisitOptions): Touch {
  const { referralParameter = 'ref', refIs, sameSite = [], clickSource, referrerSource } = options;
  const page = parseUrl(url);
  const from = parseUrl(referrer);
  const parameters = readParameters(page);
  const get = (name: string): string => parameters.get(name) ?? '';
  const ours = [page?.hostname, ...sameSite].map(site);
  const isRef = referralParameter === 'ref';
  const named = get(referralParameter.toLowerCase());
  const isCode = refIs ? refIs === 'code' : !isRef || serviceCode.test(named);
  const code = isCode ? (referralCode.exec(named)?.[0] ?? '') : '';
  // Where codes have a parameter of their own, `ref` is a source.
  const ref = isCode ? (isRef ? '' : get('ref')) : named;

  // The origin of the other site that linked here, without its path, for privacy.
  const referringSite = from?.origin.startsWith('http') && !ours.includes(site(from.hostname)) ? from.origin : '';
  const found = collect((name) =>
    name === 'referring_site' ? referringSite : name === 'referral_code' ? code : get(name),
  );
  const source = found.utm_source ?? (ours.includes(site(ref)) ? '' : ref);
  const byClick = source ? undefined : clickSource?.((name) => !!get(name));
  // The first that applies counts.
  const rules: readonly (readonly [applies: unknown, rule: AttributionRule])[] = [
    [found.utm_source, 'utm'],
    [source, 'ref'],
    [byClick, 'click_id'],
    [utmFields.some(get), 'utm'],
    [code, 'referral_code'],
    [referringSite, 'referrer'],
  ];
  const rule = rules.find(([applies]) => applies)?.[1];
  const byReferrer = rule === 'referrer' ? referrerSource?.(from?.hostname ?? '') : undefined;
  return {
    at,
    attribution: fitAttribution({ ...byClick, ...byReferrer, ...(source && { utm_source: source }), ...found }),
    details: collect(get, detailFields),
    rule,
  };
}

/** Overrides an attribution, field by field, with the owner's values; empty values are ignored. */
export function applyOverrides(found: Attribution, overrides: AttributionOptions['overrides'] = {}): Attribution {
  return fitAttribution(collect((name) => cleanValue(overrides[name] ?? '') || found[name] || ''));
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

/** The size of a value as JSON in UTF-8, in bytes, as endpoints measure it. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(toJson(value)).length;
}

function site(host = ''): string {
  return host.toLowerCase().replace(/^www\./, '');
}

/** Reads these fields, by default all of an attribution, and keeps those with a value. */
function collect<Name extends string = AttributionField>(
  read: (name: Name) => string,
  names: readonly Name[] = attributionFields as readonly string[] as readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = read(name);
    if (value) found[name] = value;
  }
  return found;
}

/** A visit and its time, in milliseconds since the epoch. */
export interface TimedVisit extends Visit {
  readonly at: number;
}

/** Parameters that the service has no field for; a custom field can take them. */
export const detailFields = ['utm_id', 'utm_source_platform'] as const;

/**
 * What a visit is attributed by: its UTM parameters, a source in `ref`, a click id, a referral code, or the site that
 * linked here. The first that applies counts.
 */
export const attributionRules = ['utm', 'ref', 'click_id', 'referral_code', 'referrer'] as const;

/** One of {@link attributionRules}. */
export type AttributionRule = (typeof attributionRules)[number];

/**
 * The attribution of one visit. Fields of two visits are never mixed.
 */
export interface Touch {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly attribution: Attribution;
  readonly details: Readonly<Partial<Record<(typeof detailFields)[number], string>>>;
  /** Undefined for a visit without attribution. */
  readonly rule: AttributionRule | undefined;
}

/** Whether the first or the last visit with attribution counts. */
export type TouchRule = 'first' | 'last';

/**
 * Lifetime of a stored touch, in milliseconds: 30 days. Safari deletes script-written storage after 7 days without a
 * visit.
 */
export const touchLifetime = 2_592_000_000;

/** The touches of these visits. */
export function readTouches(visits: readonly TimedVisit[], options: VisitOptions = {}): readonly Touch[] {
  return visits.map((visit) => readTouch(visit, options));
}

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
  options: VisitOptions = {},
): readonly Touch[] {
  const kept = stored.split(' ').map(restore);
  return [...kept.filter(({ at }) => now - at < touchLifetime && at <= now), ...readTouches(visits, options)];
}

/**
 * The first or the last touch with more than a referrer; where none has more, the first or the last touch from another
 * site. Visits without attribution never count.
 */
export function chooseTouch(touches: readonly Touch[], rule: TouchRule): Touch | undefined {
  const attributed = touches.filter((touch) => touch.rule);
  const named = attributed.filter((touch) => touch.rule !== 'referrer');
  const candidates = named[0] ? named : attributed;
  return candidates[rule === 'last' ? candidates.length - 1 : 0];
}

/** The text to store: the first and the last touch, so that the next page can apply either rule. */
export function storedTouches(touches: readonly Touch[]): string {
  const texts = (['first', 'last'] as const).map((which) => {
    const touch = chooseTouch(touches, which);
    if (!touch) return '';
    const { at, attribution, details, rule = '' } = touch;
    return `t:${at}?${new URLSearchParams({ ...attribution, ...details, rule }).toString()}`;
  });
  return [...new Set(texts)].join(' ');
}

/**
 * Parses a stored touch. It is stored in the form of a URL, so that the same code validates it as the URL of a page.
 */
function restore(url: string): Touch {
  const { pathname = '', searchParams } = parseUrl(url) ?? {};
  // NaN for anything but a number: the comparisons in `knownTouches` are then false, which drops the touch.
  const at = parseInt(pathname);
  const referrer = searchParams?.get('referring_site') ?? '';
  const touch = readTouch({ url, referrer, at }, { referralParameter: 'referral_code' });
  const stored = attributionRules.find((rule) => rule === searchParams?.get('rule'));
  return { ...touch, rule: touch.rule && (stored ?? touch.rule) };
}
