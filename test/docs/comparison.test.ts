/** The comparison: each cell about somebody else has a source with the day on which it was read. */
import { expect, it } from 'vitest';
import { comparedCells, oldCells, readOn } from '../../docs/comparison.ts';

const cells = comparedCells();

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

it('lists the cells whose source was read more than six months ago', () => {
  expect(oldCells(new Date('2027-05-01'))).toEqual([]);
  expect(oldCells(new Date('2027-05-02')).map(({ row, column }) => `${row}: ${column}`)).toContain(
    "On the page: Ghost's form",
  );
  expect(oldCells(new Date('2027-05-28')).length).toBe(cells.filter(({ source }) => source !== undefined).length);
});
