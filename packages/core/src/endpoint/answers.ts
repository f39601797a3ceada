/**
 * Answers to a signup post: JSON, or an HTML page for a visitor without JavaScript. Success is the same for every
 * address, so that it does not reveal who is subscribed.
 */
import { allowedOrigin, wantsPage, type Entered, type ReadHeader } from './admission.ts';
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
  const page = framedPageHeaders(origins ?? []);
  if (ask?.token === undefined || entered === undefined)
    return { status, headers: { ...headers, ...page }, body: refusalHtml(refused) };
  return { status, headers: { ...headers, ...page, ...postingPage }, body: askHtml(entered, ask.token) };
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

/**
 * The page for a visitor without JavaScript whose signup was stored.
 *
 * @param origins - the origins of the sites that may show it in a frame
 */
export function thanksAnswer(origins: Iterable<string> = []): Answer {
  return { status: 200, headers: { ...framedPageHeaders(origins), ...noSniff }, body: thanksHtml() };
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

/** The header of a page with a form: under `no-referrer` a browser would post with `Origin: null`. */
export const postingPage = { 'referrer-policy': 'same-origin' } as const;

/** Page after a stored signup. */
export function thanksHtml(): string {
  return pageHtml({
    title: 'Thank you for signing up',
    paragraphs: ['If a confirmation is needed, you will find it in your inbox.'],
  });
}

/** Page after a refused signup. */
export function refusalHtml({ errors }: Refused): string {
  const paragraphs = [...errors.map(({ message }) => message), 'Go back, and try again.'];
  return pageHtml({ title: 'Your signup was not saved', paragraphs });
}

/**
 * Page with one button that repeats a refused post: the entered fields, now hidden, and the token go to the URL of the
 * page.
 */
export function askHtml(entered: Entered, token: string): string {
  const kept = [...entered].filter(([name]) => name !== 'token' && name !== 'proof');
  const fields = [...kept, ['token', token] as const].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const content = `<form method="post" accept-charset="utf-8">\n${fields.join('\n')}\n<button>Sign up</button>\n</form>`;
  return pageHtml({ title: 'One more step', paragraphs: ['Press the button to finish your signup.'], content });
}

/**
 * A page in the operator's words with one button, which posts without fields to the URL of the page.
 */
export function buttonHtml({ title, button, lang }: ButtonPage): string {
  const content = `<form method="post">\n<button>${escapeHtml(button)}</button>\n</form>\n`;
  return pageHtml({ title, paragraphs: [], content, lang });
}

/** Texts of a {@link buttonHtml} page. */
export interface ButtonPage {
  readonly title: string;
  readonly button: string;
  /** Language of the texts, as a BCP 47 tag. */
  readonly lang: string;
}

/** A page in English with a heading and paragraphs. */
export function messageHtml(title: string, paragraphs: readonly string[]): string {
  return pageHtml({ title, paragraphs });
}

/** A page without a script of its own. */
export interface PageParts {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** HTML after them. */
  readonly content?: string;
  /** Language of the texts, as a BCP 47 tag. Default: `en`. */
  readonly lang?: string;
  /** CSS after that of every page. */
  readonly style?: string;
}

/** Writes a page. */
export function pageHtml({ title, paragraphs, content = '', lang = 'en', style = '' }: PageParts): string {
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}${style}</style>
<main dir="auto">
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
${content}</main>
</html>
`;
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
