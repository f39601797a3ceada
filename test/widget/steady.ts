/** How much a page moves from its first paint, without the script, to the thanks. */
import type { Page } from 'puppeteer-core';
import type { Setup } from '../../examples/demo/page/setup.ts';
import { builds } from './pages-to-walk.ts';
import { sentHtml } from './snippets.ts';
import type { Site } from './site.ts';

/** A page around a form. */
export interface Paper {
  readonly font: string;
  /** Font size of the root: 62.5% makes it 10 px, as Bootstrap 3 and Ghost's Casper have it. */
  readonly root: '100%' | '62.5%';
  readonly width: number;
  readonly build?: keyof typeof builds;
}

/** A serif, a sans and a monospace with other metrics. */
export const fonts = ['DejaVu Serif', 'Liberation Sans', 'DejaVu Sans Mono'] as const;
export const roots = ['100%', '62.5%'] as const;
export const widths = [320, 360, 768, 1280] as const;

/** Records every layout shift, also those after an input. */
const watch = `
  globalThis.moved = [];
  new PerformanceObserver((list) => moved.push(...list.getEntries().map(({ value, sources }) => [value, ...sources.map(({ node }) => node?.nodeName)].join(' ')))).observe({ type: 'layout-shift', buffered: true });
  globalThis.form = () => document.querySelector('newsletter-signup');
  globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  globalThis.place = () => document.querySelector('#after').getBoundingClientRect().top;`;

let count = 0;

/**
 * Opens a page with the snippet, brings the script once it is painted, and signs up.
 *
 * @returns what moved, and by how much; empty if nothing did
 */
export async function walk(
  page: Page,
  site: Site,
  setup: Setup,
  { font, root, width, build = 'script' }: Paper,
): Promise<string[]> {
  const name = `steady-${(count += 1)}`;
  let bring = (): void => {};
  const arrival = new Promise<void>((resolve) => (bring = resolve));
  const [, file = ''] = /src="\/([^"]+)"/.exec(builds[build]) ?? [];
  site.script(
    `/${name}.js`,
    arrival.then(() => `import('/${file}')`),
  );
  const size = root === '100%' ? '1rem' : '1.6rem';
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
    <style>html { font-size: ${root} } body { max-width: 60rem; margin: 1rem auto; padding: 0 8px; font: ${size}/1.5 "${font}" }</style>
    <h1>A page</h1><main>${await sentHtml(setup, `<script src="/${name}.js" async></script>`)}<p id="after">After the form.</p></main></html>`;
  await page.setViewport({ width, height: 1200 });
  await page.goto(site.page(`/${name}`, { html }), { waitUntil: 'domcontentloaded' });
  await page.evaluate('painted()');
  const place = async (): Promise<number> => (await page.evaluate('place()')) as number;
  const places: [moment: string, top: number][] = [['before the script', await place()]];

  bring();
  await page.waitForFunction(`form().shadowRoot?.querySelector('[part=surface]')`);
  if (setup.values['look.layout'] === 'dialog') {
    await page.waitForFunction(`form().shadowRoot.querySelector('dialog')`);
    await page.evaluate('painted()');
    places.push(['with the script', await place()]);
    await page.evaluate('form().open()');
  }
  await page.evaluate('form().updateComplete.then(painted)');
  places.push(['with the script', await place()]);

  await page.evaluate(`(() => {
    const root = form().querySelector('form:not([slot])') ?? form().shadowRoot;
    root.querySelector('[name=email]').value = 'ada@example.com';
    form().submit();
  })()`);
  await page.waitForFunction(`form().state === 'success'`);
  await page.evaluate('form().updateComplete.then(painted)');
  places.push(['after the signup', await place()]);

  const [[, first] = ['', Number.NaN]] = places;
  return [
    ...places.flatMap(([moment, top]) => (top === first ? [] : [`${moment}: ${top - first} px`])),
    ...((await page.evaluate('moved')) as string[]),
  ];
}

/** Prepares a page for `walk`. */
export async function watchShifts(page: Page): Promise<Page> {
  await page.evaluateOnNewDocument(watch);
  return page;
}
