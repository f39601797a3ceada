/**
 * Attribution: reads UTM parameters, referral code and referring site from the URL and the referrer of a visit, and
 * chooses the first or the last touch of several visits. Pure: the caller stores the touches.
 */
import { utmFields } from '../contract/values.ts';
import { cleanValue, readParameters } from './attribution-values.ts';
import type { clickSource, referrerSource } from './source-tables.ts';
import { attributionFields, type Attribution, cleanText, hostOf, parseUrl, textLimit, toJson } from './submission.ts';

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
   * What that parameter carries. Default: a code, except in `ref`, where it is a source, and both if it is ten letters
   * and digits that are no word, as the service makes its codes.
   */
  readonly refIs?: 'code' | 'source' | 'none' | undefined;
  /** Hosts of the same site, such as `shop.example.com`: they are no referrer. */
  readonly sameSite?: readonly string[] | undefined;
  /** Parameters to keep in {@link Touch.details}, besides {@link detailFields}. */
  readonly details?: readonly string[] | undefined;
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
 * referrer, overridden by the owner's values. E-mail addresses and placeholders are removed from the values, because a
 * link that is passed on may carry those of another person. A referrer of the same origin is an earlier visit.
 *
 * @returns only the fields with a value, cleaned, at most {@link attributionLimit} bytes as JSON
 * @example
 * readAttribution({ url: 'https://site.example/?utm_source=fair', referrer: 'https://news.example/post/1' })
 * // → { utm_source: 'fair', referring_site: 'https://news.example' }
 */
export function readAttribution(visit: Visit, { overrides, ...options }: AttributionOptions = {}): Attribution {
  const touches = readTouches([{ ...visit, at: 0 }], options);
  return applyOverrides(chooseTouch(touches, 'first')?.attribution ?? {}, overrides);
}

/**
 * The site or the Android app of a referrer, without its path, for privacy; empty for any other scheme.
 *
 * @example `referringSite('android-app://com.slack/')` → `'android-app://com.slack'`
 */
export function referringSite(referrer: string): string {
  const { origin = '' } = parseUrl(referrer) ?? {};
  // The origin of an app is "null", and not every browser reads its host.
  return origin.startsWith('http') ? origin : (/^android-app:\/\/[\w.]+/.exec(referrer)?.[0] ?? '');
}

/** Reads one visit. */
function readTouch({ url, referrer, at }: TimedVisit, options: VisitOptions): Touch {
  const { referralParameter = 'ref', refIs, sameSite = [], details = [], clickSource, referrerSource } = options;
  const page = parseUrl(url);
  const from = referringSite(referrer);
  const parameters = readParameters(page);
  const get = (name: string): string => parameters.get(name.toLowerCase()) ?? '';
  const ours = [page?.host, ...sameSite].map(hostOf);
  const isRef = referralParameter === 'ref';
  const referral = refIs === 'none' ? '' : get(referralParameter);
  const isCode = refIs ? refIs === 'code' : !isRef || serviceCode.test(referral);
  const code = isCode ? (referralCode.exec(referral)?.[0] ?? '') : '';
  // Where codes have a parameter of their own, `ref` is a source.
  const ref = isCode ? (isRef ? '' : get('ref')) : referral;
  // What only looks like a code can be a source: the service credits none but its own codes.
  const guess = isRef && !refIs ? code : '';
  const linking = ours.includes(hostOf(from)) ? '' : from;
  const found = collect((name) => (name === 'referring_site' ? linking : name === 'referral_code' ? code : get(name)));
  const source = found.utm_source ?? (ours.includes(hostOf(ref)) ? '' : ref);
  const byClick = source ? undefined : clickSource?.((name) => !!get(name));
  // The first that applies counts.
  const rules: readonly (readonly [applies: unknown, rule: AttributionRule])[] = [
    [found.utm_source, 'utm'],
    [source, 'ref'],
    [byClick, 'click_id'],
    [utmFields.some(get), 'utm'],
    [code, 'referral_code'],
    [linking, 'referrer'],
  ];
  const rule = rules.find(([applies]) => applies)?.[1];
  const named = rule === 'referrer' ? referrerSource?.(linking) : byClick;
  return {
    at,
    attribution: fitAttribution({ ...named, ...found, utm_source: source || (named?.utm_source ?? guess) }),
    details: Object.fromEntries(
      [...detailFields, ...details].map((name) => [name, get(name)] as const).filter(([, value]) => value),
    ),
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

/** Reads the fields of an attribution, and keeps those with a value. */
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

/** Parameters that the service has no field for and that are always kept: a custom field can take them. */
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
  /** Values of further parameters, by their names. */
  readonly details: Readonly<Record<string, string>>;
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

/**
 * The touches of these visits, oldest first. A page of the same origin that linked to a visit was visited before.
 *
 * @param stored - a visit before whose link is in this text is left out
 */
export function readTouches(
  visits: readonly TimedVisit[],
  options: VisitOptions = {},
  stored: string = '',
): readonly Touch[] {
  return visits.flatMap((visit) => {
    const { url, referrer, at } = visit;
    const touch = readTouch(visit, options);
    const site = referringSite(referrer);
    if (!site || site !== parseUrl(url)?.origin) return touch;
    const before = readTouch({ url: referrer, referrer: '', at: at - 1 }, options);
    return stored.includes(`${new URLSearchParams({ ...before.attribution }).toString()}&`) ? touch : [before, touch];
  });
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
  return [...kept.filter(({ at }) => now - at < touchLifetime && at <= now), ...readTouches(visits, options, stored)];
}

/**
 * The first or the last touch with more than a referrer; where none has more, the first or the last touch from another
 * site; where there is none, the first or the last with {@link Touch.details}. Other visits never count.
 */
export function chooseTouch(touches: readonly Touch[], which: TouchRule): Touch | undefined {
  const candidates = [
    touches.filter(({ rule }) => rule && rule !== 'referrer'),
    touches.filter(({ rule }) => rule),
    touches.filter(({ details }) => Object.keys(details)[0]),
  ].find(([first]) => first);
  return candidates?.[which === 'last' ? candidates.length - 1 : 0];
}

/** The text to store: the first and the last touch, so that the next page can apply either rule. */
export function storedTouches(touches: readonly Touch[]): string {
  const texts = (['first', 'last'] as const).map((which) => {
    const touch = chooseTouch(touches, which);
    if (!touch) return '';
    const { at, attribution, rule = '' } = touch;
    const details = new URLSearchParams(touch.details).toString();
    return `t:${at}?${new URLSearchParams({ ...attribution, details, rule }).toString()}`;
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
  const others = new URLSearchParams(searchParams?.get('details') ?? '');
  const details = Object.fromEntries([...others].map(([name, value]) => [name, cleanValue(value)]));
  return { ...touch, details, rule: touch.rule && (stored ?? touch.rule) };
}
