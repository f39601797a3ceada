/**
 * Takes pictures of the form for people to look at. `npm run sheets` in the folder of the tag writes them into
 * `.output/sheets`, which git ignores: every layout in four states, and the open dialog, on each site of `sites.ts` and
 * in each theme, by colour scheme and width, themes in forced colours too. Arguments limit it to these: `npm run sheets
 * -- Pico ink`.
 */
import { globSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { layouts, schemes, sites, tag, type Scheme, type Site } from './sites.ts';
import { openStudio, states, themeOn } from './studio.ts';

const pictures = join(root, '.output/sheets');
const widths = [360, 768, 1280] as const;
const wanted = process.argv.slice(2);
const isWanted = ({ name }: Site): boolean => wanted.length === 0 || wanted.includes(name);
const themes = globSync('*.css', { cwd: join(root, 'widget/themes') }).map((file) => themeOn(basename(file, '.css')));
const studio = await openStudio();

/** Every layout of a site. */
async function takeSite(site: Site, scheme: Scheme, width: number, isForced = false): Promise<void> {
  const name = `${site.name.toLowerCase().replaceAll(/\W+/g, '-')}-${isForced ? 'forced' : scheme}-${width}`;
  const content = layouts.map(
    (layout) => `<section><h2 class="${site.heading ?? ''}">Harbour notes</h2>
    <p>Boats, food and history.</p>${tag(site, layout)}<p>After the form.</p></section>`,
  );
  const page = await studio.open({ name, site, html: content.join(''), width, scheme, isForced });
  for (const state of states) {
    await studio.reach(page, state);
    await page.screenshot({ path: `${pictures}/${name}-${state}.png`, fullPage: true });
  }
  await page.setViewport({ width, height: 900 });
  await page.evaluate(`forms().at(-1).open()`);
  await page.screenshot({ path: `${pictures}/${name}-dialog.png` });
  await page.close();
}

await mkdir(pictures, { recursive: true });
try {
  for (const site of [...sites, ...themes].filter(isWanted))
    for (const width of widths) {
      for (const scheme of schemes) await takeSite(site, scheme, width);
      if (themes.includes(site)) await takeSite(site, 'dark', width, true);
    }
} finally {
  await studio.close();
}
