/**
 * Draws every layout in every scheme, width and direction, for people to look at: `pnpm run sheets` writes pictures
 * into `.output/looks`, which git leaves out, and the four themes into `.github/themes.png`, which the READMEs show.
 * The built script runs in Chromium; answers are made up, nothing is sent.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Page } from 'puppeteer-core';
import { findChromium } from '../../scripts/browsers/find.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const pictures = at('../../.output/looks');
const widths = [320, 480, 900] as const;
const layouts = ['inline', 'stacked', 'card'] as const;

/** What visitors have told their system, by the name of the picture. */
const schemes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  light: { 'prefers-color-scheme': 'light' },
  dark: { 'prefers-color-scheme': 'dark' },
  forced: { 'prefers-color-scheme': 'dark', 'forced-colors': 'active' },
};

/** What a page writes into the tag, in the language of the sheet. */
interface Words {
  readonly dir: 'ltr' | 'rtl';
  readonly title: string;
  readonly intro: string;
  readonly name: string;
  readonly topics: string;
  readonly options: string;
  readonly consent: string;
}

const languages: Readonly<Record<string, Words>> = {
  de: {
    dir: 'ltr',
    title: 'Donaudampfschifffahrtsgesellschaftsnachrichten',
    intro: 'Jeden Dienstag das Wichtigste aus der Binnenschifffahrt. Abbestellen geht mit einem Klick.',
    name: 'Vorname',
    topics: 'Themen',
    options: 'Schleusen, Häfen, Fahrgastschifffahrtsverordnung',
    consent: 'Ich habe die Datenschutzhinweise gelesen und bin einverstanden.',
  },
  ar: {
    dir: 'rtl',
    title: 'رسالة كل ثلاثاء',
    intro: 'أهم أخبار الأسبوع في خمس دقائق. يمكنك إلغاء الاشتراك بنقرة واحدة.',
    name: 'الاسم',
    topics: 'المواضيع',
    options: 'تقنية، ثقافة، علوم',
    consent: 'قرأت سياسة الخصوصية وأوافق عليها.',
  },
};

const fields = ({ name, topics, options, consent }: Words): string => `
  <newsletter-field name="${name}"></newsletter-field>
  <newsletter-field name="${topics}" kind="list" options="${options}"></newsletter-field>
  <newsletter-field name="${consent}" kind="boolean" required></newsletter-field>`;

const head = ({ title, intro }: Words): string => `<h2 slot="head">${title}</h2><p slot="head">${intro}</p>`;

const ownersForm = `
  <form>
    <label>E-Mail <input name="email" type="email" required></label>
    <button>Abonnieren</button>
  </form>`;

/** One form in a frame of one width; `act` is done to it before the picture is taken. */
function cell(width: number, layout: string, words: Words, content: string, act = ''): string {
  const top = layout === 'inline' ? '' : head(words);
  return `<section style="inline-size:${width}px"><small>${layout} ${width} ${act}</small>
    <newsletter-signup endpoint="/${act}" layout="${layout}" data-act="${act}">${top}${content}</newsletter-signup></section>`;
}

function sheet(words: Words): string {
  const rows = [
    ...layouts.map((layout) => widths.map((width) => cell(width, layout, words, '')).join('')),
    ...layouts.map((layout) => widths.map((width) => cell(width, layout, words, fields(words), 'invalid')).join('')),
    ...['busy', 'limited', 'success'].map((act) =>
      widths.map((width) => cell(width, 'inline', words, '', act)).join(''),
    ),
    widths.map((width) => cell(width, 'card', words, '', 'success')).join(''),
    widths.map((width) => cell(width, 'card', words, ownersForm, 'invalid')).join(''),
  ];
  return rows.map((row) => `<div>${row}</div>`).join('');
}

/** Every theme in both schemes, on the page it might stand on. */
async function themes(): Promise<string> {
  const files = (await readdir(at('../themes'))).sort();
  const sheets = await Promise.all(
    files.map(
      async (file) => `@scope (.${file.replace('.css', '')}) { ${await readFile(at(`../themes/${file}`), 'utf8')} }`,
    ),
  );
  const form =
    '<h2 slot="head">The Tuesday letter</h2><p slot="head">Five minutes on what happened, every week.</p><newsletter-field name="First name"></newsletter-field>';
  const cards = files
    .map(
      (file) =>
        `<section class="${file.replace('.css', '')}"><newsletter-signup endpoint="/" layout="card">${form}</newsletter-signup></section>`,
    )
    .join('');
  return `<style>${sheets.join('')}
    body { margin: 0 } div { gap: 1.5rem; margin: 0; padding: 1.75rem; background: light-dark(#eceff1, #0c0e10) } section { flex: 1 }
    </style>${['light', 'dark'].map((scheme) => `<div style="color-scheme:${scheme}">${cards}</div>`).join('')}`;
}

const page = (
  language: string,
  { dir }: Pick<Words, 'dir'>,
  scheme: string,
  content: string,
  more = '',
): string => `<!doctype html>
  <html lang="${language}" dir="${dir}" style="color-scheme:${scheme}"><title>${language}</title>
  <style>
    body { margin: 2rem; font: 1rem/1.5 system-ui, sans-serif; ${more} }
    div { display: flex; gap: 2.5rem; margin-block-end: 2.5rem; align-items: start }
    section > small { display: block; opacity: .5; font: .75rem monospace }
    section form label { display: block }
  </style><body>${content}`;

/** Takes the place of the network: the path says what the endpoint answers. */
function answer(): void {
  globalThis.fetch = (input) => {
    const path = input instanceof Request ? input.url : String(input);
    if (path.includes('busy')) return new Promise(() => {});
    const status = path.includes('limited') ? 429 : 202;
    return Promise.resolve(
      new Response('{}', { status, headers: { 'Content-Type': 'application/json', 'Retry-After': '30' } }),
    );
  };
}

async function act(): Promise<void> {
  for (const element of document.querySelectorAll<HTMLElement & { submit(): void }>('[data-act]:not([data-act=""])')) {
    const email = element.shadowRoot?.querySelector<HTMLInputElement>('[name=email]');
    if (email && element.dataset['act'] !== 'invalid') email.value = 'ada@example.com';
    element.submit();
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

async function load(tab: Page, language: string, html: string): Promise<void> {
  await tab.goto(origin);
  await tab.setContent(html);
  await tab.evaluate(answer);
  for (const file of [...(language === 'en' ? [] : [`languages/${language}.js`]), 'newsletter-signup.js'])
    await tab.addScriptTag({ url: `${origin}/${file}` });
  await tab.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
}

// The script fetches the dialog from beside itself, which takes an address.
const server = createServer((request, response) => {
  const file = request.url === '/' ? '' : readFile(at(`../dist${request.url ?? ''}`));
  Promise.resolve(file).then(
    (content) =>
      response
        .writeHead(200, { 'Content-Type': `text/${content ? 'javascript' : 'html'}; charset=utf-8` })
        .end(content),
    () => response.writeHead(404).end(),
  );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const browser = await puppeteer.launch({
  executablePath: findChromium() ?? '',
  args: ['--no-sandbox', '--hide-scrollbars'],
});
await mkdir(pictures, { recursive: true });
const tab = await browser.newPage();
const devtools = await tab.createCDPSession();
try {
  for (const [language, words] of Object.entries(languages)) {
    for (const [scheme, features] of Object.entries(schemes)) {
      await devtools.send('Emulation.setEmulatedMedia', {
        features: Object.entries(features).map(([name, value]) => ({ name, value })),
      });
      await tab.setViewport({ width: 1900, height: 1000 });
      await load(tab, language, page(language, words, 'light dark', sheet(words)));
      await tab.evaluate(act);
      await tab.screenshot({ path: `${pictures}/${language}-${scheme}.png`, fullPage: true });
      for (const width of widths) {
        await tab.setViewport({ width, height: 640 });
        await load(
          tab,
          language,
          page(
            language,
            words,
            'light dark',
            `<newsletter-signup layout="dialog">${head(words)}${width === 320 ? fields(words) : ''}<button slot="trigger">+</button></newsletter-signup>`,
          ),
        );
        await tab.click('button');
        await new Promise((resolve) => setTimeout(resolve, 300));
        await tab.screenshot({ path: `${pictures}/${language}-${scheme}-dialog-${width}.png` });
      }
    }
  }
  await devtools.send('Emulation.setEmulatedMedia', { features: [] });
  await tab.setViewport({ width: 1500, height: 800 });
  await load(tab, 'en', page('en', { dir: 'ltr' }, 'light dark', await themes()));
  await tab.screenshot({ path: at('../../.github/themes.png'), fullPage: true });
} finally {
  await browser.close();
  server.close();
}
