/** Every file of tests stands in a ring, and the runner of its ring finds it. */
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.mts';
import { emptyRows, ringOf, testFiles } from '../rings.ts';

const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
);

describe('the table of rings', () => {
  it('has a row for every file of tests', () => {
    expect(testFiles().filter((path) => ringOf(path) === undefined)).toEqual([]);
  });

  it('has no row without a file', () => {
    expect(emptyRows()).toEqual([]);
  });

  it('names no ring for a file in an unknown folder', () => {
    expect(ringOf('test/elsewhere/new.test.ts')).toBeUndefined();
    expect(ringOf('test/elsewhere/new.slow.test.ts')).toBeUndefined();
  });
});

describe('a file of tests', () => {
  // The tests in browsers and in n8n have runners of their own.
  const ofVitest = testFiles().filter((path) => !/^(widget\/test|test\/n8n)\//.test(path));

  it('belongs to a project of vitest', () => {
    expect(ofVitest.filter((path) => !projects.some((glob) => matchesGlob(path, glob)))).toEqual([]);
  });

  it('is named slow if it is not in the fast ring, by which npm test leaves it out', () => {
    expect(ofVitest.filter((path) => path.endsWith('.slow.test.ts') === (ringOf(path) === 'fast'))).toEqual([]);
  });
});
