/** Answers to a signup post. Success is the same for every address, so that it does not reveal who is subscribed. */
import { allowedOrigin } from './admission.ts';
import { wantsPage, type Entered, type ReadHeader } from './content-type.ts';
import { askHtml, askPageHeaders, pageHeaders, refusalHtml, thanksHtml } from './pages.ts';
import { refusalBody, type Refused } from './refusal.ts';

/** An HTTP response. */
export interface Answer {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The body of a 202. */
export const acceptedBody = { status: 'accepted' } as const;

const noSniff = { 'x-content-type-options': 'nosniff' };
const always = { 'cache-control': 'no-store', ...noSniff, vary: 'Origin' };
const json = { 'content-type': 'application/json' };

/**
 * The answer to a stored signup: 202 with JSON, or 303 to a page for a visitor without JavaScript.
 *
 * @param origins - the origins whose scripts may read the answer
 * @param thanksUrl - absolute, or relative to the endpoint
 */
export function acceptedAnswer(header: ReadHeader, origins: ReadonlySet<string>, thanksUrl: string): Answer {
  const headers = { ...always, ...corsHeaders(header, origins) };
  if (wantsPage(header)) return { status: 303, headers: { ...headers, location: thanksUrl }, body: null };
  return { status: 202, headers: { ...headers, ...json }, body: JSON.stringify(acceptedBody) };
}

/**
 * The answer to a refused post: the API's error body, or the same text as a page for a visitor without JavaScript.
 *
 * @param origins - the origins whose scripts may read the answer; null for none
 * @param entered - the fields of a form post; where only a token is missing, the page sends them again with the token
 */
export function refusalAnswer(
  header: ReadHeader,
  origins: ReadonlySet<string> | null,
  refused: Refused,
  entered?: Entered,
): Answer {
  const { status, retryAfterSeconds, ask } = refused;
  const headers = {
    ...always,
    ...corsHeaders(header, origins),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...(status === 405 && { allow: 'POST, OPTIONS' }),
  };
  if (!wantsPage(header))
    return { status, headers: { ...headers, ...json }, body: JSON.stringify(refusalBody(refused)) };
  if (ask?.token === undefined || entered === undefined)
    return { status, headers: { ...headers, ...pageHeaders }, body: refusalHtml(refused) };
  return { status, headers: { ...headers, ...askPageHeaders }, body: askHtml(entered, ask.token) };
}

/** The answer to the CORS preflight that a browser sends before it posts JSON to another origin. */
export function preflightAnswer(header: ReadHeader, origins: ReadonlySet<string> | null): Answer {
  const isAllowed = allowedOrigin(header, origins) !== null;
  const headers = {
    ...always,
    ...corsHeaders(header, origins),
    ...(isAllowed && {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type, Idempotency-Key, traceparent, tracestate',
      'access-control-max-age': '86400',
    }),
  };
  return { status: 204, headers, body: null };
}

/** The page for a visitor without JavaScript whose signup was stored. */
export function thanksAnswer(): Answer {
  return { status: 200, headers: { ...pageHeaders, ...noSniff }, body: thanksHtml() };
}

/** Lets scripts of an allowed origin read the answer and `Retry-After`. Cookies are neither sent nor accepted. */
function corsHeaders(header: ReadHeader, origins: ReadonlySet<string> | null): Readonly<Record<string, string>> {
  const origin = allowedOrigin(header, origins);
  return origin === null
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'Retry-After' };
}
