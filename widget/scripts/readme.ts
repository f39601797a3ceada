/** Generates the tables of the website pages that follow from the tag's source. */
import { pagePath, withSections } from '../../test/support/documentation.ts';
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

/** An address in a text is no link. */
function texts(): string {
  return table(
    ['Text', 'In English'],
    Object.entries(english).map(([key, text]) => [code(key), text.replace('@', '&#64;')]),
  );
}

function sizes(): string {
  const rows = limits.map(({ purpose, limit }) => [purpose, limit.toLocaleString('en')]);
  return table(['File', 'Bytes with brotli, at most'], rows);
}

/** The table of no silent loss. Rows of a group with the same outcome are one row. */
function outcomes(): string {
  const rows = groups.flatMap(({ title, rows: all }) =>
    Array.from(
      Map.groupBy(all, ({ outcome }) => outcome),
      ([outcome, alike]) => [`${title} ${alike.map((row) => row.title).join('; ')}`, outcome],
    ),
  );
  return table(['What is missing or goes wrong', 'Outcome'], rows);
}

/** The text of each page, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  return {
    ...withSections(pagePath('website/texts'), { texts: texts() }),
    ...withSections(pagePath('website/files'), { sizes: sizes() }),
    ...withSections(pagePath('website/browsers'), { outcomes: outcomes() }),
  };
}
