/** Polling for new records: events, and the state between polls. */
import { created, pollCreated, startCreated, type CreatedState, type Dated } from '@newsletter-kit/core/watch';
import { BadRequestError } from '@newsletter-kit/core/engine';
import { describe, expect, it } from 'vitest';
import { SubscriptionList } from './subscription-list.ts';

const ids = (items: readonly Dated[]): string[] => items.map(({ id }) => id);

async function poll(publication: SubscriptionList, state: CreatedState, { limit = 100, pages = 100 } = {}) {
  return pollCreated({ state, read: publication.readers(() => limit).newest, pages });
}

/** A list whose ids are numbers. */
const numbered = () => new SubscriptionList((number) => `sub_${number}`);

describe('the first poll', () => {
  it('reports nothing, however many records there are, and reads one page', async () => {
    const publication = numbered();
    for (let second = 0; second < 500; second++, publication.now++) publication.insert(1);
    const first = await poll(publication, startCreated());
    expect(first.events).toEqual([]);
    expect(first.state.seen).toEqual({ created: publication.now - 1, ids: ['sub_499'] });
    expect(publication.requests).toBe(1);
  });

  it('includes the whole newest second in the watermark, over several pages', async () => {
    const publication = numbered();
    publication.insert(7);
    const first = await poll(publication, startCreated(), { limit: 3 });
    expect(first.state.seen?.ids).toHaveLength(7);
    expect((await poll(publication, first.state)).events).toEqual([]);
  });

  it('of an empty publication makes every later record new', async () => {
    const publication = numbered();
    const first = await poll(publication, startCreated());
    publication.insert(2);
    expect(ids((await poll(publication, first.state)).events).toSorted()).toEqual(['sub_0', 'sub_1']);
  });

  it('given a start, reports everything from that second on, oldest first', async () => {
    const publication = numbered();
    const start = publication.now + 1;
    for (let second = 0; second < 4; second++, publication.now++) publication.insert(1);
    const first = await poll(publication, startCreated(start), { limit: 2 });
    expect(ids(first.events)).toEqual(['sub_1', 'sub_2', 'sub_3']);
  });

  it('that its budget ended loses no record created before it continues, even when the cursor is no longer accepted', async () => {
    const publication = numbered();
    publication.insert(5);
    const first = await poll(publication, startCreated(), { limit: 2, pages: 1 });
    expect(first.complete).toBe(false);
    publication.now++;
    publication.insert(1);
    publication.forgetCursors();
    const second = await poll(publication, first.state, { limit: 2 });
    expect(second.events).toEqual([]);
    expect(ids((await poll(publication, second.state)).events)).toEqual(['sub_5']);
  });
});

describe('a later poll', () => {
  it('with nothing new costs one request and leaves the state as it was, identically', async () => {
    const publication = numbered();
    for (let second = 0; second < 300; second++, publication.now++) publication.insert(1);
    const { state } = await poll(publication, startCreated());
    publication.requests = 0;
    const idle = await poll(publication, state);
    expect(idle.state).toBe(state);
    expect(publication.requests).toBe(1);
  });

  it('reports a burst larger than its budget over several polls, newest pages first, each record once', async () => {
    const publication = numbered();
    publication.insert(1);
    let { state } = await poll(publication, startCreated());
    publication.now++;
    for (let second = 0; second < 10; second++, publication.now++) publication.insert(1);

    const polls: string[][] = [];
    for (let complete = false; !complete;) {
      const result = await poll(publication, state, { limit: 2, pages: 2 });
      polls.push(ids(result.events));
      ({ state, complete } = result);
    }
    expect(polls.slice(0, 2)).toEqual([
      ['sub_7', 'sub_8', 'sub_9', 'sub_10'],
      ['sub_3', 'sub_4', 'sub_5', 'sub_6'],
    ]);
    expect(polls.flat().toSorted()).toEqual(
      publication
        .rows()
        .map(({ id }) => id)
        .slice(1)
        .toSorted(),
    );
  });

  it('stops when its time is over and says that it is not complete', async () => {
    const publication = numbered();
    publication.insert(9);
    const result = await pollCreated({
      state: startCreated(0),
      read: publication.readers(() => 2).newest,
      pages: 100,
      hasTime: () => false,
    });
    expect(result).toMatchObject({ complete: false });
    expect(result.events).toHaveLength(2);
    expect((await poll(publication, startCreated(0), { limit: 2, pages: 0 })).events).toHaveLength(2);
  });
});

describe('a failed read', () => {
  it('on the first page fails the poll', async () => {
    await expect(
      pollCreated({ state: startCreated(), read: () => Promise.reject(new Error('down')), pages: 5 }),
    ).rejects.toThrow('down');
  });

  it('of a later page keeps the pages before it and reports the error', async () => {
    const publication = numbered();
    publication.insert(6);
    const read = publication.readers(() => 2).newest;
    const failure = new Error('down');
    const result = await pollCreated({
      state: startCreated(0),
      pages: 5,
      read: (cursor) => (publication.requests < 2 ? read(cursor) : Promise.reject(failure)),
    });
    expect(result.interruption).toBe(failure);
    expect(result.events).toHaveLength(4);
    const rest = await poll(publication, result.state);
    expect(ids(rest.events).concat(ids(result.events)).toSorted()).toEqual(ids(publication.rows()));
  });

  it('for a cursor that is no longer accepted starts at the top only where it was kept from an earlier poll', async () => {
    const publication = numbered();
    publication.insert(6);
    const refused: unknown = await publication
      .readers(() => 2)
      .newest('unknown')
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BadRequestError);
    const failing = (state: CreatedState, failAt: number, error: unknown) => {
      let reads = 0;
      const read = publication.readers(() => 2).newest;
      return pollCreated({
        state,
        pages: 5,
        read: (cursor) => ((reads += 1) === failAt ? Promise.reject(error) : read(cursor)),
      });
    };
    const { state } = await poll(publication, startCreated(0), { limit: 2, pages: 1 });
    expect(await failing(state, 1, refused)).toMatchObject({ complete: true });
    await expect(failing(state, 1, new RangeError('another'))).rejects.toThrow('another');
    await expect(failing(startCreated(0), 1, refused)).rejects.toBe(refused);
    expect(await failing(state, 2, refused)).toMatchObject({ complete: false, interruption: refused });
  });
});

describe('the reducer', () => {
  const second = (count: number): Dated[] => Array.from({ length: count }, (_, n) => ({ id: `s${n}`, created: 100 }));
  const watermarkOf = (items: readonly Dated[]) => ({ created: 100, ids: ids(items) });

  it('takes a newest second of 100 records or more as over a minute after it was noticed', () => {
    const items = second(100);
    const read = (state: CreatedState, now?: number) =>
      created(state, { items: [...items, { id: 'older', created: 99 }], nextCursor: 'p2' }, now).state;
    const start: CreatedState = { version: 1, seen: watermarkOf(items), walk: null };
    expect(read(start)).toBe(start);
    const noticed = read(start, 1_000);
    expect(noticed).toStrictEqual({ ...start, seen: { ...watermarkOf(items), noticed: 1_000 } });
    expect(read(noticed, 60_999)).toBe(noticed);
    const settled = read(noticed, 61_000);
    expect(settled).toStrictEqual({ ...start, seen: { created: 100, ids: [], settled: true } });
    expect(created(settled, { items, nextCursor: 'p2' }, 99_000)).toStrictEqual({
      events: [],
      state: settled,
      next: null,
    });
    const few: CreatedState = { version: 1, seen: watermarkOf(second(99)), walk: null };
    expect(created(few, { items: second(99), nextCursor: null }, 1_000).state).toBe(few);
  });

  it('counts the minute from the beginning of a walk of several pages', () => {
    const items = second(101);
    const start: CreatedState = { version: 1, seen: watermarkOf(items), walk: null };
    const walk = created(start, { items: items.slice(0, 100), nextCursor: 'p2' }, 1_000).state;
    const head = watermarkOf(items);
    expect(walk.walk).toStrictEqual({ head, tail: null, cursor: 'p2', began: 1_000 });
    const last = { items: items.slice(100), nextCursor: null };
    expect(created(walk, last, 5_000).state.seen).toStrictEqual({ ...head, noticed: 1_000 });
    const unknown = created(start, { items: items.slice(0, 100), nextCursor: 'p2' }).state;
    expect(unknown.walk).toStrictEqual({ head, tail: null, cursor: 'p2' });
    expect(created(unknown, last, 5_000).state.seen).toStrictEqual(head);
  });

  it('asks for the next page until it reads a record older than the watermark', () => {
    const state: CreatedState = { version: 1, seen: { created: 100, ids: ['a'] }, walk: null };
    const ties = created(state, {
      items: [
        { id: 'b', created: 100 },
        { id: 'a', created: 100 },
      ],
      nextCursor: 'p2',
    });
    expect(ties.next).toEqual({ cursor: 'p2' });
    const older = created(ties.state, {
      items: [
        { id: 'c', created: 100 },
        { id: 'z', created: 99 },
      ],
      nextCursor: 'p3',
    });
    expect(older.next).toBeNull();
    expect(ids(older.events)).toEqual(['c']);
    expect(older.state.seen).toEqual({ created: 100, ids: ['a', 'b', 'c'] });
  });
});
