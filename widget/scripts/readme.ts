/** Writes the sections of website pages that derive from the source; `--check` compares them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { pagePath } from '../../test/support/documentation.ts';
import { groups } from '../test/losses.ts';
import { english } from '../src/messages.ts';
import { limits } from './size.ts';

/** A table with this head. Line breaks and `|` in cells are escaped. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], empty: string): string =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|') || empty).join(' | ')} |`;
  return [line(head, ' '), `|${'---|'.repeat(head.length)}`, ...rows.map((row) => line(row, '–'))].join('\n');
}

const code = (text = ''): string => text && `\`${text}\``;

function texts(): string {
  return table(
    ['Text', 'In English'],
    Object.entries(english).map(([key, text]) => [code(key), text]),
  );
}

function sizes(): string {
  const rows = limits.map(({ purpose, limit }) => [purpose, limit.toLocaleString('en')]);
  return table(['File', 'Bytes with brotli, at most'], rows);
}

/** The table of no silent loss. Rows of a group with the same outcomes are one row. */
function outcomes(): string {
  const rows = groups.flatMap(({ title, rows: all }) =>
    [...Map.groupBy(all, ({ own, drawn }) => `${own}, ${drawn}`).values()].map((alike) => [
      `${title} ${alike.map((row) => row.title).join('; ')}`,
      ...alike.slice(0, 1).flatMap(({ own, drawn }) => [own, drawn]),
    ]),
  );
  return table(['What is missing or goes wrong', 'Form of the page', 'Form of the element'], rows);
}

/** The text between `<!-- name -->` and `<!-- /name -->` of each page. */
const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'website/texts': { texts: texts() },
  'website/files': { sizes: sizes() },
  'website/browsers': { outcomes: outcomes() },
};

for (const [page, sections] of Object.entries(pages)) {
  const path = pagePath(page);
  const before = await readFile(join(root, path), 'utf8');
  const after = Object.entries(sections).reduce((text, [name, content]) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!place.test(text)) throw new Error(`${path} has no place for ${name}: <!-- ${name} --> and <!-- /${name} -->.`);
    return text.replace(place, (_, opening: string, closing: string) => `${opening}\n${content}\n\n${closing}`);
  }, before);
  if (after === before) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} differs from the source: run "node scripts/readme.ts".`);
    process.exitCode = 1;
  } else await writeFile(join(root, path), after);
}
