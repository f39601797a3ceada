import { describe, expect, it } from 'vitest';
import { AbortedError, createEngine, InvalidAnswerError } from '../../src/engine/index.ts';
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
