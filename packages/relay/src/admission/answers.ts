/** Every answer the relay gives to a post. One success, the same for everybody: it must not tell who is subscribed. */
import {
  askHtml,
  askPageHeaders,
  pageHeaders,
  refusalBody,
  refusalHtml,
  thanksHtml,
  wantsPage,
  type Entered,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import { contentHeaders, type Asker, type Visit } from './visit.ts';

/** An answer; {@link toResponse} makes it a response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

/**
 * What scripts are told of a kept signup, by the origin that may read it: as many as the configuration names, made once
 * each.
 */
const acceptedJson = new Map<string | null, Answer>();

/**
 * Kept. JSON for scripts; a visitor without them is sent to a fixed page.
 * @param thanks - the relay's own, seen from the form's address
 */
export function accepted(visit: Visit, thanks: string): Answer {
  if (wantsPage(contentHeaders(visit))) {
    return {
      status: 303,
      headers: { ...always, ...crossOrigin(visit), location: visit.form.thanksUrl ?? thanks },
      body: null,
    };
  }
  const reader = readerOf(visit);
  let answer = acceptedJson.get(reader);
  if (answer === undefined) {
    const headers = { ...always, ...crossOrigin(visit), 'content-type': 'application/json' };
    answer = { status: 202, headers, body: JSON.stringify({ status: 'accepted' }) };
    acceptedJson.set(reader, answer);
  }
  return answer;
}

/** Where a kept signup leads, unless RELAY_THANKS_URL names another page. */
export function thanksPage(): Response {
  return new Response(thanksHtml(), { headers: { ...pageHeaders, 'x-content-type-options': 'nosniff' } });
}

/**
 * Not kept, and why: the API's error body, or a page that says the same.
 *
 * @param entered - what a form post held; where only a token is missing, the page carries it along
 */
export function refusal(asker: Asker, refused: Refused, entered?: Entered): Answer {
  const headers = {
    ...always,
    ...crossOrigin(asker),
    ...(refused.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(refused.retryAfterSeconds)) }),
    ...(refused.status === 405 && { allow: 'POST, OPTIONS' }),
  };
  const { status } = refused;
  if (!wantsPage(contentHeaders(asker))) {
    return {
      status,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(refusalBody(refused)),
    };
  }
  const token = refused.ask?.token;
  if (token === undefined || entered === undefined)
    return { status, headers: { ...headers, ...pageHeaders }, body: refusalHtml(refused) };
  return { status, headers: { ...headers, ...askPageHeaders }, body: askHtml(entered, token) };
}

/** The answer to a browser that asks before it posts JSON across origins. */
export function preflight(asker: Asker): Response {
  const allowed = crossOrigin(asker);
  return new Response(null, {
    status: 204,
    headers: {
      ...always,
      ...allowed,
      ...('access-control-allow-origin' in allowed && {
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, traceparent, tracestate',
        'access-control-max-age': '86400',
      }),
    },
  });
}

/** The origin of an allowed page; null where another one asks, or none. */
function readerOf({ header, form }: Asker): string | null {
  const origin = header('origin');
  return origin !== null && form?.origins.has(origin) ? origin : null;
}

/** Lets scripts of an allowed page read the answer, and how long to wait; never sends or takes cookies. */
function crossOrigin(asker: Asker): Record<string, string> {
  const reader = readerOf(asker);
  return reader === null
    ? {}
    : { 'access-control-allow-origin': reader, 'access-control-expose-headers': 'Retry-After' };
}
