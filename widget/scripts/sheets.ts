/**
 * Takes pictures of the form for people to look at. `npm run sheets` writes them into `.output/looks`, which git
 * ignores: one for every theme, colour scheme and width, with every layout in every state, and one for every theme in
 * forced colours. It also writes `.github/themes.webp`, which the documentation shows. Arguments limit it to these
 * themes: `npm run sheets -- ink none`; `docs` is the picture of the documentation alone. The form on other people's
 * sites: test/widget/site-sheets.ts.
 *
 * The built files run in Chromium. The answers are made up, and nothing is sent.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Page } from 'puppeteer-core';
import { findChromium } from '../../test/support/browsers/find.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const pictures = at('../../.output/looks');

const layouts = ['inline', 'joined', 'stacked', 'card', 'cover', 'dialog'] as const;
const states = ['idle', 'error', 'busy', 'success'] as const;
const schemes = ['light', 'dark'] as const;
const widths = [320, 480, 1200] as const;
const themes = (await readdir(at('../themes'))).map((file) => file.replace('.css', '')).sort();

/** A form in a frame, as the query of the frame's address. */
interface Cell {
  readonly theme: string;
  readonly layout: string;
  readonly state: string;
  readonly scheme: string;
  /** Arabic, right to left, in place of English. */
  readonly rtl?: string;
  /** A tile of the documentation's picture: on a ground that suits the theme. */
  readonly tile?: string;
}

/** The texts of a form in one language. */
interface Words {
  readonly title: string;
  readonly intro: string;
  readonly name: string;
  readonly topics: string;
  readonly options: string;
  readonly country: string;
  readonly countries: string;
  readonly consent: string;
  readonly note: string;
}

const english: Words = {
  title: 'What the sea left behind',
  intro: 'Boats, food and history along the coast. Every Thursday, before breakfast.',
  name: 'First name',
  topics: 'Topics',
  options: 'Boats, Food, History, Weather',
  country: 'Country',
  countries: 'Austria, Belgium, Denmark, Finland, France, Germany, Ireland, Italy',
  consent: 'I agree to the [privacy policy].',
  note: 'Free. Leave with one click.',
};
const arabic: Words = {
  title: 'رسالة كل ثلاثاء',
  intro: 'أهم أخبار الأسبوع في خمس دقائق.',
  name: 'الاسم',
  topics: 'المواضيع',
  options: 'تقنية، ثقافة، علوم',
  country: 'البلد',
  countries: 'النمسا، بلجيكا، الدنمارك، فنلندا، فرنسا، ألمانيا، أيرلندا، إيطاليا',
  consent: 'قرأت [سياسة الخصوصية] وأوافق عليها.',
  note: 'مجاني. إلغاء الاشتراك بنقرة واحدة.',
};

/** The tiles of the documentation's picture, in rows of three: layout, state, heading, sentence, fields. */
const tiles: Readonly<
  Partial<
    Record<
      string,
      { layout: string; head: string; intro: string; fields?: string; note?: string; button?: string; ground: string }
    >
  >
> = {
  ink: {
    layout: 'inline',
    head: 'The <em>Harbour</em> Letter',
    intro: 'Boats, food and history along the coast. Every Thursday, before breakfast.',
    note: 'No. 113 goes out on Thursday.',
    ground: 'light-dark(#fbfaf6, #16171a)',
  },
  meadow: {
    layout: 'card',
    head: 'Grow with us',
    intro: 'Seasonal notes from a small garden.',
    fields:
      '<newsletter-field name="Topics" kind="list" options="Herbs, Soil, Bees" value="Herbs, Bees"></newsletter-field>',
    ground: 'linear-gradient(160deg, light-dark(#e9f4e4, #0e1811), light-dark(#d3e8d2, #0b120d))',
  },
  harbor: {
    layout: 'cover',
    head: 'What the sea left behind this week',
    intro: 'Written by people who get their feet wet.',
    note: 'Join 4,200 readers. No tracking.',
    ground: 'light-dark(#eef3f7, #04101c)',
  },
  signal: {
    layout: 'card',
    head: 'build logs, weekly',
    intro: 'What shipped, what broke, what we learned.',
    button: 'subscribe →',
    note: 'no tracking, one click to leave',
    ground: 'light-dark(#ffe14d, #232323)',
  },
  dusk: {
    layout: 'card',
    head: 'After hours',
    intro: 'Music for the last train home, on Fridays.',
    note: 'Free. Leave with one click.',
    ground: 'light-dark(#efe9fb, #07041a)',
  },
  linen: {
    layout: 'card',
    head: 'Letters from the mill',
    intro: 'Cloth, colour and slow work, once a month.',
    note: 'One letter a month. Leave with one click.',
    ground: 'light-dark(#efe6d8, #17120e)',
  },
};

const fieldsOf = ({ name, topics, options, country, countries, consent }: Words): string => `
  <newsletter-field name="${name}"></newsletter-field>
  <newsletter-field name="${topics}" kind="list" options="${options}" value="${options.split(/[,،]/)[0]}"></newsletter-field>
  <newsletter-field name="${country}" options="${countries}"></newsletter-field>
  <newsletter-field kind="consent" label="${consent}" href="/" required></newsletter-field>`;

/** The content of the tag. Layouts on one line have only the email field. */
function contentOf({ layout, rtl, tile, theme }: Cell): string {
  const own = tile ? tiles[theme] : undefined;
  if (own) {
    const note = own.note ? `<small slot="note">${own.note}</small>` : '';
    return `<h2 slot="head">${own.head}</h2><p slot="head">${own.intro}</p>${own.fields ?? ''}${note}`;
  }
  const words = rtl ? arabic : english;
  const isRow = ['inline', 'joined', 'cover'].includes(layout);
  return `<h2 slot="head">${words.title}</h2><p slot="head">${words.intro}</p>${isRow ? '' : fieldsOf(words)}
    <small slot="note">${words.note}</small>`;
}

/** Brings the form into a state; runs in the page of a cell. */
async function act(state: string): Promise<void> {
  globalThis.fetch = () =>
    state === 'busy'
      ? new Promise(() => {})
      : Promise.resolve(new Response('{}', { status: 202, headers: { 'Content-Type': 'application/json' } }));
  const element = document.querySelector<HTMLElement & { open(): Promise<void>; submit(): void; state: string }>(
    'newsletter-signup',
  );
  await customElements.whenDefined('newsletter-signup');
  await element?.open();
  if (state !== 'idle') {
    const email = element?.shadowRoot?.querySelector<HTMLInputElement>('[name=email]');
    const consent = element?.shadowRoot?.querySelector<HTMLInputElement>('[name=consent]');
    if (email && state !== 'error') email.value = 'ada@gmail.com';
    if (consent && state !== 'error') consent.checked = true;
    element?.submit();
    for (let tries = 0; element?.state !== state && tries < 100; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 250));
  document.documentElement.dataset['ready'] = '';
}

/** Fills a tile with the scene that a theme draws. */
const sceneStyle = `
  body { padding: 0 }
  newsletter-signup::part(surface) { min-block-size: 100vh; border-radius: 0 }
  newsletter-signup::part(panel) { align-self: center }`;

/** The page of a cell. */
function pageOf(cell: Cell): string {
  const { theme, layout, state, scheme, rtl, tile } = cell;
  // These two draw a scene, which fills the tile.
  const isScene = tile && ['harbor', 'dusk'].includes(theme);
  const texts = tile
    ? `text-email-placeholder="ada@example.com" text-button="${tiles[theme]?.button ?? 'Subscribe'}"`
    : '';
  const language = rtl ? 'lang="ar" dir="rtl"' : 'lang="en"';
  const ground = (tile && tiles[theme]?.ground) || 'Canvas';
  return `<!doctype html><html ${language} style="color-scheme: ${scheme}"><title>${layout}</title>
    ${theme === 'none' ? '' : `<link rel="stylesheet" href="/themes/${theme}.css">`}
    <style>
      body { margin: 0; padding: ${tile ? '2rem' : '1.25rem'}; font: 1rem/1.5 system-ui, sans-serif; background: ${ground} }
      ${tile ? 'body { display: grid; align-items: center; box-sizing: border-box; block-size: 100vh }' : ''}
      ${isScene ? sceneStyle : ''}
      ${layout === 'dialog' ? 'body { block-size: 58rem }' : ''}
    </style>
    <body><newsletter-signup endpoint="/endpoint" layout="${layout}" ${texts}>${contentOf(cell)}</newsletter-signup>
    ${rtl ? '<script src="/languages/ar.js"></script>' : ''}<script src="/signup-form.js"></script>
    <script>globalThis.__name = (value) => value; (${act.toString()})(${JSON.stringify(state)})</script>`;
}

const types: Readonly<Partial<Record<string, string>>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** What the server answers at `/`. */
let current = '';

// The script loads its other files from beside itself.
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const answer = (content: string | Buffer, type = 'text/html'): unknown =>
    response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(content);
  if (pathname === '/') answer(current);
  else if (pathname === '/cell') answer(pageOf(Object.fromEntries(searchParams) as unknown as Cell));
  else
    readFile(at(pathname.startsWith('/themes/') ? `..${pathname}` : `../dist${pathname}`)).then(
      (content) => answer(content, types[extname(pathname)]),
      () => response.writeHead(404).end(),
    );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const frame = (cell: Cell, style: string): string =>
  `<iframe src="/cell?${new URLSearchParams({ ...cell }).toString().replaceAll('&', '&amp;')}" style="${style}"></iframe>`;

/** Every layout in every state, and idle from right to left. */
function sheet(theme: string, scheme: string, width: number): string {
  const cells = (layout: string): readonly Cell[] => [
    ...states.map((state) => ({ theme, layout, state, scheme })),
    { theme, layout, state: 'idle', scheme, rtl: 'rtl' },
  ];
  const rows = layouts.map(
    (layout) =>
      `<div>${cells(layout)
        .map((cell) => frame(cell, `width:${width}px; height:60rem`))
        .join('')}</div>`,
  );
  return `<style>
      body { margin: 0; background: #888 }
      div { display: flex; gap: 8px; align-items: start; padding: 8px 8px 0 }
      iframe { border: 0; flex: none }
    </style>${rows.join('')}`;
}

/** The six themes, each with its dark scheme below it. */
function docsSheet(): string {
  const rows = [tilesOf(['ink', 'meadow', 'harbor']), tilesOf(['signal', 'dusk', 'linen'])];
  return `<style>
      body { margin: 0; padding: 20px; background: #f2f2f0; display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px }
      iframe { border: 0; width: 100%; height: 440px; border-radius: 16px }
    </style>${rows.flat().join('')}`;
}

function tilesOf(names: readonly string[]): string[] {
  return schemes.flatMap((scheme) =>
    names.map((theme) => {
      const state = theme === 'dusk' && scheme === 'dark' ? 'success' : 'idle';
      return frame({ theme, layout: tiles[theme]?.layout ?? 'card', state, scheme, tile: 'tile' }, '');
    }),
  );
}

/** Loads a sheet and waits for its cells; `fits` gives each frame the height of its page. */
async function take(tab: Page, html: string, path: string, fits: boolean): Promise<void> {
  current = html;
  await tab.goto(origin);
  await tab.waitForFunction(() =>
    Array.from(document.querySelectorAll('iframe')).every(
      ({ contentDocument }) => contentDocument?.documentElement.dataset['ready'] === '',
    ),
  );
  if (fits)
    await tab.evaluate(() => {
      for (const one of document.querySelectorAll('iframe'))
        one.style.height = `${one.contentDocument?.body.offsetHeight ?? 0}px`;
    });
  await tab.screenshot({ path, fullPage: true, ...(path.endsWith('.webp') && { type: 'webp', quality: 85 }) });
}

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const browser = await puppeteer.launch({
  executablePath: findChromium() ?? '',
  args: ['--no-sandbox', '--hide-scrollbars'],
});
await mkdir(pictures, { recursive: true });
try {
  const tab = await browser.newPage();
  const devtools = await tab.createCDPSession();
  for (const theme of ['none', ...themes].filter(isWanted)) {
    for (const scheme of schemes) {
      for (const width of widths) {
        await tab.setViewport({ width: 5 * (width + 8) + 8, height: 1000 });
        await take(tab, sheet(theme, scheme, width), `${pictures}/${theme}-${scheme}-${width}.png`, true);
      }
    }
    await tab.setViewport({ width: 5 * 488 + 8, height: 1000 });
    await devtools.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
    await take(tab, sheet(theme, 'dark', 480), `${pictures}/${theme}-forced-480.png`, true);
    await devtools.send('Emulation.setEmulatedMedia', { features: [] });
  }
  if (isWanted('docs')) {
    await tab.setViewport({ width: 1400, height: 1000 });
    await take(tab, docsSheet(), at('../../.github/themes.webp'), false);
  }
} finally {
  await browser.close();
  server.close();
}
