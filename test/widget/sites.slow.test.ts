/** The tag on other people's sites: every layout in every state, light and dark, wide and narrow. */
import { basename } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { widgetScript } from '../../scripts/build.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { faultsOf, type Moment } from './site-faults.ts';
import { openSite, type Site } from './site.ts';
import { layouts as snippetLayouts, listAndDate, setupOf } from './snippets.ts';
import { walk as walkFromSnippet, watchShifts } from './steady.ts';
import { installSites, layouts, pageOf, schemes, sites, tag, type Layout } from './sites.ts';
import { patience, windows, type Window } from './window.ts';

/** The sites that decide about a change: 30 px controls, no gaps, white on white. */
const deciding = ['Bootstrap 3', 'Tailwind CSS', 'A page without color-scheme'];
const chosen = process.env['SITES'] === 'deciding' ? sites.filter(({ name }) => deciding.includes(name)) : sites;
const widths = [1280, 320];

let site: Site;
let session: BrowserSession;
beforeAll(async () => {
  [site, session] = [await openSite(await installSites()), await openBrowser()];
}, 10 * 60_000);
afterEach(() => session.closePages());
afterAll(() => Promise.all([session?.close(), site?.close()]));

/** Answers each request when the test says so. */
const endpoint = `
  globalThis.held = [];
  globalThis.fetch = () => new Promise((resolve) => held.push(() => resolve(
    new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } }))));`;

const contentOf = (one: (typeof sites)[number]): string =>
  layouts
    .map(
      (layout) => `<section><h2 class="${one.heading ?? ''}">Harbour notes</h2><p>Boats, food and history.</p>
        ${tag(one, layout)}<p class="after">After the form.</p></section>`,
    )
    .join('');

/** Where the text after the form stands, in pixels below the start of its section; the height of a dialog. */
const placeOf = (layout: Layout): string =>
  layout === 'dialog'
    ? `form('dialog').shadowRoot.querySelector('[part=surface]').offsetHeight`
    : `(() => { const section = form('${layout}').parentElement;
        return section.querySelector('.after').getBoundingClientRect().top - section.getBoundingClientRect().top; })()`;

/** The faults of one layout from the first paint to the thanks. */
async function walk(page: Page, layout: Layout): Promise<string[]> {
  const state = async (name: string): Promise<void> => {
    await page.waitForFunction(`form('${layout}').state === '${name}'`);
    await page.evaluate(`form('${layout}').updateComplete.then(() => settled())`);
  };
  const place = async (): Promise<number> => (await page.evaluate(placeOf(layout))) as number;
  const look = async (moment: Moment): Promise<string[]> =>
    (await page.evaluate(faultsOf, layout, moment)).map((fault) => `${layout}, ${moment}: ${fault}`);
  const fill = (): Promise<unknown> =>
    page.evaluate(`(() => { const { shadowRoot } = form('${layout}');
      shadowRoot.querySelector('[name=email]').value = 'ada@example.com';
      for (const box of shadowRoot.querySelectorAll('[name=consent]')) box.checked = true; })()`);
  const submit = (): Promise<unknown> => page.evaluate(`form('${layout}').submit()`);

  await page.evaluate(`form('${layout}').open().then(() => settled())`);
  const first = await place();
  const faults = await look('idle');
  await submit();
  await state('error');
  faults.push(...(await look('error')));
  await fill();
  await submit();
  await state('busy');
  const busy = await place();
  await page.evaluate('held.pop()()');
  await state('success');
  faults.push(...(await look('success')));
  for (const [name, now] of [
    ['busy', busy],
    ['success', await place()],
  ] as const)
    if (Math.abs(now - first) > 1) faults.push(`${layout}, ${name}: the page moves by ${Math.round(now - first)} px`);
  await page.evaluate(`form('${layout}').close()`);
  return faults;
}

const cases = chosen.flatMap((one) =>
  schemes.flatMap((scheme) => widths.map((width) => ({ one, name: one.name, scheme, width }))),
);
describe('on other sites, no form', () => {
  it.each(cases)('is at fault on $name, $scheme, $width px', async ({ one, name, scheme, width }) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.evaluateOnNewDocument(`${endpoint}
      globalThis.form = (layout) => document.querySelector('newsletter-signup[layout=' + layout + ']');
      globalThis.settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));`);
    const script = `/${basename(widgetScript)}`;
    const html = pageOf(one, scheme, contentOf(one), script);
    await page.goto(site.page(`/${encodeURIComponent(`${name} ${scheme} ${width}`)}`, { html }));
    await page.waitForFunction(`form('dialog').shadowRoot?.querySelector('dialog')`);
    const faults: string[] = [];
    for (const layout of layouts) faults.push(...(await walk(page, layout)));
    expect(faults).toEqual([]);
  });
});

/** Pages that style the snippet's form with stronger selectors than ours, or the space around it. */
const moving = {
  'A page that unsets everything': layouts,
  Materialize: ['joined', 'stacked', 'card', 'cover', 'inline'],
  'Ghost Casper': ['joined', 'stacked', 'card', 'cover', 'inline'],
  'MVP.css': ['inline'],
  'new.css': ['cover'],
} as Readonly<Record<string, readonly Layout[]>>;

/** The snippet's form has the box of the form that takes its place. `steady.slow.test.ts` has other fonts and roots. */
describe('on other sites, the snippet', () => {
  it.each(chosen)('does not move $name', async (one) => {
    const page = await watchShifts(await session.browser.newPage());
    await page.evaluateOnNewDocument(`globalThis.fetch = async () =>
      new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } })`);
    const moved: string[] = [];
    for (const layout of snippetLayouts.filter((each) => !moving[one.name]?.includes(each)))
      for (const fields of [[], listAndDate])
        for (const width of widths) {
          const setup = setupOf(layout, { fields, values: { 'attribute.endpoint': `${site.origin}/signup` } });
          const around = (content: string): string => pageOf(one, 'light', content, '');
          const { furthest } = await walkFromSnippet(page, site, setup, { width, around });
          if (furthest > 1) moved.push(`${layout}, ${fields.length} fields, ${width} px: ${furthest} px`);
        }
    expect(moved).toEqual([]);
  });
});

/** Every engine computes the colours and aligns the field with its button: at the first paint, and with an error. */
describe.each(enginesToTest().filter(({ name }) => name !== 'chromium'))(
  'on other sites in $title, no form',
  ({ name }) => {
    let window: Window;
    beforeAll(async () => {
      window = await windows[name]();
    });
    afterAll(() => window?.close());

    const decided = sites
      .filter((one) => deciding.includes(one.name))
      .flatMap((one) => schemes.map((scheme) => ({ one, title: one.name, scheme })));
    it.each(decided)('is at fault on $title, $scheme', async ({ one, title, scheme }) => {
      const html = pageOf(one, scheme, contentOf(one), `/${basename(widgetScript)}`);
      await window.open(site.page(`/${encodeURIComponent(`${name} ${title} ${scheme}`)}`, { html }));
      const faults: unknown[] = [];
      for (const layout of layouts) {
        const form = `document.querySelector('newsletter-signup[layout=${layout}]')`;
        const look = async (moment: Moment): Promise<void> =>
          void faults.push(...((await window.ask(`(${String(faultsOf)})('${layout}', '${moment}')`)) as unknown[]));
        const settles = (state: string): Promise<void> =>
          expect
            .poll(() => window.ask(`${form}.state + ${form}.shadowRoot.getAnimations().length`), patience)
            .toBe(`${state}0`);
        await window.ask(`void ${form}.open()`);
        await settles('idle');
        await look('idle');
        await window.ask(`void ${form}.submit()`);
        await settles('error');
        await look('error');
        await window.ask(`void ${form}.close()`);
      }
      expect(faults).toEqual([]);
    });
  },
);
