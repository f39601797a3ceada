/** No layout shift when the form is rendered, when further files are loaded, and when a dialog opens. */
import type { HTTPRequest, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { builds, languages, layouts, pageToWalk, tags } from './pages-to-walk.ts';
import { openSite, type Site } from './site.ts';

let site: Site;
let session: BrowserSession;
beforeAll(async () => {
  [site, session] = [await openSite(), await openBrowser()];
});
afterEach(() => session.closePages());
afterAll(async () => {
  await Promise.all([session?.close(), site?.close()]);
});

/** Records every layout shift, also those after an input. */
const watch = `
  globalThis.moved = [];
  new PerformanceObserver((list) => moved.push(...list.getEntries().map(({ value, sources }) => [value, ...sources.map(({ node }) => node?.nodeName)].join(' ')))).observe({ type: 'layout-shift', buffered: true });
  globalThis.form = () => document.querySelector('newsletter-signup');
  globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  globalThis.boxes = () => [...document.querySelectorAll('h1, main *'), ...(form().shadowRoot?.querySelectorAll(':not(style)') ?? [])]
    .filter((element) => element.checkVisibility() && element.ariaHidden !== 'true' && !element.closest('dialog'))
    .map((element) => [element.localName, ...['x', 'y', 'width', 'height'].map((side) => Math.round(element.getBoundingClientRect()[side] * 10) / 10)].join(' '));`;

/** The style sheet of the documentation, which reserves the height of the form. */
const keepsPlace = 'newsletter-signup { display: block; min-block-size: 40rem }';

/** Holds back the requests for scripts until the test releases them. */
async function inHalves(page: Page): Promise<(path: RegExp) => Promise<void>> {
  const held: HTTPRequest[] = [];
  const wanted: RegExp[] = [];
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.resourceType() === 'script' && !wanted.some((path) => path.test(request.url()))) held.push(request);
    else void request.continue();
  });
  return async (path) => {
    wanted.push(path);
    for (const request of held.splice(0)) {
      if (path.test(request.url())) await request.continue();
      else held.push(request);
    }
  };
}

const cases = (Object.keys(builds) as (keyof typeof builds)[]).flatMap((build) =>
  layouts.flatMap((layout) => (Object.keys(tags) as (keyof typeof tags)[]).map((mode) => ({ build, layout, mode }))),
);
describe('a page has no layout shift', () => {
  it.each(cases)(
    'in the layout $layout, with the build for $build and its form in the $mode tree',
    async ({ build, layout, mode }) => {
      const page = await session.browser.newPage();
      await page.setViewport({ width: 800, height: 1200 });
      await page.evaluateOnNewDocument(watch);
      const bring = await inHalves(page);
      const markup = `<h1>A page</h1>${tags[mode](languages.en, `${site.origin}/nobody`, layout)}<p>After the form.</p>`;
      const arrival = page.goto(
        site.page(`/steady-${build}-${layout}-${mode}`, { html: pageToWalk(languages.en, build, markup, keepsPlace) }),
      );
      await page.waitForSelector('main > p:last-child');
      await page.evaluate('painted()');

      await bring(/\/(?!signup-(?!form)|dialog)[^/]+$/);
      await page.waitForFunction(`form().shadowRoot?.querySelector('slot')`);
      await page.evaluate('painted()');
      const first = await page.evaluate('boxes()');
      expect(await page.evaluate('moved')).toEqual([]);

      await bring(/./);
      await arrival;
      await page.evaluate('painted()');
      expect(await page.evaluate('boxes()')).toEqual(first);

      if (layout === 'dialog') {
        await page.click('[slot=trigger]');
        await page.waitForFunction(`form().hasAttribute('open')`);
        await page.evaluate('painted()');
      }
      expect(await page.evaluate('moved')).toEqual([]);
    },
  );
});
