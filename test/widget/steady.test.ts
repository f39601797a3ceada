/**
 * Nothing moves when the script takes the place of a snippet's form, nor when the thanks do. `steady.slow.test.ts` has
 * every width, font and root.
 */
import { describe, expect, it } from 'vitest';
import { layouts, listAndDate, sentHtml, setupOf } from './snippets.ts';
import { builds } from './pages-to-walk.ts';
import { setStage } from './stage.ts';
import { columnIn, fonts, walk, watchShifts } from './steady.ts';

const stage = setStage();

describe.each(layouts)('with the layout %s', (layout) => {
  it.each([
    ['without fields', 1280, '100%', []],
    ['with fields', 360, '62.5%', listAndDate],
  ] as const)('a page does not move: %s, %i px', async (_, width, root, fields) => {
    const { site, session, origin } = stage();
    const page = await watchShifts(await session.browser.newPage());
    const endpoint = `${origin}/signup/steady-${layout}-${width}/accepted`;
    const setup = setupOf(layout, { fields, values: { 'attribute.endpoint': endpoint } });
    expect((await walk(page, site, await sentHtml(setup), { around: columnIn(fonts[1], root), width })).moves).toEqual(
      [],
    );
  });
});

it('a class of the page hides the form of each layout', async () => {
  const { site, session, origin } = stage();
  const page = await session.browser.newPage();
  for (const layout of layouts) {
    const values = { 'attribute.endpoint': `${origin}/signup/hidden-${layout}/accepted` };
    const html = await sentHtml(setupOf(layout, { values }), builds.script);
    const hidden = html.replace('<newsletter-signup', '<newsletter-signup class="hidden"');
    await page.goto(site.page(`/hidden-${layout}`, { html: `<style>.hidden { display: none }</style>${hidden}` }));
    await page.waitForSelector('newsletter-signup:defined');
    expect(await page.$eval('newsletter-signup', (form) => form.checkVisibility()), layout).toBe(false);
  }
});
