/** HTML pages for visitors without JavaScript. Self-contained: no scripts, no fonts, no requests. */
import type { Entered } from './content-type.ts';
import { pageStyle } from './page-style.ts';
import type { Refused } from './refusal.ts';

/** Response headers of the pages. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** Headers of a page with a form: under `no-referrer` a browser would post with `Origin: null`. */
export const askPageHeaders = { ...pageHeaders, 'referrer-policy': 'same-origin' } as const;

/** Page after a stored signup. */
export function thanksHtml(): string {
  return page('Thank you for signing up', ['If a confirmation is needed, you will find it in your inbox.']);
}

/** Page after a refused signup. */
export function refusalHtml({ errors }: Refused): string {
  return page('Your signup was not saved', [...errors.map(({ message }) => message), 'Go back, and try again.']);
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
  const form = `<form method="post" accept-charset="utf-8">\n${fields.join('\n')}\n<button>Sign up</button>\n</form>`;
  return page('One more step', ['Press the button to finish your signup.'], form);
}

/**
 * A page in the operator's words with one button, which posts without fields to the URL of the page.
 */
export function buttonHtml({ title, button, lang }: ButtonPage): string {
  return page(title, [], `<form method="post">\n<button>${escapeHtml(button)}</button>\n</form>\n`, lang);
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
  return page(title, paragraphs);
}

function page(title: string, paragraphs: readonly string[], form = '', lang = 'en'): string {
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
<main dir="auto">
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
${form}</main>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
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
