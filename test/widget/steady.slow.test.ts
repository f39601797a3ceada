/** Nothing moves from the first paint of a snippet to the thanks: layouts, fonts, roots, widths, and both builds. */
import { describe, expect, it } from 'vitest';
import { layouts, listAndDate, sentHtml, setupOf } from './snippets.ts';
import { setStage } from './stage.ts';
import { columnIn, fonts, roots, walk, watchShifts, widths } from './steady.ts';

const stage = setStage();
const fieldLists = [[], listAndDate] as const;

describe.each(layouts)('with the layout %s a page does not move', (layout) => {
  it.each(fonts)('in %s', async (font) => {
    const { site, session, origin } = stage();
    const page = await watchShifts(await session.browser.newPage());
    const moved: string[] = [];
    for (const root of roots)
      for (const width of widths)
        for (const fields of fieldLists)
          for (const isBare of [false, true]) {
            const name = [layout, font, root, width, fields.length, isBare].join(' ');
            const endpoint = `${origin}/signup/${encodeURIComponent(name)}/accepted`;
            const setup = setupOf(layout, { fields, values: { 'attribute.endpoint': endpoint } }, isBare);
            const { moves } = await walk(page, site, await sentHtml(setup), { around: columnIn(font, root), width });
            moved.push(...moves.map((move) => `${name}: ${move}`));
          }
    expect(moved).toEqual([]);
  });

  it('with the modules from npm', async () => {
    const { site, session, origin } = stage();
    const page = await watchShifts(await session.browser.newPage());
    const setup = setupOf(layout, { values: { 'attribute.endpoint': `${origin}/signup/npm-${layout}/accepted` } });
    const paper = { around: columnIn(fonts[0], '100%'), width: 768, build: 'npm' } as const;
    expect((await walk(page, site, await sentHtml(setup), paper)).moves).toEqual([]);
  });
});
