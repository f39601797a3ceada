/**
 * The form in each tag of the documentation and of the example pages is the one that the playground writes.
 * `UPDATE_SNIPPETS=1` writes them.
 */
import { globSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formOf, isTag, withForm } from '../../examples/demo/page/fallback.ts';
import { html, write, type Tag } from '../../examples/demo/page/markup.ts';
import { asDiv } from '../../examples/demo/page/snippets.ts';
import { root } from '../../scripts/root.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { options } from './snippets.ts';

const paths = globSync(
  ['README.md', 'widget/README.md', 'docs/src/content/docs/**/*.md', 'examples/{pages,site,demo/page}/*.html'],
  {
    cwd: root,
  },
)
  .filter((path) => /<form|data-newsletter-signup/.test(readFileSync(join(root, path), 'utf8')))
  .toSorted();

/** A tag, or a div in its place, and the white space before it. */
const pattern = /^( *)<(newsletter-signup|div(?= data-newsletter-signup))\b[^]*?^\1<\/\2>/gm;

/** In the page: an element as a tree, without comments and without white space between elements. */
const parse = `(markup) => {
  const tree = (node) => ({
    name: node.localName,
    attributes: Object.fromEntries(Array.from(node.attributes, ({ name, value }) => [name, value === '' ? true : value])),
    children: Array.from(node.childNodes).flatMap((child) => child.nodeType === 1 ? [tree(child)] :
      child.nodeType === 3 && child.data.trim() ? [child.data.replace(/\\s+/g, ' ')] : []),
  });
  return tree(new DOMParser().parseFromString(markup, 'text/html').body.firstElementChild);
}`;

const session = useBrowser();

/** The tag that a div stands for. */
function asTag({ name, attributes, children }: Tag): Tag {
  const kind = ['signup', 'field'].find((each) => `data-newsletter-${each}` in attributes);
  return {
    name: kind ? `newsletter-${kind}` : name,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([key, value]) =>
        key.startsWith('data-newsletter-') ? [] : [[kind ? key.replace('data-', '') : key, value]],
      ),
    ),
    children: kind ? children.map((child) => (isTag(child) ? asTag(child) : child)) : children,
  };
}

/**
 * The tag with the form that the playground writes; undefined for a form of the owner's, and for the shortest snippet,
 * whose address field is of the type that people know.
 *
 * @param language - of the page around the tag
 */
function written(markup: Tag, language: string): Tag | undefined {
  const tag = asTag(markup);
  const form = formOf(tag);
  if (!form || JSON.stringify(form).includes('"type":"email"')) return undefined;
  const bare = { ...tag, children: tag.children.filter((child) => isTag(child) && child !== form) };
  const made = withForm(bare, options.texts[String(tag.attributes['lang'] ?? language)] ?? {}, false);
  return markup.name === 'div' ? asDiv(made, 'signup') : made;
}

it.each(paths)('%s has the forms of the playground', async (path) => {
  const page = await session.browser.newPage();
  const read = async (markup: string): Promise<Tag> =>
    (await page.evaluate(`(${parse})(${JSON.stringify(markup)})`)) as Tag;
  const before = await readFile(join(root, path), 'utf8');
  let after = before;
  for (const { 0: markup, 1: indent = '', index } of before.matchAll(pattern)) {
    const tag = await read(markup);
    const [, language = 'en'] = path.endsWith('.html') ? (/.*lang="(\w+)/s.exec(before.slice(0, index)) ?? []) : [];
    const made = written(tag, language);
    if (!made) continue;
    const text = write(made, html).replaceAll(/^(?=.)/gm, indent);
    if (process.env['UPDATE_SNIPPETS']) after = after.replace(markup, () => text);
    else expect(tag).toEqual(await read(text));
  }
  if (after !== before) await writeFile(join(root, path), after);
  await page.close();
});
