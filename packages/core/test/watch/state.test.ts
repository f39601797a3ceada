/** The stored state of a watch: its versions, what is refused as damaged, and its limits. */
import { CapacityError, readWatchState, startWatch, WatchStateError } from '@newsletter-kit/core/watch';
import { describe, expect, it } from 'vitest';
import { Watch, publication } from './watched-list.ts';

/** A state with a value in every place. */
const fullState: unknown = {
  version: 2,
  scope: '',
  revision: 7,
  created: {
    version: 1,
    seen: { created: 1_767_225_600, ids: ['sub_a'], noticed: 5, settled: true },
    walk: {
      head: { created: 1_767_225_660, ids: [] },
      tail: { created: 1_767_225_650, ids: ['sub_b'] },
      cursor: 'after-sub_b',
      began: 6,
    },
  },
  scan: {
    fields: 'none',
    list: 'all',
    table: [{ second: 1_767_225_600, hash: 4, width: 3, packed: 'A'.repeat(15) }],
    conditions: [['active', 'free']],
    pass: 5,
    place: { cursor: 'after-sub_c', day: '2026/01/31' },
    reached: 1_767_225_600,
    oldest: 1_767_225_000,
    met: 1,
    size: 2,
    stretches: [{ to: 1_767_225_600, at: 8 }],
  },
};

/** A copy of a JSON value with another value at the path. */
function withValue(json: unknown, [name, ...path]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(json))
    return json.map((item: unknown, index) => (index === Number(name) ? withValue(item, path, value) : item));
  const record: Readonly<Record<string, unknown>> = { ...(json as object) };
  return { ...record, [name]: withValue(record[name], path, value) };
}

describe('the state', () => {
  it('of another scope starts a new one, and so does a missing one', () => {
    const kept = { ...startWatch('one'), revision: 4 };
    expect(readWatchState(kept, 'one')).toBe(kept);
    expect(readWatchState(kept, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(undefined, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(undefined)).toMatchObject({ scope: '' });
    expect(startWatch()).toMatchObject({ scope: '' });
    expect(() => readWatchState('text')).toThrow(expect.objectContaining({ name: 'WatchStateError' }));
  });

  it.each([
    ['a later version', { ...startWatch(), version: 3 }, /version 3.*newer program/],
    ['no state', { any: 'thing' }, /damaged/],
    ['cut off', { ...startWatch(), created: { version: 1 } }, /damaged/],
    ['no record', 'text', /damaged/],
  ])('that is %s is refused with what to do', (_, kept, message) => {
    expect(() => readWatchState(kept)).toThrow(WatchStateError);
    expect(() => readWatchState(kept)).toThrow(message);
  });

  it('with a full scan and an unfinished walk of "created" is read back', () => {
    expect(readWatchState(fullState)).toBe(fullState);
    expect(readWatchState(null, 'two')).toEqual(startWatch('two'));
    expect(readWatchState(withValue(fullState, ['scan'], null))).toMatchObject({ revision: 7 });
  });

  it.each<[path: string, ...wrong: unknown[]]>([
    ['version', 1, '2', null],
    ['scope', null, 7],
    ['revision', -1, 1.5, '7'],
    ['created', null, []],
    ['created.version', 2],
    ['created.seen', {}, 'none'],
    ['created.seen.created', '5', Number.POSITIVE_INFINITY],
    ['created.seen.ids', 'sub_a', [7], ['sub_a', null]],
    ['created.seen.noticed', '5', null],
    ['created.seen.settled', 1, null],
    ['created.walk', {}, 'none'],
    ['created.walk.head', null],
    ['created.walk.tail', {}, 7],
    ['created.walk.cursor', 7, undefined],
    ['created.walk.began', '5', null],
    ['scan', {}, 'none', undefined],
    ['scan.fields', null],
    ['scan.list', null],
    ['scan.table', {}, [null]],
    ['scan.table.0.second', '5', Number.NaN],
    ['scan.table.0.hash', -1, 1.5],
    ['scan.table.0.width', -1, 23, '3'],
    ['scan.table.0.packed', 5, '', 'A'.repeat(14), `${'A'.repeat(14)}+`, `+${'A'.repeat(14)}`],
    ['scan.table.0.bare', null, true],
    ['scan.conditions', {}, [['active']], [['active', 'free', 'more']], [[1, 'free']], [['active', 1]], ['ab']],
    ['scan.pass', -1, '5'],
    ['scan.place', null],
    ['scan.place.cursor', 7],
    ['scan.place.day', '2026-01-31', '2026/1/31', 'x2026/01/31', '2026/01/31x', '22026/01/31', ['2026/01/31']],
    ['scan.reached', '5', undefined],
    ['scan.oldest', '5', undefined],
    ['scan.met', -1, null],
    ['scan.size', -1, '5', undefined],
    ['scan.stretches', {}, [null]],
    ['scan.stretches.0.to', '5'],
    ['scan.stretches.0.at', '5', null],
  ])('is refused with another value as %s', (path, ...wrong) => {
    for (const value of wrong)
      expect(() => readWatchState(withValue(fullState, path.split('.'), value)), JSON.stringify(value)).toThrow(
        WatchStateError,
      );
  });

  it('is read back where a limit is just kept', () => {
    for (const [path, value] of [
      ['scan.table.0.width', 0],
      ['scan.table.0.width', 22],
      ['scan.table.0.packed', '_-'.repeat(15)],
      ['created.seen', null],
      ['created.walk', null],
      ['created.walk.tail', null],
      ['created.walk.cursor', null],
      ['created.walk.began', undefined],
      ['scan.place.day', null],
      ['scan.place.cursor', null],
      ['scan.reached', null],
      ['scan.oldest', null],
      ['scan.size', null],
      ['scan.conditions', [['active', null]]],
    ] as const) {
      const state = withValue(fullState, path.split('.'), value);
      expect(readWatchState(state), `${path}: ${value}`).toBe(state);
    }
    const bare = withValue(withValue(fullState, ['scan', 'table', '0', 'packed'], 'A'.repeat(20)), ['scope'], '');
    const state = withValue(bare, ['scan', 'table', '0', 'bare'], true);
    expect(readWatchState(state)).toBe(state);
  });

  it('counts the polls that changed it', async () => {
    const { list } = publication(3);
    const watch = new Watch(list, { events: ['created'] });
    await watch.poll();
    await watch.poll();
    list.insert(1);
    await watch.poll();
    expect(watch.state.revision).toBe(2);
  });

  it('holds no id and no address of the subscriptions', async () => {
    const { list, rows } = publication(30);
    const watch = new Watch(list);
    await watch.poll();
    const text = JSON.stringify(watch.state.scan);
    expect(rows.filter(({ id }) => text.includes(id))).toEqual([]);
  });

  it('does not grow beyond its capacity', async () => {
    const { list } = publication(30);
    const watch = new Watch(list, { capacity: 29 });
    await expect(watch.poll()).rejects.toThrow(CapacityError);
    await expect(watch.poll()).rejects.toMatchObject({ name: 'CapacityError', capacity: 29 });
    expect(new CapacityError(29, 30)).toMatchObject({
      size: 30,
      message: expect.stringContaining('holds 30 subscriptions, and the state may hold at most 29.'),
    });
    expect(new CapacityError(29)).toMatchObject({ size: null, message: expect.stringContaining('more than 29') });
    await expect(watch.poll({ capacity: 30 })).resolves.toBeDefined();
  });
});
