/**
 * Whether the body of an answer says yes or no, and what it says: read by its bytes, because few servers label them.
 * Also the time to wait that it names. Loaded with the first answer that is not the relay's yes.
 */
import { cleanText, type Ask } from '@newsletter-kit/core/signup';
import { asText, type Undo } from './form.ts';
import type { Messages } from './messages.ts';

/** What the body of an answer says. Each text is untrusted, and may be empty. */
export type Verdict = ReturnType<typeof readVerdict>;

/** {@link readVerdict}, once its file is loaded. */
export type ReadVerdict = (...given: Parameters<typeof readVerdict>) => Promise<Partial<Verdict>>;

/** Members with the message of an error, the most specific first. */
const messageNames = ['errors', 'error', 'message', 'msg', 'detail', 'error_message', 'errorMessage', 'data'];

/** Messages are looked for down to this depth. */
const depthLimit = 4;

/** The longest text, in characters, that can be an answer. */
const textLimit = 500;

/**
 * @param text - of the body
 * @param sent - the body of the request, as JSON: fields that the endpoint echoes say nothing
 * @param retryAfter - the header `Retry-After`
 */
export function readVerdict(text: string, sent: string, retryAfter: string = '') {
  const body = parse(text);
  const error: unknown = firstOf(memberOf(body, 'errors')) ?? memberOf(body, 'error');
  const asked = memberOf(body, 'ask');
  const ask: Ask | undefined = asked instanceof Object ? asked : undefined;
  return {
    /** Whether it is no answer of an endpoint: a page, broken JSON, or a text of more than a few sentences. */
    isForeign: body === undefined && (/^\s*[<{["]/.test(text) || text.length > textLimit),
    isJson: body !== undefined,
    isNo: saysNo(body, sent.toLowerCase()),
    /** The endpoint's error message: plain text. */
    message: cleanText(messageOf(body), 400),
    /** The endpoint's error code. */
    code: asText(memberOf(error, 'code')),
    /** What the endpoint asks for before it accepts the same request. */
    ask,
    /** Undefined unless the endpoint named a time to wait. */
    wait: waitOf(retryAfter),
  };
}

/**
 * The time to wait before the next attempt, from the moment of the answer. `Retry-After` has seconds or a date (RFC
 * 9110, 10.2.3); at most an hour, because the clock may be wrong.
 */
function waitOf(header: string) {
  const seconds = Number(header) || (Date.parse(header) - Date.now()) / 1000;
  if (!(seconds > 0)) return undefined;
  const until = Date.now() + Math.min(Math.ceil(seconds), 3600) * 1000;
  /** Seconds that are left. */
  const left = (): number => Math.max(until - Date.now(), 0) / 1000;
  /**
   * Calls back every second.
   *
   * @param tick - gets the seconds that are left; 0 exactly once, at the end. It must not read the clock again, which
   *   can have reached the end by then
   */
  const countDown = (tick: (left: number) => void): Undo => {
    const stop = (): void => clearInterval(timer);
    const timer = setInterval(() => {
      const rest = left();
      if (rest === 0) stop();
      tick(rest);
    }, 1000);
    return stop;
  };
  return { left, inWords, countDown };
}

/** Seconds in the language of the texts: `in 30 seconds`, `in 5 minutes`, `now` at the end. */
function inWords(seconds: number, { language, later }: Messages): string {
  const inSeconds = seconds < 90;
  try {
    return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
      Math.ceil(inSeconds ? seconds : seconds / 60),
      inSeconds ? 'second' : 'minute',
    );
  } catch {
    // Not in every browser, and a page's `language` may be none.
    return later;
  }
}

/**
 * Whether JSON says no, whatever its members are called: it is `false`, or it is an object – or a list of one, as n8n
 * gives it – with errors, with a status such as `error`, `validation_failed` or 400, or whose only boolean, also as a
 * text, is false. A false beside an id or the visitor's address is a part of the stored record. A number is a boolean
 * only where its name affirms something; else 0 is a code, such as that of no error, or a count.
 */
function saysNo(body: unknown, sent: string): boolean {
  const answer: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  if (!(answer instanceof Object) || Array.isArray(answer)) return answer === false;
  const isSent = (name: string, value = ''): boolean => sent.includes(`"${name}":${value}`.toLowerCase());
  const isError = ([name]: readonly [string, unknown]): boolean => /^errors?$/i.test(name);
  const members = Object.entries(answer).filter(([name]) => !isSent(name) && !isSent('name', JSON.stringify(name)));
  const isBoolean = ([name, value]: readonly [string, unknown]): boolean =>
    (/^(success|valid|ok)$/i.test(name) ? /^(true|false|[01])$/ : /^(true|false)$/).test(String(value));
  const booleans = members.filter((member) => isBoolean(member) && !isError(member));
  const isRecord = Object.entries(answer).some(
    ([name, value]) => value && (/^_?id$/i.test(name) || isSent('email', JSON.stringify(value))),
  );
  return (
    members.some((member) => isError(member) && isFilled(member[1])) ||
    members.some(([, value]) => /^([\w-]+[_-])?(err(or)?|fail(ed|ure)?)$/i.test(asText(value))) ||
    members.some(([name, value]) => /^status_?code$|^status$/i.test(name) && Number(value) >= 400) ||
    (!isRecord && booleans.length === 1 && /^(false|0)$/.test(String(booleans[0]?.[1])))
  );
}

/** The first message; empty if there is none. */
function messageOf(body: unknown, depth = 0): string {
  if (typeof body === 'string') return depth > 0 ? body : '';
  if (!(body instanceof Object) || depth > depthLimit) return '';
  if (Array.isArray(body)) return messageOf(body[0], depth + 1);
  const messages = messageNames.map((name) => {
    const value = memberOf(body, name);
    return messageOf(name === 'errors' ? firstOf(value) : value, depth + 1);
  });
  return messages.find(Boolean) ?? '';
}

/** @returns undefined for a text that is neither JSON nor a call with JSON, as JSONP is */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*[\w$.]+\(([^]*)\);?\s*$/, '$1'));
  } catch {
    return undefined;
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  value instanceof Object ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** The first of a list, or of a member for each field. */
const firstOf = (value: unknown): unknown => (value instanceof Object ? Object.values(value)[0] : value);

const isFilled = (value: unknown): boolean => (value instanceof Object ? Object.keys(value).length > 0 : !!value);
