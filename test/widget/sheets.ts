/**
 * Takes pictures of the form for people to look at. `npm run sheets` in the folder of the tag writes them into
 * `.output/sheets`, which git ignores: every layout in four states, and the open dialog, on each site of `sites.ts` and
 * in each theme, by colour scheme and width, themes in forced colours too. It also writes `.github/sites.webp` and
 * `.github/themes.webp`, which the documentation shows. Arguments limit it to these: `npm run sheets -- Pico ink`;
 * `readme` and `docs` are those two pictures.
 *
 * The built files run in Chromium. The answers are made up, and nothing is sent.
 */
import { globSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { widgetScript } from '../../scripts/build.ts';
import { root } from '../../scripts/root.ts';
import { openBrowser } from '../e2e/visitor.ts';
import { openSite } from './site.ts';
import {
  installSites,
  layouts,
  pageOf,
  schemes,
  sheetFolder,
  sites,
  tag,
  type Layout,
  type Scheme,
  type Site,
} from './sites.ts';

const states = ['idle', 'error', 'success', 'busy'] as const;
type State = (typeof states)[number];
const pictures = join(root, '.output/sheets');
const script = `/${basename(widgetScript)}`;
const widths = [360, 768, 1280] as const;

const topics =
  '<newsletter-field name="Topics" kind="list" options="Boats, Food, History" value="Boats, History"></newsletter-field>';
const consent =
  '<newsletter-field kind="consent" label="I have read the [privacy notice]." href="/privacy" required></newsletter-field>';
const born = '<newsletter-field name="Born" kind="date"></newsletter-field>';

/**
 * What a cell of the READMEs' picture shows besides the layout with its address field: custom fields, a state, and the
 * colour of the site's own buttons, as its owner would set it. Default: the colour of the text.
 */
type Extras = { readonly state?: State } & Readonly<Partial<Record<'fields' | 'accent', string>>>;

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
  globalThis.isHeld = false;
  globalThis.fetch = () => isHeld ? new Promise(() => {}) : Promise.resolve(
    new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } }));
  globalThis.forms = () => [...document.querySelectorAll('newsletter-signup')];
  globalThis.reach = async (state) => {
    isHeld = state === 'busy';
    await customElements.whenDefined('newsletter-signup');
    for (const form of forms()) {
      await form.updateComplete;
      form.reset();
      if (state === 'success' || isHeld)
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
await installSites();
const [site, session] = [await openSite(sheetFolder), await openBrowser()];

/** A theme on a page without other styles; the ground behind it suits it in the picture of the documentation. */
const themeOn = (name: string, ground = 'Canvas'): Site => {
  const css = (scheme: Scheme): { readonly css: string } => ({
    css: `html { color-scheme: ${scheme} } body { font: 1rem/1.5 system-ui, sans-serif; background: ${ground} }`,
  });
  return { name, sheets: [`/themes/${name}.css`], light: css('light'), dark: css('dark') };
};
const themes = globSync('*.css', { cwd: join(root, 'widget/themes') }).map((file) => themeOn(basename(file, '.css')));

async function open(name: string, html: string, width: number, scheme: Scheme, isForced = false): Promise<Page> {
  const page = await session.browser.newPage();
  await page.evaluateOnNewDocument(hands);
  const features = [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'forced-colors', value: isForced ? 'active' : 'none' },
  ];
  await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', { features });
  await page.setViewport({ width, height: 100 });
  await page.goto(site.page(`/${encodeURIComponent(name)}`, { html }));
  return page;
}

/** Every layout of a site. */
async function takeSite(one: Site, scheme: Scheme, width: number, isForced = false): Promise<void> {
  const name = `${one.name.toLowerCase().replaceAll(/\W+/g, '-')}-${isForced ? 'forced' : scheme}-${width}`;
  const content = layouts.map(
    (layout) => `<section><h2 class="${one.heading ?? ''}">Harbour notes</h2>
    <p>Boats, food and history.</p>${tag(one, layout)}<p>After the form.</p></section>`,
  );
  const page = await open(name, pageOf(one, scheme, content.join(''), script), width, scheme, isForced);
  for (const state of states) {
    await page.evaluate(`reach('${state}')`);
    await page.screenshot({ path: `${pictures}/${name}-${state}.png`, fullPage: true });
  }
  await page.setViewport({ width, height: 900 });
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

/** A tile of the documentation's picture: a theme with texts that suit it, and the ground behind it. */
type Tile = { readonly layout: Layout } & Readonly<Record<'theme' | 'head' | 'intro' | 'ground', string>> &
  Readonly<Partial<Record<'note' | 'more' | 'button', string>>>;

/** The tiles, in rows of three. */
const tiles: readonly Tile[] = [
  {
    theme: 'ink',
    layout: 'inline',
    head: 'The <em>Harbour</em> Letter',
    intro: 'Boats, food and history along the coast. Every Thursday, before breakfast.',
    note: 'No. 113 goes out on Thursday.',
    ground: 'light-dark(#fbfaf6, #16171a)',
  },
  {
    theme: 'meadow',
    layout: 'card',
    head: 'Grow with us',
    intro: 'Seasonal notes from a small garden.',
    more: '<newsletter-field name="Topics" kind="list" options="Herbs, Soil, Bees" value="Herbs, Bees"></newsletter-field>',
    ground: 'linear-gradient(160deg, light-dark(#e9f4e4, #0e1811), light-dark(#d3e8d2, #0b120d))',
  },
  {
    theme: 'harbor',
    layout: 'cover',
    head: 'What the sea left behind this week',
    intro: 'Written by people who get their feet wet.',
    note: 'Join 4,200 readers. No tracking.',
    ground: 'light-dark(#eef3f7, #04101c)',
  },
  {
    theme: 'signal',
    layout: 'card',
    head: 'build logs, weekly',
    intro: 'What shipped, what broke, what we learned.',
    button: 'subscribe →',
    note: 'no tracking, one click to leave',
    ground: 'light-dark(#ffe14d, #232323)',
  },
  {
    theme: 'dusk',
    layout: 'card',
    head: 'After hours',
    intro: 'Music for the last train home, on Fridays.',
    note: 'Free. Leave with one click.',
    ground: 'light-dark(#efe9fb, #07041a)',
  },
  {
    theme: 'linen',
    layout: 'card',
    head: 'Letters from the mill',
    intro: 'Cloth, colour and slow work, once a month.',
    note: 'One letter a month. Leave with one click.',
    ground: 'light-dark(#efe6d8, #17120e)',
  },
];

/** The picture of a tile. Two themes draw a scene, which fills it. */
async function takeTile(
  { theme, layout, ground, button = 'Subscribe', ...texts }: Tile,
  scheme: Scheme,
): Promise<string> {
  const { head, intro, note, more = '' } = texts;
  const scene = ['harbor', 'dusk'].includes(theme)
    ? 'body { padding: 0 } newsletter-signup::part(surface) { min-block-size: 100vh; border-radius: 0 } newsletter-signup::part(panel) { align-self: center }'
    : '';
  const content = `<style>
      body { margin: 0; padding: 2rem; display: grid; align-items: center; box-sizing: border-box; block-size: 100vh } ${scene}
    </style>
    <newsletter-signup endpoint="/signup" layout="${layout}" text-email-placeholder="ada@example.com" text-button="${button}">
      <h2 slot="head">${head}</h2><p slot="head">${intro}</p>${more}${note ? `<small slot="note">${note}</small>` : ''}
    </newsletter-signup>`;
  const page = await open(
    `tile-${theme}-${scheme}`,
    pageOf(themeOn(theme, ground), scheme, content, script),
    440,
    scheme,
  );
  await page.setViewport({ width: 440, height: 440 });
  await page.evaluate(`reach('${theme === 'dusk' && scheme === 'dark' ? 'success' : 'idle'}')`);
  const picture = await page.screenshot({ encoding: 'base64' });
  await page.close();
  return `<img src="data:image/png;base64,${picture}">`;
}

/** The six themes, each with its dark scheme below it. */
async function takeThemes(): Promise<void> {
  const pictured: string[] = [];
  for (const row of [tiles.slice(0, 3), tiles.slice(3)])
    for (const scheme of schemes) for (const tile of row) pictured.push(await takeTile(tile, scheme));
  const html = `<!doctype html><style>
      body { margin: 0; padding: 20px; background: #f2f2f0; display: grid; grid-template-columns: repeat(3, 440px); gap: 20px }
      img { display: block; border-radius: 16px }
    </style>${pictured.join('')}`;
  const page = await open('themes', html, 1400, 'light');
  await page.screenshot({ path: join(root, '.github/themes.webp'), type: 'webp', quality: 85, fullPage: true });
}

await mkdir(pictures, { recursive: true });
try {
  for (const one of [...sites, ...themes].filter(({ name }) => isWanted(name)))
    for (const width of widths) {
      for (const scheme of schemes) await takeSite(one, scheme, width);
      if (themes.includes(one)) await takeSite(one, 'dark', width, true);
    }
  if (isWanted('readme')) await takeReadme();
  if (isWanted('docs')) await takeThemes();
} finally {
  await Promise.all([session.close(), site.close()]);
}
