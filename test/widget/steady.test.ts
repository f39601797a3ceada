/**
 * Nothing moves when the script takes the place of a snippet's form, nor when the thanks do. `steady.slow.test.ts` has
 * every width, font and root.
 */
import { describe, expect, it } from 'vitest';
import { layouts, listAndDate, sentHtml, setupOf } from './snippets.ts';
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
