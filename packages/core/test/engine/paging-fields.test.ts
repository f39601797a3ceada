/**
 * Every mixture of the six paging fields, each as the specification has it, absent, null, or of another type, before
 * services that take a cursor, a page number, both or neither: a list is whole, or ends with an error that names a
 * field, or is told to have been taken as whole. It is never short in silence.
 */
import { describe, expect, it } from 'vitest';
import { operation } from '../../src/contract/index.ts';
import { readPage, startTrail, type ListId } from '../../src/engine/index.ts';

const names = ['limit', 'has_more', 'next_cursor', 'page', 'total_results', 'total_pages'] as const;
const forms = ['present', 'absent', 'null', 'wrong'] as const;
type Mixture = Readonly<Record<(typeof names)[number], (typeof forms)[number]>>;

const mixtures = names.reduce<readonly Mixture[]>(
  (all, name) => all.flatMap((mixture) => forms.map((form) => ({ ...mixture, [name]: form }))),
  [{} as Mixture],
);

const size = 3;
const all = Array.from({ length: 8 }, (_, index) => ({ id: `r${index}` }));
const pages = Math.ceil(all.length / size);

/** What the service takes to find a page. */
type Takes = readonly ('cursor' | 'page')[];

/** Reads a list to its end, as the engine does. */
function readFrom(list: ListId, takes: Takes, mixture: Mixture) {
  const told: string[] = [];
  const ids: string[] = [];
  let trail = startTrail();
  for (let requests = 0; ; requests += 1) {
    if (requests > 20) throw new Error('The list has no end.');
    const cursor = takes.includes('cursor') && 'cursor' in trail.at ? trail.at.cursor : null;
    const asked = takes.includes('page') && 'page' in trail.at ? trail.at.page : 1;
    const page = cursor === null ? asked : Number(cursor.slice(1));
    const fields: Record<(typeof names)[number], unknown> = {
      limit: size,
      has_more: page < pages,
      next_cursor: page < pages && takes.includes('cursor') ? `c${page + 1}` : null,
      page,
      total_results: all.length,
      total_pages: pages,
    };
    const stated = names.flatMap((name): [string, unknown][] => {
      if (mixture[name] === 'absent') return [];
      return [[name, { present: fields[name], null: null, wrong: { wrong: true } }[mixture[name]]]];
    });
    const data = all.slice((page - 1) * size, page * size);
    const { next, problem, repeats, deviations } = readPage(
      { data, ...Object.fromEntries(stated) },
      trail,
      operation(list),
    );
    told.push(...deviations.map((each) => `${each.field} ${each.problem}`));
    if (!repeats) ids.push(...data.map(({ id }) => id));
    if (next === null) return { ids, told, problem };
    trail = next;
  }
}

const services: readonly (readonly [list: ListId, takes: Takes, outcomes: object])[] = [
  ['subscriptions.list', ['cursor', 'page'], { whole: 3772, error: 324, told: 0 }],
  ['subscriptions.list', ['cursor'], { whole: 1024, error: 2880, told: 192 }],
  ['customFields.list', ['page'], { whole: 3664, error: 432, told: 0 }],
  ['customFields.list', [], { whole: 0, error: 3808, told: 288 }],
];

const wholeIds = all.map(({ id }) => id);

describe.each(services)('%s of a service that takes %j', (list, takes, expected) => {
  it('is whole, or says why not, in each of 4,096 mixtures of its paging fields', () => {
    const outcomes = { whole: 0, error: 0, told: 0 };
    for (const mixture of mixtures) {
      const { ids, told, problem } = readFrom(list, takes, mixture);
      const what = Object.values(mixture).join(' ');
      expect(ids, what).toEqual(wholeIds.slice(0, ids.length));
      if (problem !== null) {
        expect(names.some((name) => problem.includes(name)) || /points back/.test(problem), what).toBe(true);
        // What had arrived was given before the error.
        expect(ids.length, what).toBeGreaterThanOrEqual(size);
        outcomes.error += 1;
      } else if (ids.length === all.length) outcomes.whole += 1;
      else {
        expect(told.join(), what).toContain('taken as whole');
        outcomes.told += 1;
      }
      // A field of another type is told.
      for (const name of names)
        if (mixture[name] === 'wrong')
          expect(
            told.some((each) => each.startsWith(`${name} `)),
            what,
          ).toBe(true);
    }
    expect(outcomes).toEqual(expected);
  });
});
