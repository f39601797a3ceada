/** The two pages a visitor without JavaScript can see. Self-contained: no script, no font, nothing fetched. */
import type { Refused } from './refused.ts';

const style = `:root{color-scheme:light dark;font:1.125rem/1.5 system-ui,sans-serif}
body{max-width:32rem;margin:15vh auto;padding:0 1.25rem}h1{font-size:1.5rem;line-height:1.25}`;

/** What the pages are sent with. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** The signup was kept. */
export function thanksHtml(): string {
  return page('Thank you for signing up', ['If a confirmation is needed, you will find it in your inbox.']);
}

/** A refusal in words. */
export function refusalHtml({ errors }: Refused): string {
  return page('Your signup was not saved', [...errors.map(({ message }) => message), 'Go back, and try again.']);
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
