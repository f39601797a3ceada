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
import type { FieldKind } from './newsletter-field.ts';

/** A kind of custom field, the address itself, or a sentence to agree to. */
export type ControlKind = FieldKind | 'email' | 'consent';

interface KindRules {
  /** The problem of a text that is invalid, or missing where it is required. Default `missing`. */
  readonly problem?: MessageKey;
  /** Whether a text is valid. Default: always. */
  readonly isValid?: (text: string) => boolean;
  /** Converts the text. Default: the text itself. */
  readonly convert?: (text?: string) => SubmittedValue | undefined;
}

const rules: Readonly<Record<string, KindRules> & Record<ControlKind, KindRules>> = {
  string: {},
  integer: { problem: 'notInteger', isValid: (text) => /^[+-]?\d{1,15}$/.test(text), convert: toNumber },
  // A decimal point or comma. `1,234` is refused: it is a thousand in one half of the world and about one in the other.
  double: {
    problem: 'notDouble',
    isValid: (text) => /^[+-]?(?![1-9]\d{0,2},\d{3}$)\d{1,15}([.,]\d+)?$/.test(text),
    convert: toNumber,
  },
  boolean: { problem: 'notTicked', convert: (text) => !!text && text !== 'false' },
  consent: { problem: 'notTicked' },
  // A date input holds `YYYY-MM-DD` or nothing. A hidden field may hold anything.
  date: { problem: 'notDate', isValid: isDate },
  // The visitor's local time as an instant: `2026-03-01T17:30:00Z`.
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

/** The kind that the type of an owner's input implies. */
const kindOfType: Readonly<Record<string, ControlKind>> = {
  number: 'double',
  date: 'date',
  'datetime-local': 'datetime',
};

/** The kind of a control: its `data-kind`, which may be any word, else what its name and type imply. */
function kindOf({ name, type, value, dataset }: HTMLInputElement): string {
  if (dataset['kind']) return dataset['kind'];
  if (name === 'email' || name === 'consent') return name;
  if (name.endsWith('[]')) return 'list';
  return type === 'checkbox' && /^(on|true)$/.test(value) ? 'boolean' : (kindOfType[type] ?? 'string');
}

/** The values in a form, and what is wrong with them. */
export interface FormValues {
  /** Under the names of the wire, without empty ones. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/**
 * Reads a form whose controls have the names of a post without JavaScript: `email`, `custom_fields[Name]` and so on. An
 * unticked checkbox is `false`. A text has at most 2000 characters, the limit of endpoints.
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
    // The value of a consent checkbox is its sentence: its label, where the owner gave the input no value.
    const value = kind === 'consent' && text === 'on' ? labelOf(control) : isFit && convert(text);
    // `badInput`: of a date, only the day was typed. It has no value, but it is not empty either.
    if (!isFit || input.validity?.badInput) {
      // An invalid hidden field is left out: no visitor can mend it.
      if (input.willValidate) problems.set(name, problem);
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text ?? '')) entries.push([list, item]);
    } else if (value !== undefined) entries.push([name, value]);
  }
  return { values: formToObject(entries), problems };
}

/**
 * Composes the request body. Attribution is shortened first where the body would exceed the limit of endpoints.
 *
 * @returns undefined where the values alone exceed it
 */
export function composeBody(values: FormValues['values'], attribution: Attribution): string | undefined {
  const room = submissionLimit - jsonBytes(values);
  return room < 0 ? undefined : JSON.stringify({ ...values, ...fitAttribution(attribution, room) });
}

/**
 * A body and its idempotency key: the same values sent again are the same signup, changed values a new one.
 */
export interface Intent {
  readonly body: string;
  /** The `Idempotency-Key` of every request with this body. */
  readonly key: string;
}

/** The last intent where it has the same body, else a new one. */
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

/** One post: an intent, where it goes, and how long to wait for an answer. */
export interface Post extends Intent {
  readonly endpoint: string;
  /** In seconds. */
  readonly timeout: number;
}

/** A signup that did not go through. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status, where an answer came. */
  readonly status?: number;
  /** Seconds to wait before the next attempt; undefined where the endpoint named none. */
  readonly retryAfter?: number | undefined;
  /** What the endpoint says is wrong: plain text, perhaps empty. */
  readonly said?: string;
  /** The endpoint's code for it. */
  readonly code?: string;
  /** What the endpoint wants before it takes the same post. */
  readonly ask?: Ask | undefined;
  /** What the browser says where no answer came. */
  readonly cause?: unknown;
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = { 400: 'refused', 413: 'tooLong', 429: 'limited' };

/** How long a request may still take after its page was put aside and brought back, in milliseconds. */
const grace = 1000;

/**
 * Posts the body. A refusal, a dead endpoint and a broken network are results, not exceptions. The request outlives the
 * page (`keepalive`), so leaving right after the click loses nothing. Redirects are not followed: browsers would turn
 * the post into a GET, or carry the address to whoever the redirect names. Back on a page that the browser had put
 * aside, WebKit settles nothing of what was on its way, and heeds no signal: then it is sent once more, under the same
 * key.
 *
 * @returns undefined where the endpoint has taken the signup
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
    // Some servers never stop.
    if (!type.includes('json')) void content?.cancel();
    // A page or a plain text: a server that is no signup endpoint. Nobody has stored this signup.
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

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour, lest a wrong clock shut the form for good. */
function secondsUntil(header: string): number | undefined {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}

/** The part of an error body that we read; any of it may be anything else. */
interface ErrorBody {
  readonly errors?: readonly { readonly message?: unknown; readonly code?: unknown }[] | null;
  readonly ask?: unknown;
}

/**
 * What the error body of the API says first, cleaned and shortened, and what it asks for; empty where the answer is
 * anything else.
 */
async function readRefusal(response: Response): Promise<Pick<Failure, 'said' | 'code' | 'ask'>> {
  const body = await (response.json() as Promise<ErrorBody | null>).catch(() => null);
  const error = body?.errors?.[0];
  const ask = body?.ask;
  return {
    said: cleanText(asText(error?.message), 400),
    code: asText(error?.code),
    ask: ask instanceof Object ? ask : undefined,
  };
}

/** A text of an untrusted value; empty where it is anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
