/**
 * Takes pictures of the form on other people's sites for people to look at. `npm run sheets:sites` writes them into
 * `.output/sites`, which git ignores: every layout, then the thanks, for each site, colour scheme and width; and
 * `.github/sites.webp`, which the READMEs show. Arguments limit it to these sites: `npm run sheets:sites -- Pico`;
 * `readme` is the picture of the READMEs alone.
 *
 * The built files run in Chromium. The answers are made up, and nothing is sent.
 */
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { widgetScript } from '../../scripts/build.ts';
import { openBrowser } from '../e2e/visitor.ts';
import { openSite } from './site.ts';
import { installSites, layouts, pageOf, schemes, sites, tag, type Scheme, type Site } from './sites.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const pictures = at('../../.output/sites');
const script = `/${basename(widgetScript)}`;
const widths = [360, 768, 1280] as const;

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
    await new Promise((resolve) => setTimeout(resolve, 300));
  };`;

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const [site, session] = [await openSite(await installSites()), await openBrowser()];
await mkdir(pictures, { recursive: true });

/** Takes the picture of a page in each of these states, below each other. */
async function take(name: string, html: string, width: number, scheme: Scheme): Promise<void> {
  const page = await session.browser.newPage();
  await page.evaluateOnNewDocument(hands);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width, height: 900 });
  await page.goto(site.page(`/${encodeURIComponent(name)}`, { html }));
  for (const state of ['idle', 'error', 'success'] as const) {
    await page.evaluate(`reach('${state}')`);
    await page.screenshot({ path: `${pictures}/${name}-${state}.png`, fullPage: true });
  }
  await page.evaluate(`forms().at(-1).reset()`);
  await page.evaluate(`forms().at(-1).open()`);
  await page.screenshot({ path: `${pictures}/${name}-dialog.png` });
  await page.close();
}

const contentOf = (one: Site): string =>
  layouts
    .map(
      (layout) =>
        `<section><h2 class="${one.heading ?? ''}">Harbour notes</h2><p>Boats, food and history.</p>${tag(one, layout)}<p>After.</p></section>`,
    )
    .join('');
try {
  for (const one of sites.filter(({ name }) => isWanted(name)))
    for (const scheme of schemes)
      for (const width of widths)
        await take(
          `${one.name.toLowerCase().replaceAll(/\W+/g, '-')}-${scheme}-${width}`,
          pageOf(one, scheme, contentOf(one), script),
          width,
          scheme,
        );
} finally {
  await Promise.all([session.close(), site.close()]);
}
