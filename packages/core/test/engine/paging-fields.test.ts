/**
 * Every mixture of the six paging fields, each as the specification has it, absent, null, or of another type, before
 * services that take a cursor, a page number, both or neither: a list is whole, or ends with an error that names a
 * field, or is told to have been taken as whole. It is never short in silence.
 */
import { describe, expect, it } from 'vitest';
import { createEngine, InvalidAnswerError, type Deviation, type ListId } from '../../src/engine/index.ts';
import { scriptedHost } from './scripted-host.ts';

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

async function readFrom(list: ListId, takes: Takes, mixture: Mixture) {
  const told: Deviation[] = [];
  let requests = 0;
  const host = {
    ...scriptedHost([]),
    async send({ url }: { readonly url: string }) {
      if (++requests > 20) throw new Error('The list has no end.');
      const query = new URL(url).searchParams;
      const cursor = takes.includes('cursor') ? query.get('cursor') : null;
      const page =
        cursor === null ? Number((takes.includes('page') && query.get('page')) || 1) : Number(cursor.slice(1));
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
      return { status: 200, headers: {}, body: JSON.stringify({ data, ...Object.fromEntries(stated) }) };
    },
  };
  const engine = createEngine({
    host,
    baseUrl: 'http://api.test/v2',
    publicationId: 'pub_1',
    pacer: false,
    onDeviation: (deviation) => told.push(deviation),
  });
  const ids: string[] = [];
  try {
    for await (const { id } of engine.list(list, {} as never)) ids.push(id as string);
    return { ids, told, error: undefined };
  } catch (error) {
    return { ids, told, error };
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
  it('is whole, or says why not, in each of 4,096 mixtures of its paging fields', async () => {
    const outcomes = { whole: 0, error: 0, told: 0 };
    for (const mixture of mixtures) {
      const { ids, told, error } = await readFrom(list, takes, mixture);
      const what = Object.values(mixture).join(' ');
      expect(ids, what).toEqual(wholeIds.slice(0, ids.length));
      if (error !== undefined) {
        expect(error, what).toBeInstanceOf(InvalidAnswerError);
        expect(names.some((name) => String(error).includes(name)) || /points back/.test(String(error)), what).toBe(
          true,
        );
        // What had arrived was given before the error.
        expect(ids.length, what).toBeGreaterThanOrEqual(size);
        outcomes.error += 1;
      } else if (ids.length === all.length) outcomes.whole += 1;
      else {
        expect(told.map(({ problem }) => problem).join(), what).toContain('taken as whole');
        outcomes.told += 1;
      }
      // A field of another type is told.
      for (const name of names)
        if (mixture[name] === 'wrong')
          expect(
            told.map(({ field }) => field),
            what,
          ).toContain(name);
    }
    expect(outcomes).toEqual(expected);
  });
});
