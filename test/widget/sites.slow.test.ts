/** The tag on other people's sites: every layout in every state, light and dark, wide and narrow. */
import { basename } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { widgetScript } from '../../scripts/build.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { copiedSnippets, decidingTags, distinct, type Copied } from './copied-snippets.ts';
import { faultsOf, type Moment } from './site-faults.ts';
import { openSite, type Site } from './site.ts';
import { layouts as snippetLayouts, listAndDate, sentHtml, setupOf, sheet } from './snippets.ts';
import { walk as walkFromSnippet, watchShifts } from './steady.ts';
import {
  drawSites,
  installSites,
  layouts,
  pageOf,
  schemes,
  sheetFolder,
  sites,
  tag,
  type Site as OtherSite,
} from './sites.ts';
import { patience, windows, type Window } from './window.ts';

/** The sites that decide about every layout: 30 px controls, no gaps, white on white. */
const deciding = ['Bootstrap 3', 'Tailwind CSS', 'A page without color-scheme'];
const isDeciding = process.env['SITES'] === 'deciding';
const chosen = isDeciding ? sites.filter(({ name }) => deciding.includes(name)) : sites;
const widths = [1280, 320];
/** How a page is seen. Forced colours come in both schemes; the dark one is further from a page's own colours. */
const looks = [...schemes, 'forced'] as const;
type Look = (typeof looks)[number];
/** Sheets that nobody chose: `SHEETS_SEED=2 SHEETS=20` draws others. */
const drawn = { seed: Number(process.env['SHEETS_SEED'] ?? 63), count: Number(process.env['SHEETS'] ?? 12) };

const draws = Array.from({ length: isDeciding ? 0 : drawn.count }, (_, at) => at);
let drawnSites: Promise<readonly OtherSite[]> | undefined;

let site: Site;
const session = useBrowser();
let copied: readonly Copied[] = [];
beforeAll(async () => {
  await installSites();
  site = await openSite(sheetFolder);
  copied = isDeciding ? distinct(decidingTags) : await copiedSnippets();
}, 10 * 60_000);
afterAll(() => site?.close());

/** Answers each request when the test says so. */
const endpoint = `
  globalThis.held = [];
  globalThis.fetch = () => new Promise((resolve) => held.push(() => resolve(
    new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } }))));
  globalThis.faultsOf = ${String(faultsOf)};
  globalThis.form = (position) => document.querySelectorAll('newsletter-signup')[position];
  globalThis.isReady = (position) => {
    const root = form(position)?.shadowRoot;
    return form(position)?.layout === 'dialog' ? root?.querySelector('dialog') : root?.querySelector('[part=surface]');
  };
  // Where the text after the form stands, in pixels below the start of its section; the height of a dialog.
  globalThis.placeOf = (position) => {
    const dialog = form(position).shadowRoot.querySelector('dialog[open] [part=surface]');
    const section = form(position).closest('section');
    return dialog ? dialog.offsetHeight
      : section.querySelector('.after').getBoundingClientRect().top - section.getBoundingClientRect().top;
  };
  globalThis.fillIn = (position) => {
    for (const root of [form(position).shadowRoot, form(position)])
      for (const control of root.querySelectorAll('[required], [name=email], [data-required] [type=checkbox]'))
        if (control.type === 'checkbox') control.checked = true;
        else control.value ||= control.name === 'email' ? 'ada@example.com' : 'Ada';
    form(position).submit();
  };
  globalThis.settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));`;

/** A form on a page of another site. */
interface Placed {
  readonly name: string;
  readonly markup: string;
  /** Whether the form is the page's: only what the script adds is judged. */
  readonly isOwners?: boolean;
}

const layoutsOn = (one: OtherSite): readonly Placed[] => layouts.map((name) => ({ name, markup: tag(one, name) }));

const contentOf = (one: OtherSite, forms: readonly Placed[]): string =>
  forms
    .map(
      ({ markup }) => `<section><h2 class="${one.heading ?? ''}">Harbour notes</h2><p>Boats, food and history.</p>
        ${markup}<p class="after">After the form.</p></section>`,
    )
    .join('');

let pages = 0;

/** Opens a page of the site with these forms. */
async function openPage(one: OtherSite, look: Look, width: number, content: string, script = true): Promise<Page> {
  const page = await session.browser.newPage();
  await page.setViewport({ width, height: 900 });
  const scheme = look === 'light' ? look : 'dark';
  const features = [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
    { name: 'forced-colors', value: look === 'forced' ? 'active' : 'none' },
  ];
  // Puppeteer's own method knows no forced colours.
  await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', { features });
  await page.evaluateOnNewDocument(endpoint);
  const html = pageOf(one, scheme, content, script ? `/${basename(widgetScript)}` : '');
  await page.goto(site.page(`/page-${(pages += 1)}`, { html }));
  return page;
}

/** A fault of the form at this position. */
type Found = readonly [position: number, moment: Moment, fault: string];

/** The faults of these forms of the page, which go through each state together, from the first paint to the thanks. */
async function walk(page: Page, positions: readonly number[]): Promise<Found[]> {
  const all = `[${positions.join()}]`;
  const reach = async (wanted: string): Promise<void> => {
    await page.waitForFunction(`${all}.every((position) => form(position).state === '${wanted}')`);
    await page.evaluate(`Promise.all(${all}.map((position) => form(position).updateComplete)).then(() => settled())`);
  };
  const places = async (): Promise<readonly number[]> =>
    (await page.evaluate(`${all}.map(placeOf)`)) as readonly number[];
  const look = async (moment: Moment): Promise<Found[]> =>
    (await page.evaluate(
      `${all}.flatMap((position) => faultsOf(position, '${moment}').map((fault) => [position, '${moment}', fault]))`,
    )) as Found[];

  await page.waitForFunction(`${all}.every(isReady)`);
  await page.evaluate(`Promise.all(${all}.map((position) => form(position).open())).then(() => settled())`);
  const first = await places();
  const faults = await look('idle');
  await page.evaluate(`${all}.forEach((position) => form(position).submit())`);
  await reach('error');
  faults.push(...(await look('error')));
  await page.evaluate(`${all}.forEach(fillIn)`);
  await reach('busy');
  const busy = await places();
  faults.push(...(await look('busy')));
  await page.waitForFunction(`held.length === ${positions.length}`);
  await page.evaluate('held.splice(0).forEach((answer) => answer())');
  await reach('success');
  faults.push(...(await look('success')));
  const last = await places();
  for (const [at, position] of positions.entries())
    for (const [moment, now = 0] of [['busy', busy[at]] as const, ['success', last[at]] as const]) {
      const distance = Math.round(now - (first[at] ?? 0));
      if (Math.abs(distance) > 1) faults.push([position, moment, `the page moves by ${distance} px`]);
    }
  await page.evaluate(`${all}.forEach((position) => form(position).close())`);
  return faults;
}

/** A fault without its figures, which follow the size of the text. */
const kindOf = (fault: string): string => fault.replaceAll(/\d+(\.\d+)?/g, '');

/** What is wrong with the page's own forms before the script comes. */
async function faultsWithoutUs(one: OtherSite, look: Look, forms: readonly Placed[]): Promise<ReadonlySet<string>> {
  if (!forms.some(({ isOwners }) => isOwners)) return new Set();
  const page = await openPage(one, look, 1280, contentOf(one, forms), false);
  const faults: string[] = [];
  for (const [position, { isOwners }] of forms.entries())
    if (isOwners) faults.push(...(await page.evaluate(faultsOf, position, 'idle' as const)));
  return new Set(faults.map(kindOf));
}

/** The faults of these forms on a page of the site. */
async function faultsOn(one: OtherSite, look: Look, width: number, forms: readonly Placed[]): Promise<string[]> {
  const known = await faultsWithoutUs(one, look, forms);
  const page = await openPage(one, look, width, contentOf(one, forms));
  // Of several dialogs, one is open.
  const isDialog = (position: number): boolean => forms[position]?.markup.includes('layout="dialog"') === true;
  const [dialogs, others] = [[...forms.keys()].filter(isDialog), [...forms.keys()].filter((at) => !isDialog(at))];
  const faults: Found[] = [];
  for (const positions of [others, ...dialogs.map((at) => [at])]) faults.push(...(await walk(page, positions)));
  await page.close();
  return faults.flatMap(([position, moment, fault]) => {
    const { name, isOwners } = forms[position] ?? { name: '' };
    return isOwners && (known.has(kindOf(fault)) || fault.includes('the page moves'))
      ? []
      : [`${name}, ${moment}: ${fault}`];
  });
}

const cases = chosen.flatMap((one) =>
  schemes.flatMap((scheme) => widths.map((width) => ({ one, name: one.name, scheme, width }))),
);
describe('on other sites, no layout', () => {
  it.each(cases)('is at fault on $name, $scheme, $width px', async ({ one, scheme, width }) => {
    expect(await faultsOn(one, scheme, width, layoutsOn(one))).toEqual([]);
  });
});

describe('on other sites, no snippet', () => {
  const faultsInAllLooks = async (one: OtherSite): Promise<readonly string[]> => {
    const faults: string[] = [];
    for (const look of looks)
      faults.push(...(await faultsOn(one, look, 1280, copied)).map((fault) => `${one.name}, ${look}, ${fault}`));
    return faults;
  };

  it.each(sites)('is at fault on $name, in light, dark and forced colours', async (one) => {
    expect(await faultsInAllLooks(one)).toEqual([]);
  });

  it.each(draws)('is at fault on sheet %i of the draw, in light, dark and forced colours', async (at) => {
    const one = (await (drawnSites ??= drawSites(drawn.seed, drawn.count)))[at];
    if (!one) throw new Error(`There are fewer packages than ${at + 1}.`);
    expect(await faultsInAllLooks(one)).toEqual([]);
  });
});

/** In a page without the script: the controls of the form at this position that nobody can see, and its labels. */
function hiddenIn(position: number): string[] {
  const form = document.querySelectorAll('form')[position];
  const isSeen = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 4 &&
    element.getBoundingClientRect().height > 4;
  const isText = (label: Element): boolean =>
    [...label.childNodes].some((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const { top, height } = range.getBoundingClientRect();
      return !!node.textContent?.trim() && height > 4 && top < label.getBoundingClientRect().bottom;
    });
  if (!form) return ['no form'];
  if (form.popover) form.showPopover();
  const hidden = [...form.querySelectorAll('input:not([type=hidden]), select, button, label, legend')].filter(
    (element) => !isSeen(element) || (element.matches('label, legend') && !isText(element)),
  );
  if (form.popover) form.hidePopover();
  return hidden.map(({ localName, outerHTML }) => `${localName}: ${outerHTML.slice(0, 80)}`);
}

describe('on other sites without JavaScript', () => {
  it.each(chosen)('every form of a snippet is there on $name, and the first is posted', async (one) => {
    const forms = copied.filter(({ hasForm, isOwners }) => hasForm && !isOwners);
    const page = await session.browser.newPage();
    await page.setJavaScriptEnabled(false);
    const html = pageOf(one, 'light', sheet + contentOf(one, forms), `/${basename(widgetScript)}`);
    await page.goto(site.page(`/page-${(pages += 1)}`, { html }));
    const faults: string[] = [];
    for (const [position, { name }] of forms.entries())
      faults.push(...(await page.evaluate(hiddenIn, position)).map((fault) => `${name}: ${fault}`));
    expect(faults).toEqual([]);
    const isPost = (request: string): boolean => request === 'POST /signup';
    const before = site.requests.filter(isPost).length;
    await page.type('[name=email]', 'ada@example.com');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(site.requests.filter(isPost)).toHaveLength(before + 1);
  });
});

/** The snippet's form has the box of the form that takes its place. `steady.slow.test.ts` has other fonts and roots. */
describe('on other sites, the snippet with its style sheet', () => {
  it.each(chosen)('does not move $name', async (one) => {
    const page = await watchShifts(await session.browser.newPage());
    await page.evaluateOnNewDocument(`globalThis.fetch = async () =>
      new Response('{"status":"accepted"}', { status: 202, headers: { 'Content-Type': 'application/json' } })`);
    const around = (content: string): string => pageOf(one, 'light', content, '');
    const move = async (snippet: string, width: number): Promise<number> =>
      (await walkFromSnippet(page, site, snippet, { width, around })).furthest;
    const moved: string[] = [];
    const expectStill = async (name: string, snippet: string, width: number): Promise<void> => {
      const furthest = await move(snippet, width);
      if (furthest > 1) moved.push(`${name}, ${width} px: ${furthest} px`);
    };
    const [readme] = copied;
    for (const width of widths) {
      await expectStill('the README', sheet + (readme?.markup ?? ''), width);
      for (const layout of snippetLayouts)
        for (const fields of [[], listAndDate])
          await expectStill(`${layout}, ${fields.length} fields`, await sentHtml(setupOf(layout, { fields })), width);
    }
    const without = await move(readme?.markup ?? '', 1280);
    console.log(`${one.name}: without the style sheet, the README's snippet moves the page by ${without} px`);
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
      const html = pageOf(one, scheme, contentOf(one, layoutsOn(one)), `/${basename(widgetScript)}`);
      await window.open(site.page(`/${encodeURIComponent(`${name} ${title} ${scheme}`)}`, { html }));
      const faults: unknown[] = [];
      for (const position of layouts.keys()) {
        const form = `document.querySelectorAll('newsletter-signup')[${position}]`;
        const look = async (moment: Moment): Promise<void> =>
          void faults.push(...((await window.ask(`(${String(faultsOf)})(${position}, '${moment}')`)) as unknown[]));
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
