/**
 * The page of a form's site: its title, theme, colours and links, around one of the {@link contents}. Nothing on it is
 * loaded, and nothing that was sent becomes a link.
 */
import { hash } from 'node:crypto';
import {
  escapeHtml,
  framedPageHeaders,
  type Page,
  pageHeaders,
  pageStyle,
  refusalBody,
  type Refused,
} from '@newsletter-kit/core/endpoint';
import { partsOfLabel } from '@newsletter-kit/core/signup';
import type { Content } from './contents.ts';
import themes from './themes.json' with { type: 'json' };
import { filled, wordsIn } from './words.ts';

/** Names of the themes. */
export type Theme = keyof typeof themes;

/** What pages and mails have from the site of a form. */
export interface Site {
  /** Name of the newsletter. */
  readonly title: string;
  readonly lang: string;
  readonly theme: Theme | null;
  /** Six hexadecimal digits after a `#`. */
  readonly accent: string | null;
  readonly homeUrl: string | null;
  readonly privacyUrl: string | null;
  readonly imprintUrl: string | null;
  readonly origins: ReadonlySet<string>;
}

/** The site of a form; one without a name where the form is unknown. */
export function siteOf(
  form: (Pick<Site, 'origins'> & { readonly site: Omit<Site, 'origins'> }) | null | undefined,
): Site {
  return form ? { ...form.site, origins: form.origins } : unknownSite;
}

const unknownSite: Site = {
  title: '',
  lang: 'en',
  theme: null,
  accent: null,
  homeUrl: null,
  privacyUrl: null,
  imprintUrl: null,
  origins: new Set(),
};

/** Where the pages of a site lead back to; null where it is unknown. */
export function homeOf({ homeUrl, origins }: Site): string | null {
  return homeUrl ?? [...origins][0] ?? null;
}

/** What a page has beside its content. */
export interface PageParts {
  /** Values of the sentences, by the names in their braces. */
  readonly values?: Readonly<Record<string, string>>;
  /** HTML after the sentences. */
  readonly html?: string | undefined;
}

/** A page with the site's name above one of the contents. */
export function pageOf(
  site: Site,
  { heading, text = [], button }: Content,
  { values = {}, html }: PageParts = {},
): Page {
  const words = wordsIn(site.lang);
  // A value keeps its direction within a sentence of the other.
  const shown = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, `<bdi>${escapeHtml(value)}</bdi>`]),
  );
  const parts = [
    ...text.map((word) => `<p>${filled(escapeHtml(words[word]), shown)}</p>`),
    ...(button === undefined ? [] : [buttonHtml(words[button])]),
    ...(html === undefined ? [] : [html]),
  ];
  return sitePage(site, words.lang, words[heading], parts.join('\n'));
}

/** A form with one button, which posts to the address of its page. */
export function buttonHtml(label: string, fields = ''): string {
  return `<form method="post" accept-charset="utf-8">\n${fields}<button>${escapeHtml(label)}</button>\n</form>`;
}

/**
 * A page of a site, which the site may show in a frame. The title of the site stands above the heading, unless it is
 * the heading.
 *
 * @param lang - of heading and HTML
 */
export function sitePage(site: Site, lang: string, heading: string, html: string): Page {
  const { title, privacyUrl, imprintUrl } = site;
  const isTitled = title !== '' && title !== heading;
  const words = wordsIn(lang);
  const home = homeOf(site);
  const links = [
    ...(home === null ? [] : [`<a href="${escapeHtml(home)}" target="_top">${escapeHtml(new URL(home).host)}</a>`]),
    ...(privacyUrl === null ? [] : [outwardLink(privacyUrl, words.privacy)]),
    ...(imprintUrl === null ? [] : [outwardLink(imprintUrl, words.imprint)]),
  ];
  const framed = framedPageHeaders(site.origins);
  return {
    headers: {
      ...framed,
      'content-security-policy': `${framed['content-security-policy']}; img-src data:; script-src 'sha256-${scriptHash}'`,
      // Under `no-referrer` a browser would post with `Origin: null`.
      'referrer-policy': 'same-origin',
    },
    html: `<!doctype html>
<html lang="${escapeHtml(lang)}" dir="${directionOf(lang)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(isTitled ? `${heading} · ${title}` : heading)}</title>
<style>${pageStyle}${site.theme === null ? '' : themes[site.theme]}${style}${accentStyle(site)}</style>
${isTitled ? `<header>${escapeHtml(title)}</header>\n` : ''}<main>
<h1>${escapeHtml(heading)}</h1>
${html}
</main>
${links.length === 0 ? '' : `<footer>${links.join('\n')}</footer>\n`}<script>${reportHeight}</script>
</html>
`,
  };
}

/** The answer with a page of a confirmation link: in no frame, and in no search engine. */
export function linkPage(
  status: number,
  { headers, html }: Page,
  more: Readonly<Record<string, string>> = {},
): Response {
  const policy = headers['content-security-policy']?.replace(/frame-ancestors [^;]*/, "frame-ancestors 'none'") ?? '';
  const own = { ...headers, 'content-security-policy': policy, 'referrer-policy': pageHeaders['referrer-policy'] };
  return new Response(html, { status, headers: { ...own, ...unstored, 'x-robots-tag': 'noindex', ...more } });
}

/** The direction of a language, by its script. */
export const directionOf = (lang: string): 'rtl' | 'ltr' =>
  /^(?:Adlm|Arab|Hebr|Nkoo|Syrc|Thaa)$/.test(new Intl.Locale(lang).maximize().script ?? '') ? 'rtl' : 'ltr';

/** Headers of every page. */
export const unstored = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** An answer with the errors of a refusal. */
export const refuse = (why: Refused): Response =>
  Response.json(refusalBody(why), { status: why.status, headers: unstored });

const outwardLink = (address: string, label: string): string =>
  `<a href="${escapeHtml(address)}" target="_blank" rel="noopener">${escapeHtml(label)}</a>`;

/** An operator's text with its links, as HTML. */
export const linkedHtml = (text: string): string =>
  partsOfLabel(text)
    .map(({ text, address }) => (/^https?:/i.test(address) ? outwardLink(address, text) : escapeHtml(text)))
    .join('');

/** An operator's text as it reads. */
export const withoutLinks = (text: string): string =>
  partsOfLabel(text)
    .map((part) => part.text)
    .join('');

/** The attribute of a field that a browser may fill in. */
export const autocompleteOf = (value: string): string => (value === '' ? '' : ` autocomplete="${value}"`);

/** Tells the page around a frame how high it would be without scrolling. */
const reportHeight =
  "if(parent!==window)new ResizeObserver(()=>parent.postMessage({type:'newsletter-height',height:Math.ceil(document.body.getBoundingClientRect().height)},'*')).observe(document.body)";
const scriptHash = hash('sha256', reportHeight, 'base64');

const style = [
  'html{min-height:100vh}',
  'body{margin:0 auto;padding:2rem 1.25rem}',
  'header{margin-block-end:1.5rem;padding-inline-start:.75rem;border-inline-start:.25rem solid var(--accent);font-weight:600}',
  'form{display:grid;gap:1.25rem;margin-block:1.5rem}form p{margin:0}',
  'label,legend{display:block;font-weight:600}',
  'label small,legend small{font-weight:400}',
  'input:not([type=checkbox],[type=hidden]){display:block;width:100%;min-height:3rem;margin-top:.375rem;padding:.5rem .875rem;border:1px solid color-mix(in srgb,var(--edge) 75%,var(--ink));border-radius:8px;background:light-dark(#fff,var(--sunk));color:var(--ink);font:inherit;font-weight:400}',
  '[aria-invalid]{outline:2px solid var(--bad)}',
  'fieldset,legend{margin:0;padding:0;border:0}',
  '.choice{display:flex;align-items:center;gap:.625rem;min-height:2.75rem;font-weight:400}',
  '.choice input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--accent)}',
  '.error,.error a{margin:0;color:var(--bad)}',
  'label+.error{margin-block-start:-.75rem}',
  'button{min-height:3rem}',
  'h2{font-size:1.15em}',
  'footer{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;margin-block-start:3rem;padding-block-start:1rem}',
  'footer{border-block-start:1px solid var(--edge);font-size:.875rem}',
  'footer a{color:var(--soft)}',
].join('');

/** What an accent may not hide. */
const plain = 'button{border-color:var(--edge)}a{color:inherit}:focus-visible{outline-color:currentColor}';

/** A colour of the site's own is seen on buttons and bars: what is read keeps the colour of the text. */
function accentStyle(site: Site): string {
  if (site.accent === null) return '';
  const { accent, ink } = accentOf(site);
  return `:root{--accent:${accent};--on-accent:${ink}}${plain}`;
}

/** The colour of a site's buttons, without one that of its theme for light pages, and the colour of their text. */
export function accentOf({ accent, theme }: Site): { readonly accent: string; readonly ink: string } {
  const style = theme === null ? pageStyle : themes[theme];
  const colour = accent ?? /--accent:(?:light-dark\()?(#[\da-f]{6})/.exec(style)?.[1] ?? '#1a2024';
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\da-f]{2}/gi) ?? []).map((pair) => {
    const light = Number.parseInt(pair, 16) / 255;
    return light <= 0.04045 ? light / 12.92 : ((light + 0.055) / 1.055) ** 2.4;
  });
  // Relative luminance of WCAG: above this value, black has the higher contrast.
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  return { accent: colour, ink: isLight ? '#000000' : '#ffffff' };
}
