/** Whether an endpoint's JSON says yes or no, and what it says: endpoints also refuse with status 200. */
import { cleanText, type Ask } from '@newsletter-kit/core/signup';

/** What the JSON of an answer says. Each text is untrusted, and may be empty. */
export interface Verdict {
  readonly isNo: boolean;
  /** The endpoint's error message: plain text. */
  readonly message: string;
  /** The endpoint's error code. */
  readonly code: string;
  /** What the endpoint asks for before it accepts the same request. */
  readonly ask: Ask | undefined;
}

/** Members that say no, by their names: whether their value does. */
const members: readonly (readonly [name: RegExp, saysNo: (value: unknown) => boolean])[] = [
  [/^(ok|success|succeeded|accepted|(is_?)?valid)$/i, (value) => /^(false|0|no)$/i.test(asScalar(value))],
  [/^(errors?|error_?message|exception)$/i, (value) => !isEmpty(value)],
  [
    /^(status|result|type)$/i,
    (value) =>
      /(^|[^a-z])(error|fail(ed|ure)?|invalid|refused|rejected|denied|spam|aborted)($|[^a-z])/i.test(asText(value)),
  ],
  [/^(status|status_?code|code)$/i, (value) => /^[45]\d\d$/.test(asScalar(value))],
];

/** Members with the message of an error, the most specific first. */
const messageNames = ['errors', 'error', 'message', 'msg', 'detail', 'error_message', 'errorMessage', 'data'];

/** Members of a nested answer are read down to this depth. */
const depthLimit = 4;

/** @param body - parsed JSON; undefined where there is none */
export function readVerdict(body: unknown): Verdict {
  const error: unknown = firstOf(memberOf(body, 'errors')) ?? memberOf(body, 'error');
  const ask = memberOf(body, 'ask');
  return {
    isNo: saysNo(body),
    message: cleanText(messageOf(body), 400),
    code: asText(memberOf(error, 'code')),
    ask: ask instanceof Object ? ask : undefined,
  };
}

function saysNo(body: unknown, depth = 0): boolean {
  if (body === false) return depth === 0;
  if (!(body instanceof Object) || depth > depthLimit) return false;
  // A list of one is an answer in a list, as n8n gives it; a longer one is data.
  if (Array.isArray(body)) return body.length === 1 && saysNo(body[0], depth + 1);
  return Object.entries(body).some(
    ([name, value]) => members.some(([pattern, isNo]) => pattern.test(name) && isNo(value)) || saysNo(value, depth + 1),
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

const memberOf = (value: unknown, name: string): unknown =>
  value instanceof Object ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** The first of a list, or of a member for each field. */
const firstOf = (value: unknown): unknown => (value instanceof Object ? Object.values(value)[0] : value);

const isEmpty = (value: unknown): boolean =>
  value instanceof Object ? Object.keys(value).length === 0 : !value || /^(0|false|no|none)$/i.test(asText(value));

const asScalar = (value: unknown): string => (value instanceof Object ? '' : String(value));

/** An untrusted value as text; empty unless it is a string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
