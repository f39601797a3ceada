/** How much a page moves from its first paint, without the script, to the thanks. */
import type { Page } from 'puppeteer-core';
import { builds } from './pages-to-walk.ts';
import type { Site } from './site.ts';

/** A page around a form. */
export interface Paper {
  readonly width: number;
  /** The document around the content. */
  readonly around: (content: string) => string;
  readonly build?: keyof typeof builds;
}

/** What moved, in words, empty if nothing did; and the sum of the layout shifts. */
export interface Moves {
  readonly moves: readonly string[];
  /** The furthest that the text after the form was from its first place, in pixels. */
  readonly furthest: number;
  readonly shift: number;
}

/** A serif, a sans and a monospace with other metrics. */
export const fonts = ['DejaVu Serif', 'Liberation Sans', 'DejaVu Sans Mono'] as const;
export const roots = ['100%', '62.5%'] as const;
export const widths = [320, 360, 768, 1280] as const;

/** Records every layout shift, also those after an input. */
const watch = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value, sources }) => [value, ...sources.map(({ node }) => node?.nodeName)]))).observe({ type: 'layout-shift', buffered: true });
  globalThis.form = () => document.querySelector('newsletter-signup');
  globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  globalThis.place = () => document.querySelector('#after').getBoundingClientRect().top;`;

/** Prepares a page for `walk`. */
export async function watchShifts(page: Page): Promise<Page> {
  await page.evaluateOnNewDocument(watch);
  return page;
}

/**
 * A column in this font.
 *
 * @param root - font size of the root: 62.5% makes it 10 px, as Bootstrap 3 and Ghost's Casper have it
 */
export const columnIn =
  (font: string, root: (typeof roots)[number]) =>
  (content: string): string =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
    <style>html { font-size: ${root} } body { max-width: 60rem; margin: 1rem auto; padding: 0 8px; font: ${root === '100%' ? '1rem' : '1.6rem'}/1.5 "${font}" }</style>
    <h1>A page</h1><main>${content}</main></html>`;

let count = 0;

/**
 * Opens a page with the snippet, brings the script once it is painted, and signs up.
 *
 * @param snippet - HTML without a script
 */
export async function walk(page: Page, site: Site, snippet: string, paper: Paper): Promise<Moves> {
  const { width, around, build = 'script' } = paper;
  const name = `steady-${(count += 1)}`;
  let bring = (): void => {};
  const arrival = new Promise<void>((resolve) => (bring = resolve));
  const [, file = ''] = /src="\/([^"]+)"/.exec(builds[build]) ?? [];
  site.script(
    `/${name}.js`,
    arrival.then(() => `import('/${file}')`),
  );
  const html = around(`${snippet}<script src="/${name}.js" async></script><p id="after">After the form.</p>`);
  await page.setViewport({ width, height: 1200 });
  await page.goto(site.page(`/${name}`, { html }), { waitUntil: 'domcontentloaded' });

  const places: [moment: string, top: number][] = [];
  const record = async (moment: string): Promise<unknown> =>
    places.push([moment, (await page.evaluate('painted().then(place)')) as number]);
  await record('before the script');
  bring();
  const isDialog = snippet.includes('layout="dialog"');
  await page.waitForFunction(`form().shadowRoot?.querySelector('${isDialog ? 'dialog' : '[part=surface]'}')`);
  await record('with the script');
  await page.evaluate(`form().open().then(() => {
    const root = form().querySelector('form:not([slot])') ?? form().shadowRoot;
    root.querySelector('[name=email]').value = 'ada@example.com';
    form().submit();
  })`);
  await page.waitForFunction(`form().state === 'success'`);
  await record('after the signup');

  const shifts = (await page.evaluate('shifts')) as readonly (readonly [value: number, ...nodes: unknown[]])[];
  const first = places[0]?.[1] ?? Number.NaN;
  const distances = places.map(([moment, top]) => [moment, top - first] as const);
  return {
    furthest: Math.max(...distances.map(([, distance]) => Math.abs(distance))),
    moves: [
      ...distances.flatMap(([moment, distance]) => (distance === 0 ? [] : [`${moment}: ${distance} px`])),
      ...shifts.map((entry) => entry.join(' ')),
    ],
    shift: shifts.reduce((sum, [value]) => sum + value, 0),
  };
}
