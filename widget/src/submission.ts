/** Reads the values of a form by their kinds, composes the request body, posts it, and classifies the answer. */
import {
  cleanText,
  fitAttribution,
  formToObject,
  isAddress,
  jsonBytes,
  submissionLimit,
  toJson,
  typedAddress,
  type Attribution,
  type SignupAudit,
  type SubmittedValue,
} from '@newsletter-kit/core/signup';
import type { ReadVerdict, Verdict } from './answer.ts';
import type { FailureKind } from './events.ts';
import { controlsOf, labelOf, splitChoices, type Problem } from './form.ts';
import type { MessageKey, Messages } from './messages.ts';

interface KindRules {
  /** The error message for an invalid text, or a missing required one. Default: `missing`. */
  readonly problem?: MessageKey;
  /** Reads a text; undefined if it is invalid. Default: the text itself. */
  readonly read?: (text: string, toNumber: (text: string) => number | undefined) => SubmittedValue | undefined;
}

/** Of any other word, a string or a list, each text is taken. */
const rules: Readonly<Partial<Record<string, KindRules>>> = {
  integer: { problem: 'notInteger', read: (text, toNumber) => wholeOnly(toNumber(text)) },
  double: { problem: 'notDouble', read: (text, toNumber) => toNumber(text) },
  boolean: { problem: 'notTicked', read: (text) => text !== 'false' },
  consent: { problem: 'notTicked' },
  // The value of a date input is `YYYY-MM-DD` or empty. A hidden field can have any value.
  date: { problem: 'notDate', read: (text) => toTime(text) && text },
  // Converts the visitor's local time to UTC: `2026-03-01T17:30:00Z`.
  datetime: { problem: 'notDate', read: (text) => toTime(text)?.replace(/\.\d+/, '') },
  email: { problem: 'emailInvalid', read: (text) => (isAddress(text) ? text : undefined) },
};

function toTime(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isFinite(time) ? new Date(time).toISOString() : undefined;
}

const wholeOnly = (number?: number): number | undefined => (Number.isSafeInteger(number) ? number : undefined);

/** A number with a decimal point and nothing else. */
const plainNumber = (text: string): number | undefined => (/^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);

/** The message for an invalid text. Of a number that can be two, such as 1.234, it says how to write each. */
function sayProblem(problem: MessageKey, text: string, texts: Messages): string {
  const [whole] = /^\D?\d{1,3}[.,]\d{3}$/.exec(text) ?? [];
  return whole && problem === 'notDouble'
    ? texts.notDouble.replace(/\d\S*\d/, `${whole.replace(/[.,]/, '')} / ${whole}0`)
    : texts[problem];
}

/** The kind that the type of an input in the page's form implies. */
const kindOfType: Readonly<Partial<Record<string, string>>> = {
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

/** A text as it is sent: an address as typed, a sentence whole, any other up to the limit of endpoints. */
function clean(text: string, kind: string): string {
  if (kind === 'email') return typedAddress(text);
  return cleanText(text, kind === 'consent' ? Infinity : 2000, true);
}

/** The values in a form under the names of the request body, without empty values, and their problems. */
export type FormValues = ReturnType<typeof readValues>;

/**
 * Reads a form whose controls have the names of a form-encoded post: `email`, `custom_fields[Name]` and so on. An
 * unticked checkbox is `false`. A text is cut at 2000 characters, the limit of endpoints.
 *
 * @param toNumber - reads a typed number; those of other controls have a decimal point
 */
export function readValues(form: HTMLFormElement, toNumber = plainNumber) {
  const data = new FormData(form);
  const entries: [string, SubmittedValue][] = [];
  const problems = new Map<string, Problem>();
  for (const [name, control] of controlsOf(form)) {
    const { input, described } = control;
    const kind = kindOf(input);
    const { problem = 'missing', read = (text: string) => text } = rules[kind] ?? {};
    const texts = data
      .getAll(name)
      .map((text) => (typeof text === 'string' ? clean(text, kind) : ''))
      .filter(Boolean);
    const [text = ''] = texts;
    const isRequired = input.required || kind === 'email' || 'required' in described.dataset;
    const value = text ? read(text, input.type === 'text' ? toNumber : plainNumber) : undefined;
    // `badInput`: only a part of a date was typed. The value is empty, but the input is not. `customError`: a check of
    // the page, such as of an address that is repeated.
    const { badInput, rangeUnderflow, customError } = input.validity ?? {};
    if ((text ? value === undefined : isRequired) || badInput || rangeUnderflow || customError) {
      // An invalid hidden field is left out: the visitor cannot correct it.
      const { validationMessage } = input;
      if (input.willValidate)
        problems.set(name, (texts) => (customError ? validationMessage : sayProblem(problem, text, texts)));
    } else if (kind === 'list') {
      const list = name.replace(/(\[\])?$/, '[]');
      for (const item of name === list ? texts : splitChoices(text)) entries.push([list, item]);
    } else if (kind === 'boolean' || value !== undefined) {
      // The value of a consent checkbox is its sentence; without a `value` attribute, its label.
      entries.push([name, kind === 'consent' && text === 'on' ? labelOf(control, true) : (value ?? false)]);
    }
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
  /** Reads a body that is none of {@link accepted}. */
  readonly read: ReadVerdict;
}

/** The bodies that are a yes by themselves: that of relay and Signup Trigger, and none. Any other is read by a file. */
const accepted = ['{"status":"accepted"}', ''];

/** What became of a request. */
export interface Answer extends Partial<Verdict> {
  /** Why it failed; undefined if the endpoint has accepted the signup. */
  readonly kind?: FailureKind | undefined;
  /** HTTP status; undefined without an answer. */
  readonly status?: number;
  /** The browser's error, without an answer. */
  readonly cause?: unknown;
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  400: 'refused',
  413: 'tooLong',
  422: 'refused',
  429: 'limited',
};

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
    return (
      (await Promise.race([request.then((response) => readAnswer(post, response)), lost])) ?? (await send(post, onSent))
    );
  } catch (error) {
    return { kind: navigator.onLine ? 'unreachable' : 'offline', cause: error };
  } finally {
    clearTimeout(timer);
    // Also ends an answer that is not read: the body of some servers never ends.
    over.abort();
  }
}

/** A yes is a 2xx, unless its body is none of an endpoint, or says no. */
async function readAnswer({ body: sent, read }: Post, response: Response): Promise<Answer> {
  const { headers, ok, status } = response;
  // A connection that breaks leaves JSON that is broken too.
  const text = await response.text().catch(() => '{');
  if (ok && accepted.includes(text)) return { status, isJson: !!text };
  const verdict = await read(text, sent, headers.get('Retry-After') ?? '');
  if (ok && !verdict.isNo && !verdict.isForeign) return { status, isJson: verdict.isJson === true };
  const kind = ok && verdict.isNo ? 'refused' : (kindOfStatus[status] ?? 'unavailable');
  return { kind, status, ...verdict };
}
