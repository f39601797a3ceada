/** The snippet of the playground reserves the height of the form: in Chromium, loading it causes no layout shift. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import type { Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { currentOptions } from '../../examples/demo/playground.ts';
import { createSite } from '../../examples/demo/site.ts';
import { buildIfStale } from '../../scripts/build.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';

/** How long the page is visible without the script, in milliseconds. */
const delay = 500;
const { options, themes } = await currentOptions();
const layouts = options.flatMap(({ name, control }) =>
  name === 'layout' && control.kind === 'choice' ? control.choices : [],
);
/** Viewport width, and width of the form's column. */
const places = [
  [1200, '60rem'],
  [1200, '19rem'],
  [380, 'auto'],
] as const;

let session: BrowserSession;
let site: Hosted;
/** The page at `/copied`. */
let copied = '';

beforeAll(async () => {
  await buildIfStale('widget');
  const demo = createSite({ sandboxUrl: 'http://127.0.0.1:9', signupEndpoint: 'http://127.0.0.1:9/signup' });
  const pages = new Hono();
  pages.get('/copied', (context) => context.html(copied));
  pages.get('/slow/:file', async (context) => {
    await sleep(delay);
    return demo.request(`/${context.req.param('file')}`);
  });
  pages.route('/', demo);
  site = await hosted(pages);
  session = await openBrowser();
});
afterEach(() => session.closePages());
afterAll(async () => {
  await session?.close();
  site?.close();
});

/** The snippets of the playground for this setup, once they contain `measured`. */
async function snippets(query: string, measured = '(scripting: enabled)'): Promise<{ head: string; body: string }> {
  const page = await session.browser.newPage();
  await page.goto(`${site.origin}/playground?${query}`, { waitUntil: 'load' });
  await page.waitForFunction(
    (rule: string) => document.querySelector('#snippets code')?.textContent.includes(rule),
    {},
    measured,
  );
  const [head = '', body = ''] = await page.$$eval('#snippets code', (all) =>
    all.map(({ textContent }) => textContent.replaceAll('https://your-site.example/themes/', '/themes/')),
  );
  return { head: head.replaceAll('https://your-site.example/', '/slow/'), body };
}

/** Sum of the layout shifts of a page with these snippets, from its first rendering until the form is rendered. */
async function shift(
  { head, body }: { head: string; body: string },
  [viewport, column]: readonly [number, string],
): Promise<number> {
  copied = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <style>body { font: 1rem/1.5 system-ui, sans-serif } main { inline-size: ${column}; margin: auto }
      section { block-size: 40rem; background: silver }</style>${head}
    <main><h1>Letters</h1>${body}<section>What follows the form.</section></main></html>`;
  const page = await session.browser.newPage();
  await page.setViewport({ width: viewport, height: 900 });
  await page.goto(`${site.origin}/copied`, { waitUntil: 'load' });
  await page.waitForSelector('newsletter-signup:defined');
  return shifted(page);
}

async function shifted(page: Page): Promise<number> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200)));
    const observer = new PerformanceObserver(() => undefined);
    observer.observe({ type: 'layout-shift', buffered: true });
    return observer
      .takeRecords()
      .reduce((sum, entry) => sum + ('value' in entry && typeof entry.value === 'number' ? entry.value : 0), 0);
  });
}

const content = new URLSearchParams([
  ['slot.head', 'Letters from the lighthouse'],
  ['slot.note', 'One click to leave.'],
  ['slot.picture', '/mark.svg'],
  ['slot.trigger', 'Subscribe'],
]).toString();
const fields = new URLSearchParams([
  ['field', 'name=First+name'],
  ['field', 'name=Topics&kind=list&options=Boats,Engineering,Food,History'],
]).toString();

const contents = [
  ['nothing in it', ''],
  ['content and fields', `${content}&${fields}`],
] as const;

describe('the copied snippet', () => {
  it.each(layouts.flatMap((layout) => contents.map(([title, query]) => [layout, title, query] as const)))(
    'causes no layout shift in the layout %s with %s',
    async (layout, _title, query) => {
      const code = await snippets(`look.layout=${layout}&${query}`);
      for (const place of places) expect(await shift(code, place), place.join(' ')).toBe(0);
    },
  );

  it.each(themes)('causes no layout shift with the theme %s', async (theme) => {
    const code = await snippets(`theme=${theme}&look.layout=card&${content}`);
    for (const place of places) expect(await shift(code, place), place.join(' ')).toBe(0);
  });

  it('causes no layout shift with the page’s own form', async () => {
    const code = await snippets(`mode=enhance&${fields}`, 'max-inline-size');
    for (const place of places) expect(await shift(code, place), place.join(' ')).toBe(0);
  });

  it('would cause a layout shift without its style sheet', async () => {
    const { head, body } = await snippets('look.layout=card');
    expect(await shift({ head: head.replace(/<style>.*<\/style>/s, ''), body }, places[0])).toBeGreaterThan(0.1);
  });
});
