/** Reads the values of a form by their kinds, composes the request body, posts it, and classifies the answer. */
import {
  cleanText,
  fitAttribution,
  formToObject,
  isAddress,
  jsonBytes,
  submissionLimit,
  type Ask,
  type Attribution,
  type SubmittedValue,
} from '@newsletter-kit/core/signup';
import type { FailureKind } from './events.ts';
import { controlsOf, labelOf, splitChoices, type Problems } from './form.ts';
import type { MessageKey } from './messages.ts';
import type { FieldKind } from './field-element.ts';

/** The kind of a custom field, the email address, or a consent. */
export type ControlKind = FieldKind | 'email' | 'consent';

interface KindRules {
  /** The error message for an invalid text, or a missing required one. Default: `missing`. */
  readonly problem?: MessageKey;
  /** Whether a text is valid. Default: always. */
  readonly isValid?: (text: string) => boolean;
  /** Converts the text. Default: the text itself. */
  readonly convert?: (text?: string) => SubmittedValue | undefined;
}

const rules: Readonly<Record<string, KindRules> & Record<ControlKind, KindRules>> = {
  string: {},
  integer: { problem: 'notInteger', isValid: (text) => /^[+-]?\d{1,15}$/.test(text), convert: toNumber },
  // A decimal point or comma. `1,234` is refused: depending on the country it means 1234 or 1.234.
  double: {
    problem: 'notDouble',
    isValid: (text) => /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text),
    convert: toNumber,
  },
  boolean: { problem: 'notTicked', convert: (text) => !!text && text !== 'false' },
  consent: { problem: 'notTicked' },
  // The value of a date input is `YYYY-MM-DD` or empty. A hidden field can have any value.
  date: { problem: 'notDate', isValid: isDate },
  // Converts the visitor's local time to UTC: `2026-03-01T17:30:00Z`.
  datetime: {
    problem: 'notDate',
    isValid: isDate,
    convert: (text) => text && new Date(text).toISOString().replace(/\.\d+/, ''),
  },
  list: {},
  email: { problem: 'emailInvalid', isValid: isAddress },
};

function isDate(text: string): boolean {
  return Number.isFinite(Date.parse(text));
}

function toNumber(text?: string): number | undefined {
  return text ? Number(text.replace(',', '.')) : undefined;
}

/** The kind that the type of an input in the page's form implies. */
const kindOfType: Readonly<Record<string, ControlKind>> = {
  number: 'double',
  date: 'date',
  'datetime-local': 'datetime',
};

/** The kind of a control: its `data-kind`, which can be any word, else what its name and type imply. */
function kindOf({ name, type, value, dataset }: HTMLInputElement): string {
  if (dataset['kind']) return dataset['kind'];
  if (name === 'email' || name === 'consent') return name;
  if (name.endsWith('[]')) return 'list';
  return type === 'checkbox' && /^(on|true)$/.test(value) ? 'boolean' : (kindOfType[type] ?? 'string');
}

/** The values in a form, and their problems. */
export interface FormValues {
  /** Under the names of the request body, without empty values. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/**
 * Reads a form whose controls have the names of a form-encoded post: `email`, `custom_fields[Name]` and so on. An
 * unticked checkbox is `false`. A text is cut at 2000 characters, the limit of endpoints.
 */
export function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const entries: [string, SubmittedValue][] = [];
  const problems = new Map<string, MessageKey>();
  for (const [name, control] of controlsOf(form)) {
    const { input, described } = control;
    const kind = kindOf(input);
    const {
      problem = 'missing',
      isValid = () => true,
      convert = (text?: string) => text,
    } = (Object.hasOwn(rules, kind) && rules[kind]) || {};
    const texts = data
      .getAll(name)
      .map((text) => (typeof text === 'string' ? cleanText(text, 2000, true) : ''))
      .filter(Boolean);
    const [text] = texts;
    const isFit = text ? isValid(text) : !(input.required || kind === 'email' || 'required' in described.dataset);
    // The value of a consent checkbox is its sentence; without a `value` attribute, its label.
    const value = kind === 'consent' && text === 'on' ? labelOf(control) : isFit && convert(text);
    // `badInput`: only a part of a date was typed. The value is empty, but the input is not.
    if (!isFit || input.validity?.badInput || input.validity?.rangeUnderflow) {
      // An invalid hidden field is left out: the visitor cannot correct it.
      if (input.willValidate) problems.set(name, problem);
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text ?? '')) entries.push([list, item]);
    } else if (value !== undefined) entries.push([name, value]);
  }
  return { values: formToObject(entries), problems };
}

/**
 * Composes the request body. Attribution is shortened if the body would exceed the limit of endpoints.
 *
 * @returns undefined if the values alone exceed the limit
 */
export function composeBody(values: FormValues['values'], attribution: Attribution): string | undefined {
  const room = submissionLimit - jsonBytes(values);
  return room < 0 ? undefined : JSON.stringify({ ...values, ...fitAttribution(attribution, room) });
}

/**
 * A body and its idempotency key. The same values sent again have the same key, changed values a new one.
 */
export interface Intent {
  readonly body: string;
  /** The `Idempotency-Key` of every request with this body. */
  readonly key: string;
}

/** The last intent if it has the same body, else a new one. */
export function intentOf(body: string, last: Intent | undefined): Intent {
  return last?.body === body ? last : { body, key: uuid() };
}

/**
 * A random UUID. On pages without TLS browsers hide `crypto.randomUUID`, but not the one at the end of every blob URL
 * (File API, "generate a new blob URL").
 */
function uuid(): string {
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}

/** A request: body, key, address and timeout. */
export interface Post extends Intent {
  readonly endpoint: string;
  /** In seconds. */
  readonly timeout: number;
}

/** A failed signup. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status; undefined without an answer. */
  readonly status?: number;
  /** Seconds to wait before the next attempt; undefined without `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** The endpoint's error message: plain text, may be empty. */
  readonly message?: string;
  /** The endpoint's error code. */
  readonly code?: string;
  /** What the endpoint asks for before it accepts the same request. */
  readonly ask?: Ask | undefined;
  /** The browser's error, without an answer. */
  readonly cause?: unknown;
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = { 400: 'refused', 413: 'tooLong', 429: 'limited' };

/** How long a request may take after its page was restored from the back/forward cache, in milliseconds. */
const grace = 1000;

/**
 * Posts the body. A refusal, a failing endpoint and a network error are results, not exceptions. The request continues
 * after the page is closed (`keepalive`). Redirects are not followed: browsers would turn the POST into a GET, or send
 * the email address to another server. On a page restored from the back/forward cache WebKit neither settles a pending
 * fetch nor aborts it: then the request is sent again under the same key.
 *
 * @returns undefined if the endpoint has accepted the signup
 */
export async function send(post: Post): Promise<Failure | undefined> {
  const { endpoint, timeout, body, key } = post;
  const over = new AbortController();
  const lost = new Promise<undefined>((resolve) => {
    addEventListener('pageshow', ({ persisted }) => persisted && setTimeout(resolve, grace), over);
  });
  try {
    const answer = fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body,
      keepalive: true,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout * 1000),
    });
    const response = await Promise.race([answer, lost]);
    if (!response) return await send(post);
    const { body: content, headers, ok, status } = response;
    const type = headers.get('Content-Type') ?? '';
    // The body of some servers never ends.
    if (!type.includes('json')) void content?.cancel();
    // A page or plain text comes from a server that is not a signup endpoint: the signup was not stored.
    if (ok && !type.startsWith('text/')) return undefined;
    return {
      kind: kindOfStatus[status] ?? 'unavailable',
      status,
      retryAfter: secondsUntil(headers.get('Retry-After') ?? ''),
      ...(await readRefusal(response)),
    };
  } catch (error) {
    return { kind: navigator.onLine ? 'unreachable' : 'offline', cause: error };
  } finally {
    over.abort();
  }
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour, because the clock may be wrong. */
function secondsUntil(header: string): number | undefined {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}

/** The part of an error body that is read. Untrusted: each value can have any type. */
interface ErrorBody {
  readonly errors?: readonly { readonly message?: unknown; readonly code?: unknown }[] | null;
  readonly ask?: unknown;
}

/**
 * The first message of an error body, cleaned and shortened, its code, and what the endpoint asks for; empty for any
 * other body.
 */
async function readRefusal(response: Response): Promise<Pick<Failure, 'message' | 'code' | 'ask'>> {
  const body = await (response.json() as Promise<ErrorBody | null>).catch(() => null);
  const error = body?.errors?.[0];
  const ask = body?.ask;
  return {
    message: cleanText(asText(error?.message), 400),
    code: asText(error?.code),
    ask: ask instanceof Object ? ask : undefined,
  };
}

/** An untrusted value as text; empty unless it is a string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
