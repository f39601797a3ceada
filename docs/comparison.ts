/**
 * The sources of the comparison: the day on which each was read, and the cells that rest on it. As a program it prints
 * the cells whose source was read more than six months ago, by source.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/root.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** By address; the first of the month where the day was not written down. */
export const readOn = JSON.parse(read('docs/src/data/comparison-sources.json')) as Partial<Record<string, string>>;

/** A cell about somebody else's product. */
export interface Cell {
  readonly row: string;
  readonly column: string;
  /** The link in the cell, else that of its column; undefined for a column without one. */
  readonly source: string | undefined;
}

const linkIn = (text: string): string | undefined => /\]\((https:[^)]+)\)/.exec(text)?.[1];
const nameIn = (text: string): string => text.replaceAll(/<!--.*?-->|\[|\]\([^)]*\)|`/g, '').trim();
const cellsIn = (line: string): string[] => line.split('|').slice(1, -1);

/** The cells of every table of the page, without the columns about Newsletter Kit. */
export function comparedCells(): readonly Cell[] {
  const tables = read('docs/src/content/docs/comparison.md').match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n');
    const columns = cellsIn(head);
    return rows.flatMap((line) => {
      const [row = '', , ...others] = cellsIn(line);
      return others.map((cell, index) => {
        const column = columns[index + 2] ?? '';
        return { row: nameIn(row), column: nameIn(column), source: linkIn(cell) ?? linkIn(column) };
      });
    });
  });
}

/** The cells whose source was read more than six months before the day. */
export function oldCells(today: Date): readonly Cell[] {
  const limit = new Date(today).setUTCMonth(today.getUTCMonth() - 6);
  return comparedCells().filter(({ source }) => source !== undefined && Date.parse(readOn[source] ?? '1970') < limit);
}

if (import.meta.main) {
  const old = Map.groupBy(oldCells(new Date()), ({ source }) => source ?? '');
  if (old.size === 0) console.log('Every source of the comparison was read within the last six months.');
  for (const [source, cells] of old) {
    console.log(`${readOn[source]} ${source}`);
    for (const { row, column } of cells) console.log(`           ${column}: ${row}`);
  }
}
