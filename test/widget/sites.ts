/**
 * The CSS of other people's sites, light and dark, and pages of these sites with forms on them. The style sheets are
 * those of the npm packages in `test/widget/sites`, installed on first use. Where a theme is in no package, a row sets
 * the facts of its style sheet that matter here, and names where they stand. Further sheets are drawn from packages
 * that no row names.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { root } from '../../scripts/root.ts';
import { layouts } from '../../widget/src/template.ts';
import { seeded } from '../support/seeded.ts';

export { layouts };

export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];
export type Layout = (typeof layouts)[number];

/** What one colour scheme of a site adds. */
interface Look {
  /** Attributes of the root element. */
  readonly root?: string;
  /** The class of the body. */
  readonly body?: string;
  /** Style sheets, from the folder of the packages; with a slash before it, an address. */
  readonly sheets?: readonly string[];
  readonly css?: string;
}

export interface Site extends Look {
  readonly name: string;
  /** The class of the element around the content. Default: none; the sheet or `css` styles `main`. */
  readonly container?: string;
  /** The class of headings, for frameworks that reset headings without one. */
  readonly heading?: string;
  readonly light?: Look;
  /** The dark scheme of the site. Default: `dark` below. */
  readonly dark?: Look;
}

/** A dark scheme as owners write it by hand: without `color-scheme`, with a colour of its own for headings. */
const dark: Look = { css: 'body { background: #0f1115; color: #cbd5e1 } h1, h2, h3 { color: #fff }' };

/** A column in the middle, for sheets without a container. */
const column = 'main { max-width: 45em; margin: auto; padding: 1em }';

export const sites: readonly Site[] = [
  { name: 'Bootstrap 3', sheets: ['bootstrap3/dist/css/bootstrap.css'], container: 'container' },
  { name: 'Bootstrap 4', sheets: ['bootstrap4/dist/css/bootstrap.css'], container: 'container' },
  {
    name: 'Bootstrap 5',
    sheets: ['bootstrap5/dist/css/bootstrap.css'],
    container: 'container',
    dark: { root: 'data-bs-theme="dark"' },
  },
  {
    name: 'Tailwind CSS',
    sheets: ['tailwindcss/preflight.css'],
    // Its classes are made from the pages that use them: bg-white text-slate-900 dark:bg-slate-900 dark:text-slate-200
    // on the body, and those of headings.
    css: `.text-2xl { font-size: 1.5rem; line-height: 2rem } .font-bold { font-weight: 700 } ${column}`,
    heading: 'text-2xl font-bold',
    light: { css: 'body { background: #fff; color: #0f172b }' },
    dark: { css: 'body { background: #0f172b; color: #e2e8f0 }' },
  },
  {
    name: 'Bulma',
    sheets: ['bulma/css/bulma.css'],
    container: 'container p-4',
    heading: 'title is-4',
    light: { root: 'data-theme="light"' },
    dark: { root: 'data-theme="dark"' },
  },
  {
    name: 'Pico',
    sheets: ['@picocss/pico/css/pico.css'],
    container: 'container',
    light: { root: 'data-theme="light"' },
    dark: { root: 'data-theme="dark"' },
  },
  { name: 'Foundation', sheets: ['foundation-sites/dist/css/foundation.css'], container: 'grid-container' },
  {
    name: 'UIkit',
    sheets: ['uikit/dist/css/uikit.css'],
    container: 'uk-container',
    dark: { body: 'uk-background-secondary uk-light' },
  },
  {
    name: 'Semantic UI',
    sheets: ['semantic-ui-css/semantic.css'],
    container: 'ui text container',
    dark,
  },
  { name: 'normalize.css', sheets: ['normalize.css/normalize.css'], css: column },
  {
    name: 'Water.css',
    light: { sheets: ['water.css/out/light.css'] },
    dark: { sheets: ['water.css/out/dark.css'] },
  },
  {
    name: 'Sakura',
    light: { sheets: ['sakura.css/css/sakura.css'] },
    dark: { sheets: ['sakura.css/css/sakura-dark.css'] },
  },
  { name: 'MVP.css', sheets: ['mvp.css/mvp.css'], dark: { root: 'color-mode="user"' } },
  {
    name: 'Tachyons',
    sheets: ['tachyons/css/tachyons.css'],
    container: 'mw7 center ph3',
    light: { body: 'sans-serif near-black bg-white' },
    dark: { body: 'sans-serif near-white bg-near-black' },
  },
  { name: 'Primer', sheets: ['@primer/css/dist/primer.css'], container: 'container-md p-3' },
  { name: 'Milligram', sheets: ['milligram/dist/milligram.css'], container: 'container' },
  { name: 'Skeleton', sheets: ['skeleton-css/css/skeleton.css'], container: 'container' },
  { name: 'new.css', sheets: ['@exampledev/new.css/new.css'], dark: {} },
  { name: 'Simple.css', sheets: ['simpledotcss/simple.css'], dark: {} },
  { name: 'Pure', sheets: ['purecss/build/pure.css'], css: column },
  { name: 'Materialize', sheets: ['materialize-css/dist/css/materialize.css'], container: 'container' },
  {
    // Shared by Ghost's own themes.
    name: 'Ghost Themes',
    sheets: ['@tryghost/shared-theme-assets/assets/css/v2/screen.css'],
    container: 'gh-outer gh-inner',
    css: 'main { max-width: 72rem; margin: auto }',
    dark: { root: 'class="has-light-text"', css: ':root { --color-white: #15171a }' },
  },
  {
    // TryGhost/Casper, assets/css/global.css: midgrey, 25 % darker.
    name: 'Ghost Casper',
    css: `html { font-size: 62.5% } body { margin: 0; font: 1.5rem/1.6em sans-serif; color: #3c484e; background: #fff }
      h1, h2, h3, p, small { margin: 0; font: inherit; font-size: 100% } p { margin: 0 0 1.5em }
      h1, h2 { line-height: 1.15; font-weight: 700; margin: 1.5em 0 0.5em; font-size: 2rem } ${column}`,
    dark: { css: 'body { background: #191b1f; color: #e5eff5bf } h1, h2, h3 { color: #fffffff0 }' },
  },
  {
    // Shopify/dawn, assets/base.css and layout/theme.liquid.
    name: 'Shopify Dawn',
    css: `html { font-size: 62.5% } body { margin: 0; font: 1.5rem/1.8 sans-serif; letter-spacing: 0.06rem }
      h1, h2 { font-weight: 400; letter-spacing: 0.06rem; line-height: 1.3; word-break: break-word; font-size: 2.4rem }
      p:empty, div:empty { display: none } *:focus { outline: 0; box-shadow: none } ${column}`,
    light: { css: 'body { background: #fff; color: rgb(18 18 18 / 75%) } h1, h2 { color: rgb(18 18 18) }' },
    dark: { css: 'body { background: #121212; color: rgb(255 255 255 / 75%) } h1, h2 { color: #fff }' },
  },
  {
    // WordPress/twentytwenty, style.css.
    name: 'WordPress Twenty Twenty',
    css: `html { font-size: 62.5% } body { margin: 0; color: #000; background: #f5efe0; letter-spacing: -0.015em;
      font: 1.8rem Helvetica, sans-serif } * { word-break: break-word } small { font-size: 0.75em }
      h1, h2 { font-weight: 700; letter-spacing: -0.0415625em; line-height: 1.25; margin: 3.5rem 0 2rem; font-size: 3.2rem }
      p { line-height: 1.5; margin: 0 0 1em } a { color: #cd2653 } ${column}`,
    dark,
  },
  {
    // WordPress/twentytwentyfive, theme.json and styles/01-evening.json.
    name: 'WordPress Twenty Twenty-Five',
    css: `body { margin: 0; font: 300 1.375rem/1.4 Manrope, sans-serif; letter-spacing: -0.1px }
      h1, h2 { font-weight: 400; line-height: 1.125; letter-spacing: -0.1px; font-size: 2rem }
      :where(.is-layout-flow) > * { margin-block: 1.2rem 0 } ${column}`,
    container: 'is-layout-flow',
    light: { css: 'body { background: #fff; color: #111 }' },
    dark: { css: 'body { background: #1b1b1b; color: #cbcbcb } h1, h2 { color: #f0f0f0 }' },
  },
  {
    // The same mistake from both sides: the page's colours and its `color-scheme` do not belong together.
    name: 'A page without color-scheme',
    css: column,
    light: { css: 'html { color-scheme: dark } body { background: #fff; color: #222 } h1, h2, h3 { color: #111 }' },
    dark,
  },
  {
    name: 'A coloured page',
    css: `body { font: 1.125rem/1.6 Georgia, serif } ${column}`,
    light: { css: 'body { background: #ffe14d; color: #1d1a05 }' },
    dark: { css: 'body { background: #1d4ed8; color: #fff }' },
  },
  {
    name: 'A page that unsets everything',
    css: 'body * { all: unset } input { width: 100% !important } body > style, script { display: none } main, section, p, h1, h2 { display: block }',
    dark,
  },
];

/** The folder that the paths of style sheets start from. */
export const sheetFolder = join(root, 'test/widget');

/** Installs the packages of the sites, or those that sheets are drawn from. */
export const installSites = (folder: 'sites' | 'drawn' = 'sites'): Promise<void> =>
  installLocked({
    folder: join(sheetFolder, folder),
    title: `the CSS of ${folder === 'sites' ? 'other sites (80 MB)' : 'further sites (100 MB)'}`,
    needs: 'the npm registry and about 100 MB of disk',
  });

/**
 * Sites with a style sheet each, drawn from the packages in `test/widget/drawn`: a sheet that styles forms, or resets
 * every element.
 *
 * @param isWhole - the sheet that the package names as its own, where it names one
 */
export async function drawSites(seed: number, count: number, isWhole = false): Promise<readonly Site[]> {
  await installSites('drawn');
  const random = seeded(seed);
  const drawFrom = <Item>(items: Item[]): Item | undefined => items.splice(Math.floor(random() * items.length), 1)[0];
  const folder = join(sheetFolder, 'drawn');
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const packages = Object.keys(dependencies);
  const drawn: Site[] = [];
  while (packages.length > 0 && drawn.length < count) {
    const path = `node_modules/${drawFrom(packages)}`;
    const manifest = readFileSync(join(folder, path, 'package.json'), 'utf8');
    const { style, main } = JSON.parse(manifest) as Partial<Record<'style' | 'main', string>>;
    const named = isWhole ? [style, main].filter((file) => file?.endsWith('.css')) : [];
    const files = globSync(`${path}/${named[0] ?? '**/*.css'}`, { cwd: folder }).toSorted();
    for (let file = drawFrom(files); file; file = drawFrom(files)) {
      const css = readFileSync(join(folder, file), 'utf8');
      if (!/(?:^|[\s,}>])(?:\*|button\b|form\b|input\b)[^{}]*\{/.test(css) || css.length >= 1e6) continue;
      drawn.push({ name: file.replace('node_modules/', ''), sheets: [`drawn/${file}`], css: column });
      break;
    }
  }
  return drawn;
}

const picture = `data:image/svg+xml,${encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 5' preserveAspectRatio='none'><path fill='#8bb8d3' d='M0 0h4v5H0z'/><path fill='#0c4a75' d='M0 3q2-1 4 0v2H0z'/></svg>",
)}`;

/** The fields of the layouts that have room for them. */
const fields = `<newsletter-field name="Born" kind="date"></newsletter-field>
  <newsletter-field name="Topics" kind="list" options="Boats, Food, History" value="Food"></newsletter-field>
  <newsletter-field name="Frequency" options="Daily, Weekly"></newsletter-field>
  <newsletter-field kind="consent" label="I have read the [privacy notice]." href="/privacy" required></newsletter-field>`;

/** The tag as the documentation writes it, on this site. */
export function tag({ heading = '' }: Site, layout: Layout, content = layout === 'card' ? fields : ''): string {
  return `<newsletter-signup endpoint="/signup" layout="${layout}" text-email-placeholder="ada@example.com">
    ${layout === 'cover' ? `<img slot="picture" src="${picture}" alt="">` : ''}
    ${layout === 'dialog' ? '<button slot="trigger">Subscribe</button>' : ''}
    <h2 slot="head" class="${heading}">Letters from the lighthouse</h2>
    <p slot="head">Every Tuesday, five minutes of good reading.</p>
    ${content}
    <p slot="proof">Join 4,200 readers.</p>
    <p slot="note">Free. Leave with one click.</p>
  </newsletter-signup>`;
}

/** A page of the site with this content. */
export function pageOf(site: Site, scheme: Scheme, content: string, script: string): string {
  const looks = [site, site[scheme] ?? (scheme === 'dark' ? dark : {})];
  const of = (key: 'root' | 'body' | 'css'): string => looks.map((look) => look[key] ?? '').join(' ');
  const sheets = looks
    .flatMap((look) => look.sheets ?? [])
    .map((path) => (path.startsWith('/') ? path : `/sheets/${path.replace(/^(?!drawn)/, 'sites/node_modules/')}`));
  return `<!doctype html><html lang="en" ${of('root')}><meta charset="utf-8"><title>${site.name}</title>
    <meta name="viewport" content="width=device-width">
    ${sheets.map((path) => `<link rel="stylesheet" href="${path}">`).join('')}
    <style>${of('css')}</style><script src="${script}" defer></script>
    <body class="${of('body')}"><main class="${site.container ?? ''}">${content}</main></html>`;
}
