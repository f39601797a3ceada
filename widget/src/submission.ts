/** Reads the values of a form by their kinds, composes the request body, posts it, and classifies the answer. */
import {
  cleanText,
  fitAttribution,
  formToObject,
  isAddress,
  normalizeAddress,
  jsonBytes,
  submissionLimit,
  toJson,
  type Attribution,
  type SignupAudit,
  type SubmittedValue,
} from '@newsletter-kit/core/signup';
import { readVerdict, type Verdict } from './answer.ts';
import type { FailureKind } from './events.ts';
import { controlsOf, labelOf, splitChoices, type Problem, type Problems } from './form.ts';
import type { MessageKey } from './messages.ts';
import type { FieldKind } from './field-element.ts';

/** The kind of a custom field, the email address, or a consent. */
export type ControlKind = FieldKind | 'email' | 'consent';

interface KindRules {
  /** The error message for an invalid text, or a missing required one. Default: `missing`. */
  readonly problem?: MessageKey;
  /** Whether a text is valid; the mark is that before decimals. Default: always. */
  readonly isValid?: (text: string, mark?: string) => boolean;
  /** Converts the text. Default: the text itself. */
  readonly convert?: (text?: string) => SubmittedValue | undefined;
}

const rules: Readonly<Record<string, KindRules> & Record<ControlKind, KindRules>> = {
  string: {},
  integer: { problem: 'notInteger', isValid: (text) => /^[+-]?\d{1,15}$/.test(text), convert: toNumber },
  // A decimal point or comma. `1,234` is 1234 in some languages: it is valid with the decimal mark of the form's alone.
  double: {
    problem: 'notDouble',
    isValid: (text, mark) =>
      /^[+-]?\d{1,15}([.,]\d+)?$/.test(text) &&
      [undefined, mark].includes(/^[+-]?[1-9]\d{0,2}([.,])\d{3}$/.exec(text)?.[1]),
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
  email: { problem: 'emailInvalid', isValid: isAddress, convert: (text) => text && normalizeAddress(text) },
};

function isDate(text: string): boolean {
  return Number.isFinite(Date.parse(text));
}

function toNumber(text?: string): number | undefined {
  return text ? Number(text.replace(',', '.')) : undefined;
}

/** The mark before decimals in the language of the element, else of the browser; undefined in one that is unknown. */
function decimalMarkOf(element: Element): string | undefined {
  try {
    return (1.5).toLocaleString(element.closest<HTMLElement>('[lang]')?.lang)[1];
  } catch {
    return undefined;
  }
}

/** The kind that the type of an input in the page's form implies. */
const kindOfType: Readonly<Partial<Record<string, ControlKind>>> = {
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
 *
 * @param host - in its language are typed numbers; those of other controls have a decimal point
 */
export function readValues(form: HTMLFormElement, host: Element = form): FormValues {
  const data = new FormData(form);
  const entries: [string, SubmittedValue][] = [];
  const problems = new Map<string, Problem>();
  for (const [name, control] of controlsOf(form)) {
    const { input, described } = control;
    const kind = kindOf(input);
    const { problem = 'missing', isValid = () => true, convert = (text?: string) => text } = rules[kind] ?? {};
    const texts = data
      .getAll(name)
      .map((text) => (typeof text === 'string' ? cleanText(text, 2000, true) : ''))
      .filter(Boolean);
    const [text] = texts;
    const isFit = text
      ? isValid(text, input.type === 'text' ? decimalMarkOf(host) : '.')
      : !(input.required || kind === 'email' || 'required' in described.dataset);
    // The value of a consent checkbox is its sentence; without a `value` attribute, its label.
    const value = kind === 'consent' && text === 'on' ? labelOf(control) : isFit && convert(text);
    // `badInput`: only a part of a date was typed. The value is empty, but the input is not. `customError`: a check of
    // the page, such as of an address that is repeated.
    const { badInput, rangeUnderflow, customError } = input.validity ?? {};
    if (!isFit || badInput || rangeUnderflow || customError) {
      // An invalid hidden field is left out: the visitor cannot correct it.
      const { validationMessage } = input;
      if (input.willValidate) problems.set(name, customError ? () => validationMessage : (texts) => texts[problem]);
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text ?? '')) entries.push([list, item]);
    } else if (value !== undefined) entries.push([name, value]);
  }
  return { values: formToObject(entries), problems };
}

/**
 * Composes the request body. Attribution is shortened if the body would exceed the limit of endpoints; of the audit,
 * the touches are left out first, then all of it.
 *
 * @returns undefined if the values alone exceed the limit
 */
export function composeBody(
  values: FormValues['values'],
  attribution: Attribution,
  audit: SignupAudit = {},
): string | undefined {
  const sent = { ...values, ...fitAttribution(attribution, submissionLimit - jsonBytes(values)) };
  const { page, touch_rule } = audit;
  const body = [{ ...sent, audit }, { ...sent, audit: { page, touch_rule } }, sent].find(
    (each) => jsonBytes(each) <= submissionLimit,
  );
  return body && toJson(body);
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

/** A random UUID (RFC 9562, version 4). On pages without TLS browsers hide `crypto.randomUUID`. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
}

/** A request: body, key, address and timeout. */
export interface Post extends Intent {
  readonly endpoint: string;
  /** In seconds. */
  readonly timeout: number;
}

/** What became of a request. */
export interface Answer extends Partial<Verdict> {
  /** Why it failed; undefined if the endpoint has accepted the signup. */
  readonly kind?: FailureKind | undefined;
  /** HTTP status; undefined without an answer. */
  readonly status?: number;
  /** Whether the answer is JSON, or has no body. */
  readonly isJson?: boolean;
  /** Seconds to wait before the next attempt; undefined without `Retry-After`. */
  readonly retryAfter?: number | undefined;
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
 * @param onSent - called once the browser has the request
 * @throws while the browser does not have it
 */
export async function send(post: Post, onSent: () => void): Promise<Answer> {
  const { endpoint, timeout, body, key } = post;
  const over = new AbortController();
  const lost = new Promise<undefined>((resolve) => {
    addEventListener('pageshow', ({ persisted }) => persisted && setTimeout(resolve, grace), over);
  });
  const timer = setTimeout(() => over.abort(), timeout * 1000);
  const request = fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body,
    keepalive: true,
    redirect: 'manual',
    signal: over.signal,
  });
  onSent();
  try {
    return (await Promise.race([request.then(readAnswer), lost])) ?? (await send(post, onSent));
  } catch (error) {
    return { kind: navigator.onLine ? 'unreachable' : 'offline', cause: error };
  } finally {
    clearTimeout(timer);
    // Also ends an answer that is not read: the body of some servers never ends.
    over.abort();
  }
}

/** A yes is a 2xx, unless it is a page, plain text, or JSON that is broken or says no. */
async function readAnswer(response: Response): Promise<Answer> {
  const { headers, ok, status } = response;
  const type = headers.get('Content-Type') ?? '';
  const isJson = type.includes('json');
  const text = isJson ? await response.text().catch(() => 'unreadable') : '';
  const json = parse(text);
  const { isNo, ...said } = readVerdict(json);
  // A page or plain text comes from a server that is not a signup endpoint: the signup was not stored.
  const isForeign = isJson ? text !== '' && json === undefined : type.startsWith('text/');
  if (ok && !isNo && !isForeign) return { status, isJson };
  const kind = ok && isNo ? 'refused' : (kindOfStatus[status] ?? 'unavailable');
  return { kind, status, isJson, retryAfter: secondsUntil(headers.get('Retry-After') ?? ''), ...said };
}

/** @returns undefined for a text that is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour, because the clock may be wrong. */
function secondsUntil(header: string): number | undefined {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}
