/**
 * The request body that a page posts to a signup endpoint, the fields an endpoint may ask for, and the cleaning of the
 * texts in both.
 */
import { utmFields } from '../contract/values.ts';

/** A value of a custom field in JSON. */
export type SubmittedValue = string | number | boolean | readonly string[];

/** A custom field of a submission; the name is the field's `display` text. */
export interface SubmittedField {
  readonly name: string;
  readonly value: SubmittedValue;
}

/** The source of a visit: five UTM parameters, the referring site, a subscriber's referral code. */
export interface Attribution {
  readonly utm_source?: string;
  readonly utm_medium?: string;
  readonly utm_campaign?: string;
  readonly utm_term?: string;
  readonly utm_content?: string;
  readonly referring_site?: string;
  readonly referral_code?: string;
}

/** One of several visits that a signup could be attributed to. */
export interface AuditedTouch extends Attribution {
  /** In ISO 8601. */
  readonly at: string;
  /** What the visit was attributed by, such as `utm`. */
  readonly rule?: string | undefined;
}

/** Where a signup came from in more detail than the API can hold. */
export interface SignupAudit {
  /** Origin and path of the page with the form. */
  readonly page?: string | undefined;
  /** What the attribution was chosen by: the rule of its touch, such as `utm`, or `tag` for values of the tag alone. */
  readonly touch_rule?: string | undefined;
  /** Which of the two touches was chosen; only with both. */
  readonly touch?: 'first' | 'last' | undefined;
  readonly first_touch?: AuditedTouch | undefined;
  readonly last_touch?: AuditedTouch | undefined;
}

/**
 * The body of `POST endpoint`: the public part of a SubscriptionRequest under the API's own names, plus four fields
 * that only the endpoint reads. Privileged fields (tiers, gifts, automations, lists, opt-in) are never part of it.
 */
export interface Submission extends Attribution {
  readonly email: string;
  readonly custom_fields?: readonly SubmittedField[];
  /** The sentence the visitor agreed to, or true where the form keeps no text. */
  readonly consent?: boolean | string;
  /** Kept by the endpoint, never sent to the API. */
  readonly audit?: SignupAudit;
  /** A signed form token, where the endpoint asks for one. */
  readonly token?: string;
  /** A solved proof of work or Turnstile response, where the endpoint asks for one. */
  readonly proof?: string;
}

/** Names of the attribution fields, in the API's spelling. */
export const attributionFields = [...utmFields, 'referring_site', 'referral_code'] as const;

/** Name of the honeypot: a hidden field that people leave empty and simple bots fill in. */
export const honeypotField = 'hp_field';

/** Maximum size of the body, in bytes. */
export const submissionLimit = 8192;

/**
 * The fields to add before the same post is repeated under the same idempotency key: `ask` in the body of a 403. Most
 * endpoints ask for nothing; an endpoint with signed forms asks for a token, an endpoint under attack for a proof.
 */
export interface Ask {
  /** To be sent back as `token`, no sooner than {@link Ask.wait_seconds} from now. */
  readonly token?: string;
  /** Minimum age of the token before it is accepted, in seconds. Default 0. */
  readonly wait_seconds?: number;
  /** A proof-of-work challenge made by ALTCHA's library; the solution is sent back as `proof`. */
  readonly proof_of_work?: ProofOfWork;
  /** Cloudflare Turnstile: the response of its widget is sent back as `proof`. */
  readonly turnstile?: { readonly site_key: string };
}

/** A challenge in ALTCHA's second format: its server library creates and verifies it, its browser library solves it. */
export interface ProofOfWork {
  readonly parameters: {
    readonly algorithm: string;
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
    readonly keySignature?: string;
    readonly memoryCost?: number;
    readonly parallelism?: number;
    /** Seconds since 1970. */
    readonly expiresAt?: number;
    readonly data?: Readonly<Record<string, string | number | boolean | null>>;
  };
  readonly signature?: string;
}

/**
 * Turns the entries of a form-urlencoded post into the object of the JSON post. `custom_fields[Name]` sets a custom
 * field; given several times, or as `custom_fields[Name][]`, it makes a list.
 */
export function formToObject<Value>(entries: Iterable<readonly [string, Value]>): Record<string, unknown> {
  const members = new Map<string, unknown>();
  const fields = new Map<string, Value | Value[]>();
  for (const [key, value] of entries) {
    const [, name, list] = /^custom_fields\[(.+?)\](\[\])?$/.exec(key) ?? [];
    if (name === undefined) {
      if (!members.has(key)) members.set(key, value);
      continue;
    }
    const before = fields.get(name);
    if (before === undefined) fields.set(name, list ? [value] : value);
    else fields.set(name, [...(Array.isArray(before) ? before : [before]), value]);
  }
  if (fields.size > 0)
    members.set(
      'custom_fields',
      [...fields].map(([name, value]) => ({ name, value })),
    );
  return Object.fromEntries(members);
}

/**
 * JSON without the `toJSON` that old libraries, such as Prototype.js, add to arrays and objects: it would turn a list
 * into a text.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key): unknown {
    return this[key];
  });
}

/** Longest value of one attribution parameter or text field, in code points. */
export const textLimit = 500;

/**
 * Composes (NFC), removes control, invisible and direction-override characters, trims, and cuts to `limit` code points
 * without splitting one.
 *
 * @param keepsLines - keeps line ends, each as one line feed: text typed into a `<textarea>`
 */
export function cleanText(text: string, limit: number = textLimit, keepsLines = false): string {
  // Control characters, invisible separators and bidirectional overrides. U+200D (joins emoji) and U+200C (Persian)
  // stay. The pattern is inside the function because browsers compile patterns with Unicode properties slowly, and a
  // page without text input never needs this one.
  const clean = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Bidi_C}\u200B\u2060\uFEFF]/gu, (sign) => (keepsLines && sign === '\n' ? sign : ''))
    .trim();
  return clean.length <= limit ? clean : [...clean].slice(0, limit).join('').trim();
}

/** Parses an absolute URL, or a relative one against `base`; undefined where it is invalid. */
export function parseUrl(url: string, base?: string): URL | undefined {
  try {
    return new URL(url, base);
  } catch {
    return undefined;
  }
}

/** The host of a site, which may be written as a host, without `www.` and port. */
export function hostOf(site = ''): string {
  return site.toLowerCase().replace(/^(.*\/\/)?(www\.)?|:\d+$/g, '');
}
