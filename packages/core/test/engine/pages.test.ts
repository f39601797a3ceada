import { describe, expect, it } from 'vitest';
import { AbortedError, createEngine, InvalidAnswerError } from '../../src/engine/index.ts';
import { continuation, nextStep, pagingProblem, readPaging, startTrail } from '../../src/engine/pages.ts';
import { json, scriptedHost, type Scripted } from './scripted-host.ts';

function listing(...script: readonly Scripted[]) {
  const host = scriptedHost(script);
  const engine = createEngine({ host, baseUrl: 'http://api.test/v2', publicationId: 'pub_1' });
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

  it('sends no request before it is awaited or iterated', async () => {
    const { host, engine } = listing(json({ data: items('a') }));
    const list = engine.list('subscriptions.list', {});
    expect(host.sent).toHaveLength(0);
    await list;
    await list;
    expect(host.sent).toHaveLength(1);
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

  it('ends where the last page leaves next_cursor out', async () => {
    const { ids } = listing(json({ data: items('a'), limit: 10, has_more: false }));
    expect(await ids()).toEqual(['a']);
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

  it('rejects where offset pagination cannot reach the rest, instead of ending early', async () => {
    const { engine, ids } = listing(json({ data: items('a'), page: 100, total_pages: 140 }));
    await expect(ids(engine.list('subscriptions.list', { page: 100 }))).rejects.toThrow(
      'offset pagination ends at page 100',
    );
  });

  it('rejects when a cursor repeats', async () => {
    const { ids } = listing(
      json({ data: items('a'), has_more: true, next_cursor: 'x' }),
      json({ data: items('b'), has_more: true, next_cursor: 'x' }),
    );
    await expect(ids()).rejects.toThrow('points back to the page just read');
  });

  it.each([
    ['the same page number', { page: 3 }, { page: 2, total_pages: 9 }],
    ['the first page number', {}, { page: 0, total_pages: 9 }],
  ])('rejects when %s comes again', async (_, asked, paging) => {
    const { engine, ids } = listing(json({ data: items('a'), ...paging }));
    await expect(ids(engine.list('subscriptions.list', asked))).rejects.toThrow('points back to the page just read');
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

  it('is rejected where has_more is true and there is no cursor', async () => {
    const { engine, ids } = listing(
      json({ data: items('a'), has_more: true, next_cursor: null }),
      json({ data: items('a'), pagination: { has_more: true } }),
    );
    await expect(ids()).rejects.toThrow('"has_more" is true, but there is no "next_cursor"');
    await expect(engine.list('subscriptions.list', {})).rejects.toBeInstanceOf(InvalidAnswerError);
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

  it.each<[answer: Readonly<Record<string, unknown>>, paging: object]>([
    [{}, {}],
    [{ pagination: null }, {}],
    [{ pagination: 'x' }, {}],
    [
      { limit: 5, total_results: 7, total_pages: 2, page: 2 },
      { limit: 5, totalResults: 7, totalPages: 2, page: 2 },
    ],
    [{ limit: '5', page: '1', total_pages: '2', next_cursor: 7 }, {}],
    [{ next_cursor: '' }, {}],
    [{ next_cursor: 'x' }, { nextCursor: 'x', hasMore: true }],
    [{ next_cursor: 'x', has_more: false }, { nextCursor: 'x' }],
    [{ has_more: true }, { hasMore: true }],
    [{ has_more: 'yes' }, {}],
    [
      { page: 1, total_pages: 2 },
      { page: 1, totalPages: 2, hasMore: true },
    ],
    [
      { page: 1, total_pages: 2, has_more: false },
      { page: 1, totalPages: 2 },
    ],
    [
      { page: 1, next_cursor: 'x' },
      { page: 1, nextCursor: 'x', hasMore: true },
    ],
    [{ total_pages: 2 }, { totalPages: 2 }],
    [
      { limit: null, pagination: { limit: 9, page: 1, total_pages: 3 } },
      { limit: 9, page: 1, totalPages: 3, hasMore: true },
    ],
    [{ limit: 4, pagination: { limit: 9 } }, { limit: 4 }],
  ])('%j are read', (answer, paging) => {
    expect(readPaging(answer)).toEqual({ ...none, ...paging });
  });

  it('lead to the next page', () => {
    const next = (paging: object) => continuation({ ...none, ...paging });
    expect(next({ nextCursor: 'x', page: 1 })).toBeNull();
    expect(next({ hasMore: true, nextCursor: 'x', page: 1 })).toEqual({ cursor: 'x' });
    expect(next({ hasMore: true, page: 1 })).toEqual({ page: 2 });
    expect(next({ hasMore: true })).toBeNull();
    const problem = (paging: object) => pagingProblem({ ...none, ...paging });
    expect(problem({ hasMore: true })).toBe('"has_more" is true, but there is no "next_cursor" to go on with');
    for (const fine of [{}, { hasMore: true, page: 1 }, { hasMore: true, nextCursor: 'x' }])
      expect(problem(fine)).toBeNull();
  });
});

describe('the step after a page', () => {
  const back = { problem: 'the list points back to the page just read' };

  it('goes on to later page numbers up to 100', () => {
    expect(nextStep({ page: 1 }, { page: 2 }, startTrail)).toEqual({ trail: startTrail });
    expect(nextStep({ page: 99 }, { page: 100 }, startTrail)).toEqual({ trail: startTrail });
    expect(nextStep({ cursor: 'x' }, { page: 1 }, startTrail)).toEqual({ trail: startTrail });
    expect(nextStep({ page: 2 }, { page: 2 }, startTrail)).toEqual(back);
    expect(nextStep({ page: 2 }, { page: 1 }, startTrail)).toEqual(back);
    expect(nextStep({ page: 100 }, { page: 101 }, startTrail)).toEqual({
      problem: 'offset pagination ends at page 100 and the list goes on; use cursor pagination or narrower filters',
    });
  });

  it('remembers a cursor after one, two, four and more pages', () => {
    let trail = startTrail;
    const remembered: (string | null)[] = [];
    for (let page = 1; page <= 8; page += 1) {
      const step = nextStep({ cursor: `c${page - 1}` }, { cursor: `c${page}` }, trail);
      if ('problem' in step) throw new Error(step.problem);
      ({ trail } = step);
      remembered.push(trail.remembered);
    }
    expect(remembered).toEqual(['c1', 'c1', 'c3', 'c3', 'c3', 'c3', 'c7', 'c7']);
    expect(nextStep({ cursor: 'c8' }, { cursor: 'c7' }, trail)).toEqual({
      problem: 'the cursors of the list go round in a circle',
    });
    expect(nextStep({ cursor: 'c8' }, { cursor: 'c8' }, trail)).toEqual(back);
    expect(nextStep({ page: 1 }, { cursor: 'c8' }, trail)).toHaveProperty('trail');
  });
});
