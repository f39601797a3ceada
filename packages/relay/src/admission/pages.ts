/** The two pages a visitor without JavaScript can see. Self-contained: no script, no font, nothing fetched. */
import type { Refused } from './refusal.ts';

const style = `:root{color-scheme:light dark;font:1.125rem/1.5 system-ui,sans-serif}
body{max-width:32rem;margin:15vh auto;padding:0 1.25rem}h1{font-size:1.5rem;line-height:1.25}`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Where a kept signup leads, unless RELAY_THANKS_URL names another page. */
export function thanksPage(): Response {
  const html = page('Thank you for signing up', ['If a confirmation is needed, you will find it in your inbox.']);
  return new Response(html, { headers: { ...headers, 'x-content-type-options': 'nosniff' } });
}

/** A refusal in words. */
export function errorPage({ status, errors }: Refused, also: Readonly<Record<string, string>>): Response {
  const html = page('Your signup was not saved', [...errors.map(({ message }) => message), 'Go back, and try again.']);
  return new Response(html, { status, headers: { ...also, ...headers } });
}

function page(title: string, paragraphs: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${style}</style>
<main>
<h1>${escape(title)}</h1>
${paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n')}
</main>
</html>
`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
