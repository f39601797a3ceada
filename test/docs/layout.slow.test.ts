/** No page of the built documentation site hides anything, on a desktop, a tablet and a phone. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { base } from '../../docs/site.ts';
import { root } from '../../scripts/root.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { starter, type Started } from '../scripts/starter.ts';
import { freePort } from '../support/free-ports.ts';

let session: BrowserSession;
let site: Started;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  // Vitest sets variables that Astro reads too, such as BASE_URL.
  const others = Object.keys(process.env).filter((name) => !['PATH', 'HOME'].includes(name));
  site = starter(['docs', '--port', String(port)], Object.fromEntries(others.map((name) => [name, undefined])));
  origin = `http://127.0.0.1:${port}`;
  await site.says(new RegExp(`:${port}${base}/`));
  session = await openBrowser();
}, 600_000);
afterAll(async () => {
  await session?.close();
  site?.child.kill();
  await site?.ended;
});

/** Pixels at 1440 above which a page should be several. */
const tallest = 12_000;

it('no element stands out of its column, no code breaks inside of a word, and no page is endless', async () => {
  const pages = globSync('**/index.html', { cwd: join(root, 'docs', 'dist') }).map((file) =>
    file.replaceAll('\\', '/').replace(/index\.html$/, ''),
  );
  expect(pages.length).toBeGreaterThan(100);
  const page = await session.browser.newPage();
  const found: string[] = [];
  for (const path of pages.filter((each) => !each.startsWith('playground/'))) {
    await page.goto(`${origin}${base}/${path}`);
    for (const width of [1440, 768, 390]) {
      await page.setViewport({ width, height: 900 });
      const problems = await page.evaluate(problemsOf);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (width === 1440 && height > tallest) problems.push(`is ${height} pixels high`);
      found.push(...problems.map((problem) => `${path} at ${width}: ${problem}`));
    }
  }
  expect(found).toEqual([]);
}, 900_000);

/** Runs in the page: what is beyond the column of the text, and the code that breaks inside of a word. */
function problemsOf(): string[] {
  const column = document.querySelector('.sl-markdown-content')?.getBoundingClientRect();
  if (!column) return ['has no text'];
  const elements = [...document.querySelectorAll('.sl-markdown-content *')];
  // What is hidden from sight, such as labels for screen readers, and the inside of drawings.
  const seen = elements.filter((each) => each.checkVisibility() && !each.closest('svg, .sr-only, thead'));
  const outside = seen.filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 1 && (right > column.right + 1 || left < column.left - 1);
  });
  const cut = seen.filter((each) => each.matches('table, td') && each.scrollWidth > each.clientWidth + 1);
  const broken = seen.filter((each) => each.matches(':not(pre) > code') && breaksWord(each));
  const named = (kind: string, list: readonly Element[]): string[] =>
    list.slice(0, 3).map((each) => `${kind}: <${each.localName}> ${each.textContent?.trim().slice(0, 60)}`);
  return [...named('beyond its column', outside), ...named('cut', cut), ...named('broken', broken)];

  /** Whether a line ends between two letters or digits of one text. */
  function breaksWord(code: Element): boolean {
    if (code.getClientRects().length < 2) return false;
    return [...code.childNodes].some((text) => {
      const value = text.textContent ?? '';
      const range = document.createRange();
      const tops = [...value].map((_, index) => {
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().top;
      });
      return tops.some(
        (top, index) =>
          index > 0 && top > (tops[index - 1] ?? top) + 4 && /[A-Za-z0-9]{2}/.test(value.slice(index - 1, index + 1)),
      );
    });
  }
}
