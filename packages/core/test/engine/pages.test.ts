/** Lists, page by page. Every mixture of paging fields is read in paging-fields.test.ts. */
import { describe, expect, it } from 'vitest';
import {
  AbortedError,
  deviationText,
  InvalidAnswerError,
  readPage,
  startTrail,
  type Continuation,
  type Deviation,
} from '../../src/engine/index.ts';
import { json, type Scripted } from './scripted-host.ts';
import { engineOn } from './calling.ts';

function listing(...script: readonly Scripted[]) {
  const { host, engine } = engineOn(script);
  const ids = async (list = engine.list('subscriptions.list', {})) => {
    const seen: string[] = [];
    for await (const { id } of list) seen.push(id);
    return seen;
  };
  return { host, engine, ids };
}
const items = (...ids: string[]) => ids.map((id) => ({ id }));

describe('a list', () => {
  it('gives no further item of a page once its signal has aborted', async () => {
    const { engine } = listing(json({ data: items('a', 'b', 'c') }));
    const stop = new AbortController();
    const seen: string[] = [];
    const iterate = async () => {
      for await (const { id } of engine.list('subscriptions.list', {}, { signal: stop.signal })) {
        seen.push(id);
        if (id === 'b') stop.abort();
      }
    };
    await expect(iterate()).rejects.toBeInstanceOf(AbortedError);
    expect(seen).toEqual(['a', 'b']);
  });

  it.each([
    ['at top level', (paging: object) => paging],
    ['nested under pagination', (paging: object) => ({ pagination: paging })],
  ])('follows cursors that stand %s to the end', async (_, place) => {
    const { host, ids } = listing(
      json({ data: items('a', 'b'), ...place({ limit: 2, has_more: true, next_cursor: 'x=' }) }),
      json({ data: items('c', 'd'), ...place({ limit: 2, has_more: true, next_cursor: 'y' }) }),
      json({ data: items('e'), ...place({ limit: 2, has_more: false, next_cursor: null }) }),
    );
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(host.sent.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=100',
      '?limit=100&cursor=x%3D',
      '?limit=100&cursor=y',
    ]);
  });

  it('has pages of 100 where it is iterated, and of the default size where one page is awaited', async () => {
    const queryOf = async (read: (engine: ReturnType<typeof listing>['engine']) => Promise<unknown>) => {
      const { host, engine } = listing(json({ data: [] }));
      await read(engine);
      return new URL(host.sent[0]?.url ?? '').search;
    };
    expect(await queryOf(async (engine) => engine.list('subscriptions.list', {}))).toBe('');
    expect(await queryOf((engine) => engine.list('subscriptions.list', {}).pages().next())).toBe('?limit=100');
    expect(await queryOf((engine) => engine.list('subscriptions.list', { limit: 7 }).pages().next())).toBe('?limit=7');
    // A page number counts pages of the default size.
    expect(await queryOf((engine) => engine.list('subscriptions.list', { page: 3 }).pages().next())).toBe('?page=3');
    // This list has no page size.
    expect(await queryOf((engine) => engine.list('customFields.list', {}).pages().next())).toBe('');
  });

  it('follows page numbers, keeping the filters', async () => {
    const { host, engine, ids } = listing(
      json({ data: items('a'), page: 1, total_pages: 2, limit: 1, total_results: 2 }),
      json({ data: items('b'), page: 2, total_pages: 2, limit: 1, total_results: 2 }),
    );
    expect(
      await ids(engine.list('subscriptions.list', { page: 1, status: 'active', expand: ['stats', 'custom_fields'] })),
    ).toEqual(['a', 'b']);
    expect(host.sent.map(({ url }) => decodeURIComponent(new URL(url).search))).toEqual([
      '?page=1&status=active&expand[]=stats&expand[]=custom_fields',
      '?status=active&expand[]=stats&expand[]=custom_fields&page=2',
    ]);
  });

  it('rejects an answer whose data is no list', async () => {
    const { engine } = listing(json({ data: {} }));
    await expect(engine.list('subscriptions.list', {})).rejects.toThrow('could not be read: "data" is not a list.');
  });

  it.each([1, 2, 3, 7])('ends where the cursors go round in a circle of %i after some pages', async (length) => {
    for (const before of [0, 1, 5]) {
      const circle = Array.from({ length }, (_, place) => `circle-${place}`);
      const leading = Array.from({ length: before }, (_, place) => `lead-${place}`);
      const cursors = [...leading, ...Array.from({ length: 5 }, () => circle).flat()];
      const { host, ids } = listing(
        ...cursors.map((next_cursor) => json({ data: items('a'), has_more: true, next_cursor })),
      );
      await expect(ids()).rejects.toThrow(InvalidAnswerError);
      expect(host.sent.length).toBeLessThanOrEqual(3 * (before + length) + 2);
    }
  });

  it('requests no further page when the reader stops', async () => {
    const { host, engine } = listing(json({ data: items('a', 'b'), has_more: true, next_cursor: 'x' }));
    for await (const { id } of engine.list('subscriptions.list', {})) if (id === 'b') break;
    expect(host.sent).toHaveLength(1);
  });

  it('gives the paging fields of a page to callers that page themselves', async () => {
    const { engine } = listing(
      json({ data: items('a'), limit: 1, has_more: true, next_cursor: 'x' }),
      json({ data: items('b'), limit: 1, has_more: false, next_cursor: null }),
    );
    const first = await engine.list('subscriptions.list', { limit: 1 });
    expect(first).toMatchObject({ limit: 1, hasMore: true, nextCursor: 'x', page: null });
    const second = await first.next();
    expect(second?.items).toEqual(items('b'));
    expect(await second?.next()).toBeNull();
  });
});

describe('the paging fields of an answer', () => {
  const none = { limit: null, hasMore: false, nextCursor: null, page: null, totalPages: null, totalResults: null };
  const read = (answer: object, trail = startTrail(), data = items('a')) => readPage({ data, ...answer }, trail);

  it.each<[answer: Readonly<Record<string, unknown>>, paging: object]>([
    [{ total_results: 1, pagination: 'x' }, { totalResults: 1 }],
    [
      { limit: 5, total_results: 7, total_pages: 2, page: 2 },
      { limit: 5, totalResults: 7, totalPages: 2, page: 2 },
    ],
    [
      { limit: '5', page: '1', total_pages: '1', next_cursor: 7 },
      { limit: 5, page: 1, totalPages: 1, nextCursor: '7' },
    ],
    [{ limit: -1, page: 1.5, total_pages: [], total_results: 'many', has_more: 0 }, {}],
    [
      { has_more: 'true', next_cursor: 'x' },
      { hasMore: true, nextCursor: 'x' },
    ],
    [{ next_cursor: '', total_results: 0 }, { totalResults: 0 }],
    [{}, { hasMore: true }],
    [
      { limit: null, pagination: { limit: 9, page: 1, total_pages: 3 } },
      { limit: 9, page: 1, totalPages: 3, hasMore: true },
    ],
    [{ limit: 4, pagination: { limit: 9 } }, { limit: 4 }],
  ])('%j are read', (answer, paging) => {
    expect(read(answer).paging).toEqual({ ...none, ...paging });
  });

  it.each<[answer: Readonly<Record<string, unknown>>, told: readonly string[]]>([
    [
      { limit: '15', has_more: 'false' },
      ['limit: expected number; read as one', 'has_more: expected boolean; read as one'],
    ],
    [
      { next_cursor: 7, has_more: 0 },
      ['next_cursor: expected string; read as one', 'has_more: expected boolean; read as one'],
    ],
    [
      { page: 'x1', total_pages: '1x', total_results: [1] },
      ['page: expected number', 'total_pages: expected number', 'total_results: expected number'],
    ],
    [{ has_more: null, next_cursor: null, limit: null }, []],
  ])('%j are told where they come in another form', (answer, told) => {
    expect(
      read(answer)
        .deviations.map(({ field, problem }) => `${field}: ${problem}`)
        .toSorted(),
    ).toEqual(told.toSorted());
  });

  it('lead to the next page', () => {
    expect(read({ has_more: true, next_cursor: 'x', page: 1 }).next?.at).toEqual({ cursor: 'x' });
    expect(read({ has_more: true, page: 1 }).next?.at).toEqual({ page: 2 });
    expect(read({ has_more: true })).toMatchObject({
      next: null,
      problem: '"has_more" says that the list goes on, but there is no "next_cursor" to go on with',
    });
    expect(read({ total_results: 2 }).next?.at).toEqual({ page: 2 });
    expect(read({ total_results: 1 }).next).toBeNull();
  });

  it('count from the page that was asked for', () => {
    const at = startTrail({ page: 3 });
    expect(read({ limit: 2, total_results: 6 }, at, items('e', 'f')).next).toBeNull();
    expect(read({ limit: 2, total_results: 7 }, at, items('e', 'f')).next?.at).toEqual({ page: 4 });
    expect(read({ total_results: 9 }, startTrail({ cursor: 'x' })).next).toBeNull();
  });

  it('do not lead back, in a circle, or beyond page 100', () => {
    const problemOf = (answer: object, at: Continuation) => read(answer, startTrail(at)).problem;
    const back = 'the list points back to the page just read';
    expect(problemOf({ page: 99, total_pages: 200 }, { page: 99 })).toBeNull();
    expect(problemOf({ page: 100, total_pages: 200 }, { page: 100 })).toBe(
      'offset pagination ends at page 100 and the list goes on; use cursor pagination or narrower filters',
    );
    expect(problemOf({ page: 1, total_pages: 9 }, { page: 2 })).toBe(back);
    expect(problemOf({ next_cursor: 'x' }, { cursor: 'x' })).toBe(back);
    let trail = startTrail();
    for (let page = 1; page <= 8; page += 1) {
      const { next } = read({ next_cursor: `c${page}` }, trail, items(`r${page}`));
      if (next === null) throw new Error('The list has ended.');
      trail = next;
    }
    expect(read({ next_cursor: 'c7' }, trail, items('r9')).problem).toBe(
      'the cursors of the list go round in a circle',
    );
    expect(read({ next_cursor: 'c6' }, trail, items('r9')).problem).toBeNull();
  });

  it('do not lead to the same records again', () => {
    const withoutIds = read({ next_cursor: 'x' }, startTrail(), [{ id: undefined, email: 'a' } as never]);
    const other = read({ next_cursor: 'y' }, withoutIds.next ?? undefined, [{ email: 'b' } as never]);
    expect([other.repeats, other.problem]).toEqual([false, null]);
    const first = read({ next_cursor: 'x' });
    expect(first.next).not.toBeNull();
    expect(read({ next_cursor: 'y' }, first.next ?? undefined)).toMatchObject({
      repeats: true,
      next: null,
      problem: '"next_cursor" says that the list goes on, but its next page cannot be read',
    });
  });
});

describe('what is known of a list before its next page', () => {
  it('counts the records before it where it is the first', () => {
    for (const at of [undefined, { page: 0 }, { page: 1 }])
      expect(startTrail(at)).toMatchObject({ read: 0, ids: null });
    for (const at of [{ page: 2 }, { cursor: 'x' }]) expect(startTrail(at)).toMatchObject({ at, read: null });
  });

  it.each<[what: string, answer: object, at: Continuation, limit: number | undefined, next: object]>([
    [
      'the first page',
      { total_pages: 9 },
      { page: 1 },
      undefined,
      { at: { page: 2 }, read: 2, statedBy: 'total_pages' },
    ],
    ['a page by its number', { has_more: true, page: 3 }, { page: 1 }, 5, { at: { page: 4 }, read: 2 }],
    ['a later page and its size', { has_more: true, page: 4, limit: 5 }, { page: 4 }, 7, { at: { page: 5 }, read: 17 }],
    ['a page number that is not stated', { total_results: 99 }, { page: 4 }, 2, { at: { page: 5 }, read: 8 }],
    ['a cursor', { next_cursor: 'y', page: 2 }, { cursor: 'x' }, 2, { at: { cursor: 'y' }, read: null }],
    ['a full page that says nothing', { limit: 2 }, { page: 1 }, 2, { at: { page: 2 }, read: 2, statedBy: 'limit' }],
    ['a page of unknown size', {}, { page: 1 }, undefined, { at: { page: 2 }, statedBy: null }],
    ['an unread field', { limit: 2, has_more: {} }, { page: 1 }, 2, { at: { page: 2 }, statedBy: 'has_more' }],
  ])('after %s', (_, answer, at, limit, next) => {
    const list = { pagination: 'cursor-or-offset', query: ['cursor', 'page'], limit } as const;
    const read = readPage({ data: items('a', 'b'), ...answer }, startTrail(at), list);
    expect(read.problem).toBeNull();
    expect(read.next).toMatchObject({ ids: '["a","b"]', ...next });
  });

  it('says that the next page is asked for by a number that the operation does not list', () => {
    const list = { pagination: 'cursor', query: ['cursor'] } as const;
    const { next, deviations } = readPage({ data: items('a'), page: '1', total_pages: 2 }, startTrail(), list);
    expect(next?.at).toEqual({ page: 2 });
    expect(deviations).toEqual([
      { field: 'page', problem: 'expected number; read as one' },
      {
        field: 'page',
        problem: 'asked for the next page by it, which the specification does not list for this operation',
      },
    ]);
    expect(readPage({ data: items('a'), next_cursor: 'x' }, startTrail(), list).deviations).toEqual([]);
  });

  it('ends with an empty page, whatever number of records is stated, and where a list has one page alone', () => {
    expect(readPage({ data: [], total_results: 9 })).toMatchObject({ next: null, problem: null });
    expect(readPage({ data: items('a'), total_results: 9 }).next?.statedBy).toBe('total_results');
    const onePage = { pagination: 'none', query: [] } as const;
    expect(readPage({ data: items('a') }, startTrail(), onePage)).toMatchObject({ next: null, problem: null });
  });

  it('compares records without ids as a whole, and empty pages with nothing', () => {
    const idsOf = (data: readonly unknown[]) => readPage({ data, has_more: true, next_cursor: 'x' }).next?.ids;
    expect(idsOf([{ id: 1 }, { email: 'b' }, 'c', null])).toBe('[1,{"email":"b"},"c",null]');
    expect(idsOf([])).toBeNull();
  });
});

describe('a page size that the service does not take', () => {
  const tooLarge = (message: string) => json({ status: 400, errors: [{ message, code: 'x' }] }, { status: 400 });
  const searches = ({ sent }: { readonly sent: readonly { readonly url: string }[] }) =>
    sent.map(({ url }) => new URL(url).search);

  it.each([
    ['its answer', { limit: 25 }, '?limit=25'],
    ['the number of records', {}, '?limit=1'],
  ])('is learned from %s, whatever the refusal says, and told', async (_, stated, search) => {
    const told: Deviation[] = [];
    const { host, engine } = engineOn(
      [
        tooLarge('Datos no válidos'),
        json({ data: items('a'), has_more: true, next_cursor: 'x', ...stated }),
        json({ data: items('b'), has_more: false }),
        json({ data: [], has_more: false }),
      ],
      { onDeviation: (deviation) => told.push(deviation) },
    );
    const sizes: number[] = [];
    for (let list = 0; list < 2; list += 1)
      for await (const page of engine.list('subscriptions.list', {}).pages()) sizes.push(page.items.length);
    expect(sizes).toEqual([1, 1, 0]);
    expect(searches(host)).toEqual(['?limit=100', '', `${search}&cursor=x`, search]);
    expect(told.map(deviationText)).toEqual([
      `subscriptions.list: sent "limit": pages of so many records are refused; asked for at most ${search.slice(7)} from now on.`,
    ]);
  });

  it('rejects with the first refusal where the request without it is refused too', async () => {
    const { host, ids } = listing(tooLarge('status is unknown'), tooLarge('status is not known'));
    await expect(ids()).rejects.toThrow('status is unknown');
    expect(searches(host)).toEqual(['?limit=100', '']);
  });

  it('is not sought below the usual one', async () => {
    const { host, engine } = engineOn([tooLarge('limit')]);
    await expect(engine.list('subscriptions.list', { limit: 10 })).rejects.toThrow('limit');
    expect(searches(host)).toEqual(['?limit=10']);
  });
});
