/** No page of the built documentation site hides anything, on a desktop, a tablet and a phone. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, walkTokens } from 'marked';
import { expect, it } from 'vitest';
import { raiseComments } from '../../docs/readable.ts';
import { base, content } from '../../docs/site.ts';
import { origin, pages, session, useBuiltSite } from './built-site.ts';

useBuiltSite();

/** Pixels at 1440 above which a page should be several. */
const tallest = 12_000;

/** A desktop, a tablet, a phone upright and on its side, and a sheet of A4. */
const sizes = [
  [1440, 900, 'screen'],
  [768, 1024, 'screen'],
  [390, 844, 'screen'],
  [844, 390, 'screen'],
  [794, 1123, 'print'],
] as const;

it('no element stands out of its column, no code breaks inside of a word, and no page is endless', async () => {
  expect(pages.size).toBeGreaterThan(100);
  const page = await session.browser.newPage();
  const found: string[] = [];
  for (const path of [...pages.keys()].filter((each) => !each.startsWith(`${base}/playground/`))) {
    await page.goto(`${origin}${path}`);
    for (const [width, height, media] of sizes) {
      await page.setViewport({ width, height });
      await page.emulateMediaType(media);
      const problems = await page.evaluate(problemsOf, media);
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      if (width === 1440 && whole > tallest) problems.push(`is ${whole} pixels high`);
      found.push(...problems.map((problem) => `${path} at ${width}, ${media}: ${problem}`));
    }
  }
  expect(found.map((each) => each.replaceAll(/\s+/g, ' '))).toEqual([]);
}, 900_000);

it('each block of code of a page is on it whole', () => {
  let count = 0;
  const missing = globSync('**/*.md', { cwd: content }).flatMap((file) => {
    const path = file.replaceAll('\\', '/').replace(/(?:(?<=^|\/)index)?\.md$/, '/');
    const html = pages.get(`${base}/${path}`.replace(/\/+$/, '/')) ?? '';
    const shown = new Set([...html.matchAll(/data-code="([^"]*)"/g)].map(([, code = '']) => textIn(code)));
    const written: string[] = [];
    void walkTokens(lexer(readFileSync(join(content, file), 'utf8')), (token) => {
      if (token.type === 'code') written.push(token.text);
    });
    count += written.length;
    return written
      .filter((text) => !shown.has(withoutComments(raiseComments(text))))
      .map((text) => `${file}: ${text.slice(0, 60)}`);
  });
  expect(missing).toEqual([]);
  expect(count).toBeGreaterThan(200);
});

/** The text of an attribute in which Expressive Code has a block, with a sign of its own for the end of a line. */
const textIn = (attribute: string): string =>
  withoutComments(
    attribute
      .replaceAll('\u{7f}', '\n')
      .replaceAll('&quot;', '"')
      .replaceAll(/&#x(\w+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replaceAll('&amp;', '&'),
  );

/** What is copied: a terminal's comments are not, and that with the name of a file stands above its block. */
const withoutComments = (code: string): string => code.replaceAll(/^ *(?:#|\/\/).*\n?/gm, '').trimEnd();

/**
 * Runs in the page: what is beyond the column of the text, and the code that breaks inside of a word; on paper also the
 * menus.
 */
function problemsOf(media: 'screen' | 'print'): string[] {
  const column = document.querySelector('.sl-markdown-content')?.getBoundingClientRect();
  if (!column) return ['has no text'];
  const elements = [...document.querySelectorAll('.sl-markdown-content *')];
  // Not what is hidden from sight, such as labels for screen readers, nor the inside of drawings and blocks of code.
  const seen = elements.filter((each) => each.checkVisibility() && !each.closest('svg, .sr-only, thead, pre *'));
  const outside = seen.filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 1 && (right > column.right + 1 || left < column.left - 1);
  });
  const cut = seen.filter((each) => each.matches('table, td, pre') && each.scrollWidth > each.clientWidth + 1);
  const broken = seen.filter((each) => each.matches(':not(pre) > code') && breaksWord(each));
  const menus = media === 'print' ? [...document.querySelectorAll('.sidebar-pane, .right-sidebar, site-search')] : [];
  const printed = menus.filter((each) => each.checkVisibility());
  const named = (kind: string, list: readonly Element[]): string[] =>
    list.slice(0, 3).map((each) => `${kind}: <${each.localName}> ${each.textContent?.trim().slice(0, 60)}`);
  return [
    ...named('beyond its column', outside),
    ...named('cut', cut),
    ...named('broken', broken),
    ...named('printed', printed),
  ];

  /** Whether a line ends between two letters or digits of one text. */
  function breaksWord(code: Element): boolean {
    if (code.getClientRects().length < 2) return false;
    const texts = [...code.childNodes].flatMap((node) => (node.nodeName === '#text' ? node : [...node.childNodes]));
    return texts.some((text) => {
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
