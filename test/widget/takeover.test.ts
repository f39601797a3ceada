/**
 * The form in a snippet before, while and after the script comes: what a visitor has typed stays, there is one form for
 * assistive technology, and without the script the form posts by itself.
 */
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { complaintsOf } from '../e2e/visitor.ts';
import { readTree } from './ax-tree.ts';
import { fillInAndPost, relayFor } from './native-post.ts';
import type { Site } from './site.ts';
import { layouts, listAndDate, sentHtml, setupOf, type Layout } from './snippets.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** A page with a snippet. */
async function pageWith(layout: Layout, endpoint: string, scripts: string): Promise<string> {
  const setup = setupOf(layout, {
    fields: layout === 'inline' ? [] : listAndDate,
    values: { 'attribute.endpoint': endpoint },
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
    <style>html { color-scheme: light dark; color: CanvasText; background: Canvas }</style><main><h1>A page</h1>${await sentHtml(setup, scripts)}</main></html>`;
}

/** A script that comes when the test brings it. */
function slowScript(site: Site, name: string): { readonly tag: string; bring(): void } {
  let bring = (): void => {};
  const arrival = new Promise<void>((resolve) => (bring = resolve));
  site.script(
    `/${name}.js`,
    arrival.then(() => `import('/signup-form.js')`),
  );
  return { tag: `<script src="/${name}.js" async></script>`, bring: () => bring() };
}

/** Waits until the form in use is the element's, or the page's with the script. */
const taken = (page: Page): Promise<unknown> =>
  page.waitForFunction(`document.querySelector('newsletter-signup').shadowRoot?.querySelector('[part=surface]')`);

/** In the page: whether the form is visible, in a dialog that is open if it is in one. */
const isThere = `document.querySelector('newsletter-signup').matches('[open], :not([layout=dialog])')`;

/** In the page: the field that has the focus, with its text and the selection in it. */
const focused = `(() => {
  let active = document.activeElement;
  while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return [active.name, active.value, active.selectionStart];
})()`;

const textFields = (tree: string): string[] =>
  tree.split('\n').filter((line) => /^\s*textbox “Email address”/.test(line));

describe.each(layouts)('with the layout %s', (layout) => {
  it('what was typed, the focus and the place in the text survive the arrival of the script', async () => {
    const { site, session, origin } = stage();
    const page = await session.browser.newPage();
    const script = slowScript(site, `typed-${layout}`);
    const html = await pageWith(layout, `${origin}/signup/typed-${layout}/accepted`, script.tag);
    await page.goto(site.page(`/typed-${layout}`, { html }), { waitUntil: 'domcontentloaded' });
    await (await page.$('[popovertarget]'))?.click();
    await page.type('[name=email]', 'adaexample.com');
    for (let step = 0; step < 'example.com'.length; step += 1) await page.keyboard.press('ArrowLeft');
    await (await page.$('[value=food]'))?.evaluate((box) => (box as HTMLInputElement).click());

    script.bring();
    await taken(page);
    await page.waitForFunction(isThere);
    await page.keyboard.type('@');
    const [name, value] = (await page.evaluate(focused)) as [string, string];
    // An input of the type email, as in the page's own form, does not tell where the caret is.
    expect([name, value]).toEqual(['email', 'ada@example.com']);
    if (layout !== 'inline')
      expect(
        await page.$eval('newsletter-signup', ({ shadowRoot }) => shadowRoot?.querySelector('[value=food]:checked')),
      ).not.toBeNull();
  });

  it.each(['light', 'dark'])('there is one form for assistive technology, without a violation, %s', async (scheme) => {
    const { site, session, origin } = stage();
    const page = await session.browser.newPage();
    const complaints = complaintsOf(page);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const devtools = await page.createCDPSession();
    const name = `axe-${layout}-${scheme}`;
    const script = slowScript(site, name);
    const html = await pageWith(layout, `${origin}/signup/${name}/accepted`, script.tag);
    await page.goto(site.page(`/${name}`, { html }), { waitUntil: 'domcontentloaded' });
    await (await page.$('[popovertarget]'))?.click();
    expect(await findings(page)).toEqual([]);
    expect(textFields(await readTree(devtools))).toHaveLength(1);
    if (layout === 'dialog') await page.keyboard.press('Escape');

    script.bring();
    await taken(page);
    await (await page.$('[slot=trigger]'))?.click();
    await page.waitForFunction(isThere);
    expect(await findings(page)).toEqual([]);
    expect(textFields(await readTree(devtools))).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});

/** What can keep the script from running, and how the page loads it. */
const failures: Readonly<Record<string, { readonly script: string; readonly before?: string }>> = {
  'is not there': { script: '/gone/signup-form.js' },
  'throws an error': { script: '/throws.js' },
  'cannot be parsed': { script: '/newer.js' },
  'has the throwing code of another script before it': { script: '/combined.js' },
  'cannot render the form': {
    script: '/signup-form.js',
    before: `const { importNode } = document;
      document.importNode = (node, ...more) => {
        if (node.querySelector?.('[part=surface]')) throw new Error('broken');
        return importNode.call(document, node, ...more);
      }`,
  },
};

describe.each(Object.entries(failures))('if the script %s', (_, { script, before = '' }) => {
  it.each(layouts)('the form of the layout %s is visible and posts by itself', async (layout) => {
    const { site, session } = stage();
    site.script('/throws.js', `throw new Error('broken')`);
    site.script('/newer.js', 'class { #a; static { this.b = #c in this } syntax of a later year');
    site.script('/combined.js', `throw new Error('another script'); import('/signup-form.js')`);
    const relay = await relayFor(site);
    const page = await session.browser.newPage();
    const scripts = `<script>${before}</script><script src="${script}"></script>`;
    const name = `${layout}-${Object.keys(failures).findIndex((key) => failures[key]?.script === script)}`;
    await page.goto(site.page(`/${name}`, { html: await pageWith(layout, relay.endpoint, scripts) }));
    await fillInAndPost(page, `${name}@example.com`);
    expect(page.url()).toBe(relay.thanks);
  });
});
