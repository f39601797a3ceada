/**
 * Takes pictures of the form on other people's sites for people to look at. `npm run sheets:sites` in the folder of the
 * tag writes them into `.output/sites`, which git ignores: every layout in three states, and the open dialog, for each
 * site, colour scheme and width. It also writes `.github/sites.webp`, which the READMEs show. Arguments limit it to
 * these sites: `npm run sheets:sites -- Pico`; `readme` is the picture of the READMEs alone.
 *
 * The built files run in Chromium. The answers are made up, and nothing is sent.
 */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { widgetScript } from '../../scripts/build.ts';
import { root } from '../../scripts/root.ts';
import { openBrowser } from '../e2e/visitor.ts';
import { openSite } from './site.ts';
import { installSites, layouts, pageOf, schemes, sites, tag, type Layout, type Scheme, type Site } from './sites.ts';

type State = 'idle' | 'error' | 'success';
const pictures = join(root, '.output/sites');
const script = `/${basename(widgetScript)}`;
const widths = [360, 768, 1280] as const;

const topics =
  '<newsletter-field name="Topics" kind="list" options="Boats, Food, History" value="Boats, History"></newsletter-field>';
const consent =
  '<newsletter-field kind="consent" label="I have read the [privacy notice]." href="/privacy" required></newsletter-field>';
const born = '<newsletter-field name="Born" kind="date"></newsletter-field>';

/** What a cell of the READMEs' picture shows besides the layout with its address field. */
interface Extras {
  /** Custom fields. */
  readonly fields?: string;
  readonly state?: State;
  /** The colour of the site's own buttons, as its owner would set it. Default: the colour of the text. */
  readonly accent?: string;
}

/** The cells of the READMEs' picture. */
const cells: readonly (readonly [name: string, scheme: Scheme, layout: Layout, extras?: Extras])[] = [
  ['Tailwind CSS', 'light', 'card', { fields: topics + consent, accent: '#4f39f6' }],
  ['Bootstrap 5', 'dark', 'joined', { accent: 'var(--bs-primary)' }],
  ['WordPress Twenty Twenty-Five', 'light', 'inline'],
  ['Ghost Casper', 'dark', 'cover', { accent: '#3eb0ef' }],
  ['Shopify Dawn', 'light', 'joined'],
  ['Pico', 'dark', 'card', { fields: topics, accent: 'var(--pico-primary-background)' }],
  ['Bulma', 'light', 'stacked', { accent: 'var(--bulma-primary)' }],
  ['WordPress Twenty Twenty', 'light', 'cover', { accent: '#cd2653' }],
  ['UIkit', 'dark', 'inline'],
  ['Foundation', 'light', 'inline', { state: 'error', accent: '#1779ba' }],
  ['Bootstrap 3', 'light', 'card', { fields: born, accent: '#337ab7' }],
  ['Water.css', 'dark', 'stacked'],
  ['Ghost Themes', 'light', 'inline'],
  ['MVP.css', 'dark', 'joined', { accent: 'var(--color-link)' }],
  ['Semantic UI', 'light', 'card', { state: 'success', accent: '#21ba45' }],
  ['Sakura', 'dark', 'inline'],
  ['Primer', 'light', 'joined', { accent: '#28a745' }],
  ['A coloured page', 'dark', 'joined'],
];

/** Answers every request, and brings the forms into a state. */
const hands = `
  globalThis.fetch = () => Promise.resolve(
    new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } }));
  globalThis.forms = () => [...document.querySelectorAll('newsletter-signup')];
  globalThis.reach = async (state) => {
    await customElements.whenDefined('newsletter-signup');
    for (const form of forms()) {
      await form.updateComplete;
      if (state === 'success')
        for (const input of form.shadowRoot.querySelectorAll('[name=email], [name=consent]'))
          input.type === 'checkbox' ? (input.checked = true) : (input.value = 'ada@example.com');
      if (state !== 'idle') form.submit();
    }
    while (forms().some((form) => form.state !== state)) await new Promise((resolve) => setTimeout(resolve, 20));
    document.activeElement?.blur();
    await new Promise((resolve) => setTimeout(resolve, 300));
  };`;

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const [site, session] = [await openSite(await installSites()), await openBrowser()];

async function open(name: string, html: string, width: number, scheme: Scheme): Promise<Page> {
  const page = await session.browser.newPage();
  await page.evaluateOnNewDocument(hands);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width, height: 100 });
  await page.goto(site.page(`/${encodeURIComponent(name)}`, { html }));
  return page;
}

/** Every layout of a site. */
async function takeSite(one: Site, scheme: Scheme, width: number): Promise<void> {
  const name = `${one.name.toLowerCase().replaceAll(/\W+/g, '-')}-${scheme}-${width}`;
  const content = layouts.map(
    (layout) => `<section><h2 class="${one.heading ?? ''}">Harbour notes</h2>
    <p>Boats, food and history.</p>${tag(one, layout)}<p>After the form.</p></section>`,
  );
  const page = await open(name, pageOf(one, scheme, content.join(''), script), width, scheme);
  for (const state of ['idle', 'error', 'success'] as const) {
    await page.evaluate(`reach('${state}')`);
    await page.screenshot({ path: `${pictures}/${name}-${state}.png`, fullPage: true });
  }
  await page.setViewport({ width, height: 900 });
  await page.evaluate(`forms().at(-1).reset()`);
  await page.evaluate(`forms().at(-1).open()`);
  await page.screenshot({ path: `${pictures}/${name}-dialog.png` });
  await page.close();
}

/** The picture of one cell, and its height. */
async function takeCell(index: number): Promise<{ html: string; height: number }> {
  const [name = '', scheme = 'light', layout = 'inline', extras = {}] = cells[index] ?? [];
  const { fields = '', state = 'idle', accent = 'currentColor' } = extras;
  const one = sites.find((each) => each.name === name);
  if (!one) throw new Error(`There is no site ${name}.`);
  const content = `<div style="padding-block: 20px; --newsletter-accent: ${accent}">
    <p style="margin-block-end: 20px">The first boats are back from the winter quay.</p>${tag(one, layout, fields)}</div>`;
  const html = pageOf(one, scheme, content, script);
  const page = await open(`cell-${index}`, html, 400, scheme);
  await page.evaluate(`reach('${state}')`);
  const picture = await page.screenshot({ fullPage: true, encoding: 'base64' });
  const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
  await page.close();
  return {
    html: `<figure><img src="data:image/png;base64,${picture}"><figcaption>${name}, <b>${layout}</b></figcaption></figure>`,
    height,
  };
}

/** The cells in four columns of about the same height. */
async function takeReadme(): Promise<void> {
  const columns = Array.from({ length: 4 }, () => ({ html: '', height: 0 }));
  for (const index of cells.keys()) {
    const cell = await takeCell(index);
    const shortest = columns.reduce((one, other) => (other.height < one.height ? other : one));
    shortest.html += cell.html;
    shortest.height += cell.height + 60;
  }
  const page = await open(
    'readme',
    `<!doctype html><style>
      body { margin: 0; padding: 24px; display: flex; gap: 24px; background: #e7e5e1; font: 15px system-ui, sans-serif; color: #444 }
      figure { margin: 0 0 20px } img { display: block; width: 400px; border-radius: 12px } figcaption { padding: 8px 4px }
      b { font-weight: 400; color: #6b6b6b }
    </style>${columns.map(({ html }) => `<div>${html}</div>`).join('')}`,
    1720,
    'light',
  );
  await page.screenshot({ path: join(root, '.github/sites.webp'), type: 'webp', quality: 82, fullPage: true });
}

await mkdir(pictures, { recursive: true });
try {
  for (const one of sites.filter(({ name }) => isWanted(name)))
    for (const scheme of schemes) for (const width of widths) await takeSite(one, scheme, width);
  if (isWanted('readme')) await takeReadme();
} finally {
  await Promise.all([session.close(), site.close()]);
}
