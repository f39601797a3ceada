/** Lists that are begun in their middle, or whose pages say little of how they go on, read as a caller reads them. */
import { describe, expect, it } from 'vitest';
import { BadRequestError, continuationAt, deviationText, InvalidAnswerError } from '../../src/engine/index.ts';
import { engineOn } from './calling.ts';
import { json, type Scripted } from './scripted-host.ts';

function listing(...script: readonly Scripted[]) {
  const told: string[] = [];
  const { host, engine } = engineOn(script, { onDeviation: (deviation) => told.push(deviationText(deviation)) });
  return { engine, told, searches: () => host.sent.map(({ url }) => new URL(url).search) };
}

const items = (...ids: string[]) => ids.map((id) => ({ id }));
const refused = (message: string) => json({ status: 400, errors: [{ message, code: 'x' }] }, { status: 400 });

describe('the second page of a list', () => {
  const silent = json({ data: items('a') });
  const takenAsWhole = 'nothing says whether the list goes on, and it has no further page; taken as whole';

  it.each([
    ['is refused', refused('there is no page')],
    ['is the first page again', silent],
  ])('is empty and told where nothing speaks of one, and it %s', async (_, second) => {
    const { engine, told, searches } = listing(silent, second);
    const first = await engine.list('subscriptions.list', {});
    const next = await first.next();
    expect(next).toMatchObject({ items: [], leftOut: [], hasMore: false, continuation: null });
    expect(next?.response).toMatchObject({
      status: 200,
      headers: expect.any(Object),
      warnings: [{ code: 'deviation', message: `"has_more": ${takenAsWhole}` }],
    });
    expect(await next?.next()).toBeNull();
    expect(told).toEqual([`subscriptions.list: answered "has_more": ${takenAsWhole}.`]);
    expect(searches()).toEqual(['', '?page=2']);
  });

  it('rejects where the first was full and the second is refused', async () => {
    const { engine } = listing(json({ data: items('a'), limit: 1 }), refused('there is no page'));
    const first = await engine.list('subscriptions.list', {});
    const error = await first.next().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidAnswerError);
    expect(error).toMatchObject({
      problems: ['the list may go on after this full page (see "limit"), but no paging field leads to its next page'],
      cause: expect.any(BadRequestError),
    });
  });

  it('rejects where a field speaks of it, and the first comes again', async () => {
    const page = json({ data: items('a'), page: 1, total_pages: 2 });
    const first = await listing(page, page).engine.list('subscriptions.list', {});
    await expect(first.next()).rejects.toThrow(
      '"total_pages" says that the list goes on, but its next page cannot be read',
    );
  });
});

describe('a list that begins at a cursor', () => {
  it.each<[what: string, paging: object, end: string | null]>([
    ['ends where nothing leads on', {}, null],
    [
      'rejects where the same cursor comes again',
      { has_more: true, next_cursor: 'c' },
      'the list points back to the page just read',
    ],
    [
      'rejects where the next cursor cannot be read',
      { next_cursor: { id: 'd' } },
      '"next_cursor" could not be read, and may lead to a next page',
    ],
  ])('%s', async (_, paging, end) => {
    const { engine, searches } = listing(json({ data: items('a'), ...paging }));
    const first = await engine.list('subscriptions.list', { cursor: 'c' });
    expect([first.items, first.hasMore]).toEqual([items('a'), end !== null]);
    if (end === null) expect(await first.next()).toBeNull();
    else await expect(first.next()).rejects.toThrow(end);
    expect(searches()).toEqual(['?cursor=c']);
  });
});

it('a list that begins at a page ends by the number of all results and the page size that was asked for', async () => {
  const { engine } = listing(json({ data: items('e'), total_results: 5 }));
  const third = await engine.list('subscriptions.list', { page: 3, limit: 2 });
  expect([third.hasMore, await third.next()]).toEqual([false, null]);
});

it.each([
  ['a cursor', { has_more: true, next_cursor: 'x y' }, '?cursor=x+y'],
  ['a page number', { page: 1, total_pages: 2 }, '?page=2'],
])('the place of a next page at %s can be stored, and the list goes on there', async (_, paging, search) => {
  const { engine, searches } = listing(json({ data: items('a'), ...paging }), json({ data: items('b') }));
  const place = await (await engine.list('subscriptions.list', {})).place();
  expect((await engine.list('subscriptions.list', continuationAt(place ?? ''))).items).toEqual(items('b'));
  expect(searches().map((each) => each.replace('%20', '+'))).toEqual(['', search]);
});

it('a page size that was learned is not sent where none is asked for', async () => {
  const end = json({ data: [], has_more: false });
  const { engine, searches } = listing(refused('too large'), json({ data: [], limit: 50 }), end, end);
  await engine.list('subscriptions.list', { limit: 90 });
  await engine.list('subscriptions.list', {});
  await engine.list('subscriptions.list', { limit: 20 });
  expect(searches()).toEqual(['?limit=90', '', '', '?limit=20']);
});
