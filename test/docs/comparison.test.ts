/** The comparison: each cell about somebody else has a source with the day on which it was read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const read = (path: string): string => readFileSync(join(root, 'docs/src', path), 'utf8');

/** By address; the first of the month where the day was not written down. */
const readOn = JSON.parse(read('data/comparison-sources.json')) as Partial<Record<string, string>>;

const linkIn = (text: string): string | undefined => /\]\((https:[^)]+)\)/.exec(text)?.[1];
const cellsIn = (line: string): string[] => line.split('|').slice(1, -1);

/** The column of each cell about somebody else's product, and the link in it, else that of its column. */
const cells = (read('content/docs/comparison.md').match(/(?:^\|.*\n)+/gm) ?? []).flatMap((table) => {
  const [head = '', , ...rows] = table.trimEnd().split('\n');
  const columns = cellsIn(head).slice(2);
  return rows.flatMap((row) =>
    cellsIn(row)
      .slice(2)
      .map((cell, index) => ({
        column: columns[index]?.trim() ?? '',
        source: linkIn(cell) ?? linkIn(columns[index] ?? ''),
      })),
  );
});

it('names the source of each cell, and the day on which it was read', () => {
  expect(cells.length).toBeGreaterThan(150);
  const without = cells.filter(({ source }) => source === undefined || !(source in readOn));
  // Of a function that somebody writes, everybody can tell.
  expect([...new Set(without.map(({ column }) => column))]).toEqual(['A function that calls the API']);
});

it('has no day for a source that it does not name', () => {
  const named = new Set(cells.map(({ source }) => source));
  expect(Object.keys(readOn).filter((source) => !named.has(source))).toEqual([]);
  expect(Object.values(readOn).filter((day = '') => !/^\d{4}-\d{2}-\d{2}$/.test(day))).toEqual([]);
});
