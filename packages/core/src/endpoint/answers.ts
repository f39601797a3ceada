/**
 * Answers to a signup post: JSON, or an HTML page for a visitor without JavaScript. Success is the same for every
 * address, so that it does not reveal who is subscribed.
 */
import { allowedOrigin, wantsPage, type ReadHeader } from './admission.ts';
import { refusalBody, type Refused } from './refusal.ts';
import { pageStyle } from './page-style.ts';

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

/** An HTML page: its body, and the headers that belong to it. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/**
 * The answer to a refused post: the API's error body, or a page for a visitor without JavaScript.
 *
 * @param origins - the origins whose scripts may read the answer; null for none
 * @param page - for such a visitor. Default: the same text in English
 */
export function refusalAnswer(
  header: ReadHeader,
  origins: ReadonlySet<string> | null,
  refused: Refused,
  page: () => Page = () => plainPage(refused, origins ?? []),
): Answer {
  const { status, retryAfterSeconds } = refused;
  const headers = {
    ...always,
    ...corsHeaders(header, origins),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...(status === 405 && { allow: 'POST, OPTIONS' }),
  };
  if (!wantsPage(header))
    return { status, headers: { ...headers, ...json }, body: JSON.stringify(refusalBody(refused)) };
  const { headers: more, html } = page();
  return { status, headers: { ...headers, ...more }, body: html };
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

/** Lets scripts of an allowed origin read the answer and `Retry-After`. Cookies are neither sent nor accepted. */
function corsHeaders(header: ReadHeader, origins: ReadonlySet<string> | null): Readonly<Record<string, string>> {
  const origin = allowedOrigin(header, origins);
  return origin === null
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'Retry-After' };
}

/** Response headers of the pages. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/**
 * Response headers of a page that sites may show in a frame, as they show the form that leads to it.
 *
 * @param origins - the origins of these sites
 */
export function framedPageHeaders(origins: Iterable<string>): Readonly<Record<string, string>> {
  const policy = pageHeaders['content-security-policy'].replace(/'none'$/, ["'self'", ...origins].join(' '));
  return { ...pageHeaders, 'content-security-policy': policy };
}

/** Page after a refused signup, where the endpoint has none of its own. */
function plainPage({ errors }: Refused, origins: Iterable<string>): Page {
  const title = 'Your signup was not saved';
  const lines = [...errors.map(({ message }) => message), 'Go back, and try again.'];
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${pageStyle}</style>
<main>
<h1>${title}</h1>
${lines.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</main>
</html>
`;
  return { headers: framedPageHeaders(origins), html };
}

const entities: Readonly<Partial<Record<string, string>>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
