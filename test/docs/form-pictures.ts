/**
 * The pictures of the form in the READMEs and on the start page: on other people's sites, and in its themes. A picture
 * carries a record of what it shows, cell by cell: the texts and the computed styles of each visible part of the form.
 * Both are the same on any machine, unlike pixels and fonts.
 */
import { hash } from 'node:crypto';
import type { Page } from 'puppeteer-core';
import { missingLetters } from '../e2e/missing-letters.ts';
import { drawSites, layouts, schemes, tag, type Layout } from '../widget/sites.ts';
import { themeOn, type Scene, type State, type Studio } from '../widget/studio.ts';

/** A picture that was taken. */
export interface Taken {
  readonly webp: Uint8Array;
  /** A hash for each cell. */
  readonly record: Readonly<Record<string, string>>;
  /** Letters that no font of this machine has. */
  readonly missing: string;
}

/** The states of cells besides the first one, by their positions. */
const stateAt: Readonly<Partial<Record<number, State>>> = { 6: 'error', 11: 'success' };

const topics =
  '<newsletter-field name="Topics" kind="list" options="Boats, Food, History" value="Boats, History"></newsletter-field>';

/** Gives the button the colour of the page's links, as an owner would. */
const accent = `<script>document.currentScript.parentElement.style.setProperty(
  '--newsletter-accent', getComputedStyle(document.querySelector('a')).color)</script>`;

/** One cell: its picture as an `<img>`, and its height. */
interface Cell {
  readonly name: string;
  readonly image: string;
  readonly height: number;
  readonly facts: string;
  readonly missing: string;
}

async function takeCell(studio: Studio, scene: Scene, state: State, height?: number): Promise<Cell> {
  const page = await studio.open(scene);
  if (height !== undefined) await page.setViewport({ width: scene.width, height });
  await studio.reach(page, state);
  const picture = await page.screenshot({ fullPage: height === undefined, encoding: 'base64' });
  const cell = {
    name: `${scene.name} ${scene.scheme}`,
    image: `<img src="data:image/png;base64,${picture}">`,
    height: await page.evaluate(() => document.documentElement.scrollHeight),
    facts: await page.evaluate(factsOf),
    missing: await missingLetters(page),
  };
  await page.close();
  return cell;
}

/** Runs in the page: the texts and styles of each visible part of its form. Numbers are rounded, as engines do. */
function factsOf(): string {
  const styles =
    'color background-color background-image border border-radius box-shadow padding font-size font-weight';
  return [...(document.querySelector('newsletter-signup')?.shadowRoot?.querySelectorAll('[part]') ?? [])]
    .filter((each) => each.checkVisibility())
    .map((each) => {
      const style = getComputedStyle(each);
      const text = [...each.childNodes].map((node) => (node instanceof Text ? node.data.trim() : '')).join(' ');
      return [each.getAttribute('part'), text, ...styles.split(' ').map((name) => style.getPropertyValue(name))].join(
        '; ',
      );
    })
    .join('\n')
    .replaceAll(/\d*\.\d+/g, (number) => Number(number).toFixed(1));
}

async function joined(studio: Studio, name: string, html: string, cells: readonly Cell[]): Promise<Taken> {
  const page: Page = await studio.open({ name, html, width: name === 'sites' ? 1720 : 1368, scheme: 'light' });
  const webp = await page.screenshot({ type: 'webp', quality: 83, fullPage: true, omitBackground: true });
  await page.close();
  return {
    webp,
    record: Object.fromEntries(cells.map((cell) => [cell.name, hash('sha256', cell.facts).slice(0, 8)])),
    missing: [...new Set(cells.flatMap(({ missing }) => [...missing]))].join(''),
  };
}

/** The form on twenty style sheets that nobody built it for, in four columns of about the same height. */
export async function takeSites(studio: Studio): Promise<Taken> {
  const columns = Array.from({ length: 4 }, () => ({ html: '', height: 0 }));
  const taken: Cell[] = [];
  for (const [at, site] of (await drawSites(63, 20, true)).entries()) {
    const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(site.name) ?? [''];
    const scheme = at % 4 === 3 ? 'dark' : 'light';
    const layout = layouts[at % 5] ?? 'inline';
    const html = `<div style="padding-block: 20px">
      <p style="margin-block-end: 20px">The first boats are <a href="/">back from the winter quay</a>.</p>
      ${scheme === 'light' ? accent : ''}${tag(site, layout, layout === 'card' ? topics : '')}</div>`;
    const state = stateAt[at] ?? 'idle';
    const cell = await takeCell(studio, { name: `${name}, ${layout}`, site, html, width: 400, scheme }, state);
    taken.push(cell);
    const shortest = columns.reduce((one, other) => (other.height < one.height ? other : one));
    shortest.html += `<figure>${cell.image}<figcaption>${name}, <b>${layout}</b></figcaption></figure>`;
    shortest.height += cell.height + 60;
  }
  const html = `<!doctype html><style>
      body { margin: 0; padding: 24px; display: flex; gap: 24px; background: #e7e5e1; font: 15px system-ui, sans-serif; color: #444 }
      figure { margin: 0 0 20px } img { display: block; width: 400px; border-radius: 12px } figcaption { padding: 8px 4px }
      b { font-weight: 400; color: #6b6b6b }
    </style>${columns.map((column) => `<div>${column.html}</div>`).join('')}`;
  return joined(studio, 'sites', html, taken);
}

/** A tile of the documentation's picture: a theme with texts that suit it. */
interface Tile {
  readonly theme: string;
  readonly layout: Layout;
  readonly head: string;
  readonly intro: string;
  readonly note?: string;
  readonly more?: string;
  readonly button?: string;
  readonly ground: string;
}

/** The tiles, in rows of three. */
const tiles: readonly Tile[] = [
  {
    theme: 'ink',
    layout: 'inline',
    head: 'The <em>Harbour</em> Letter',
    intro: 'Boats, food and history along the coast. Every Thursday, before breakfast.',
    note: 'No. 113 goes out on Thursday.',
    ground: 'light-dark(#fbfaf6, #16171a)',
  },
  {
    theme: 'meadow',
    layout: 'card',
    head: 'Grow with us',
    intro: 'Seasonal notes from a small garden.',
    more: '<newsletter-field name="Topics" kind="list" options="Herbs, Soil, Bees" value="Herbs, Bees"></newsletter-field>',
    ground: 'linear-gradient(160deg, light-dark(#e9f4e4, #0e1811), light-dark(#d3e8d2, #0b120d))',
  },
  {
    theme: 'harbor',
    layout: 'cover',
    head: 'What the sea left behind this week',
    intro: 'Written by people who get their feet wet.',
    note: 'Join 4,200 readers. No tracking.',
    ground: 'light-dark(#eef3f7, #04101c)',
  },
  {
    theme: 'signal',
    layout: 'card',
    head: 'build logs, weekly',
    intro: 'What shipped, what broke, what we learned.',
    button: 'subscribe →',
    note: 'no tracking, one click to leave',
    ground: 'light-dark(#ffe14d, #232323)',
  },
  {
    theme: 'dusk',
    layout: 'card',
    head: 'After hours',
    intro: 'Music for the last train home, on Fridays.',
    note: 'Free. Leave with one click.',
    ground: 'light-dark(#efe9fb, #07041a)',
  },
  {
    theme: 'linen',
    layout: 'card',
    head: 'Letters from the mill',
    intro: 'Cloth, colour and slow work, once a month.',
    note: 'One letter a month. Leave with one click.',
    ground: 'light-dark(#efe6d8, #17120e)',
  },
];

/** The six themes, each with its dark scheme below it. Two of them draw a scene, which fills the tile. */
export async function takeThemes(studio: Studio): Promise<Taken> {
  const taken: Cell[] = [];
  for (const row of [tiles.slice(0, 3), tiles.slice(3)])
    for (const scheme of schemes)
      for (const { theme, layout, ground, head, intro, note, more = '', button = 'Subscribe' } of row) {
        const scene = ['harbor', 'dusk'].includes(theme)
          ? 'body { padding: 0 } newsletter-signup::part(surface) { min-block-size: 100vh; border-radius: 0 } newsletter-signup::part(panel) { align-self: center }'
          : '';
        const html = `<style>
            body { margin: 0; padding: 2rem; display: grid; align-items: center; box-sizing: border-box; block-size: 100vh } ${scene}
          </style>
          <newsletter-signup endpoint="/signup" layout="${layout}" text-email-placeholder="ada@example.com" text-button="${button}">
            <h2 slot="head">${head}</h2><p slot="head">${intro}</p>${more}${note ? `<small slot="note">${note}</small>` : ''}
          </newsletter-signup>`;
        const state = theme === 'dusk' && scheme === 'dark' ? 'success' : 'idle';
        const site = themeOn(theme, ground);
        taken.push(await takeCell(studio, { name: theme, site, html, width: 440, scheme }, state, 440));
      }
  const html = `<!doctype html><style>
      body { margin: 0; padding: 4px; display: grid; grid-template-columns: repeat(3, 440px); gap: 20px }
      img { display: block; border-radius: 16px }
    </style>${taken.map(({ image }) => image).join('')}`;
  return joined(studio, 'themes', html, taken);
}
