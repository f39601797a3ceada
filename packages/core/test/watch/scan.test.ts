/** The reducer of the scan: positions and progress. */
import { describe, expect, it } from 'vitest';
import { recordSeen, restartFromDay, scan, startScan, type ScanState, type ScanView } from '../../src/watch/scan.ts';
import { progressOf } from '../../src/watch/poll.ts';
import { readWatchState, startWatch } from '../../src/watch/state.ts';
import { sizeOf } from '../../src/watch/table.ts';
import { hash48, type Watched } from '../../src/watch/fingerprint.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;
const item = (id: string, created: number, more: Partial<Watched> = {}): Watched => ({
  id,
  created,
  status: 'active',
  ...more,
});
const viewOf = (seen: number | null, more: Partial<ScanView> = {}): ScanView => ({
  fields: 'none',
  now: 7_000,
  seen: seen === null ? null : { created: seen, ids: ['last'] },
  createdInProgress: false,
  ...more,
});

describe('a page of the scan', () => {
  it('begins with nothing known', () => {
    const none: ScanState = {
      fields: 'none',
      list: 'all',
      table: [],
      conditions: [],
      pass: 0,
      place: { cursor: null, day: null },
      reached: null,
      oldest: null,
      met: 0,
      size: null,
      stretches: [],
    };
    expect(startScan()).toStrictEqual(none);
    const place = { cursor: 'x', day: null };
    const empty = scan(none, { items: [], nextCursor: 'x' }, viewOf(900));
    expect(empty).toStrictEqual({ events: [], state: { ...none, place }, next: place });
  });

  const first = scan(startScan(), { items: [item('a', 100), item('b', 200)], nextCursor: 'x' }, viewOf(900));

  it('is recorded up to the second before its newest subscription', () => {
    expect([first.next, first.events]).toEqual([{ cursor: 'x', day: null }, []]);
    expect(first.state).toMatchObject({
      pass: 0,
      place: first.next,
      reached: 200,
      oldest: 100,
      met: 2,
      size: null,
      stretches: [{ to: 199, at: 7_000 }],
    });
    expect(sizeOf(first.state.table)).toBe(2);
  });

  it.each<[name: string, items: readonly Watched[], expected: Partial<ScanState>]>([
    ['without subscriptions', [], { reached: 200, oldest: 100, met: 2, stretches: [{ to: 199, at: 7_000 }] }],
    ['within one second', [item('c', 200)], { reached: 200, oldest: 100, met: 3, stretches: [{ to: 199, at: 7_000 }] }],
    ['before it', [item('c', 150)], { reached: 200, oldest: 100, met: 3, stretches: [{ to: 199, at: 7_000 }] }],
    [
      'with an earlier subscription',
      [item('c', 50), item('d', 300)],
      {
        reached: 300,
        oldest: 50,
        met: 4,
        stretches: [
          { to: 199, at: 7_000 },
          { to: 299, at: 8_000 },
        ],
      },
    ],
  ])('%s goes on', (_, items, expected) => {
    const step = scan(first.state, { items, nextCursor: 'y' }, viewOf(900, { now: 8_000 }));
    expect(step.next).toEqual({ cursor: 'y', day: null });
    expect(step.state).toMatchObject(expected);
  });

  it.each<[name: string, view: ScanView, readTo: number]>([
    ['the newest known second', viewOf(900), 900],
    ['the second before, where "created" is being read', viewOf(900, { createdInProgress: true }), 899],
    ['the end, where "created" is not watched', viewOf(null), Number.MAX_SAFE_INTEGER],
  ])('at the end of the list ends the pass with %s', (_, view, readTo) => {
    const { state, next } = scan(first.state, { items: [item('c', 300)], nextCursor: null }, view);
    expect(next).toBeNull();
    expect(state).toMatchObject({
      pass: 1,
      place: { cursor: null, day: null },
      reached: null,
      oldest: null,
      met: 0,
      size: 3,
      stretches: [
        { to: 199, at: 7_000 },
        { to: readTo, at: 7_000 },
      ],
    });
  });

  it('with the newest known subscription goes on', () => {
    const { next } = scan(first.state, { items: [item('last', 900)], nextCursor: 'y' }, viewOf(900));
    expect(next).toEqual({ cursor: 'y', day: null });
  });

  it('reports an unknown subscription only in the list of one status, from the second pass on', () => {
    const types = (list: string, pass: number) =>
      scan({ ...startScan('none', list), pass }, { items: [item('a', 100)], nextCursor: 'x' }, viewOf(900)).events.map(
        ({ type }) => type,
      );
    expect(types('all', 0)).toEqual([]);
    expect(types('all', 1)).toEqual([]);
    expect(types('active', 0)).toEqual([]);
    expect(types('active', 1)).toContain('became_active');
  });

  it('with subscriptions that are not reported yet skips them and ends the pass', () => {
    const items = [item('c', 900), item('d', 901)];
    const { state, next } = scan(first.state, { items, nextCursor: 'y' }, viewOf(900));
    expect(next).toBeNull();
    expect(state).toMatchObject({ pass: 1, size: 2 });
    expect(sizeOf(state.table)).toBe(2);
  });
});

/** Reads a whole list, pass after pass. @returns the types of the events of each pass */
function passes(
  state: ScanState,
  ...reads: readonly (readonly [items: readonly Watched[], view: ScanView, leftOut?: readonly unknown[]])[]
) {
  let current = state;
  return reads.map(([items, view, leftOut]) => {
    const step = scan(current, { items, leftOut, nextCursor: null }, view);
    current = step.state;
    return step.events.map(({ type }) => type);
  });
}

describe('a subscription that is missing from a pass', () => {
  const known = (...items: readonly Watched[]) => recordSeen(startScan(), items, 'none', true).state;
  const seenBoth: ScanView = { ...viewOf(900), seen: { created: 900, ids: ['last', 'z'] } };

  it('is removed after two passes, also in the newest second', () => {
    const [a, z] = [item('a', 100), item('z', 900)];
    expect(passes(known(a, z), [[a, z], seenBoth], [[a], seenBoth], [[a], seenBoth], [[a], seenBoth])).toEqual([
      [],
      [],
      ['removed'],
      [],
    ]);
  });

  it('counts as read while it is newer than the passes', () => {
    const [a, fresh] = [item('a', 100), item('fresh', 950)];
    const early: readonly [Watched[], ScanView] = [[a], viewOf(900)];
    const later: readonly [Watched[], ScanView] = [[a], viewOf(1_000)];
    expect(passes(known(a, fresh), early, early, later, later)).toEqual([[], [], [], ['removed']]);
  });

  it('has left the list of one status, which reports nothing', () => {
    const state = { ...known(item('a', 100)), list: 'inactive', pass: 1 };
    const step = scan(state, { items: [], nextCursor: null }, viewOf(null));
    expect([step.events, step.state.table]).toEqual([[], []]);
  });
});

describe('a subscription that a page has, and that cannot be watched', () => {
  const all = ['a', 'b', 'c'].map((id, n) => item(id, n + 1));
  const whole = [all, viewOf(null)] as const;
  /** A reading without `b`, and records that it left out. */
  const without = (...leftOut: readonly unknown[]) =>
    [all.filter(({ id }) => id !== 'b'), viewOf(null), leftOut] as const;

  it.each([
    ['without a status', { id: 'b', created: 2 }],
    ['with its time as a text', { id: 'b', created: '1970-01-01T00:00:02Z', status: null }],
  ])('%s is not removed, and its entry stays', (_, odd) => {
    const read = without(odd);
    expect(passes(startScan(), whole, read, read, read, whole, whole).flat()).toEqual([]);
    const inactive = all.map((each) => ({ ...each, status: each.id === 'b' ? 'inactive' : 'active' }));
    expect(passes(startScan(), whole, read, [inactive, viewOf(null)])[2]).toEqual(['status_changed', 'unsubscribed']);
  });

  it.each([
    ['without an id', { created: 2, status: 'active' }],
    ['without a time', { id: 'b', status: 'active' }],
    ['that is no object', null],
  ])('is not removed in a pass with a record %s, for it may be that', (_, odd) => {
    const [blind, gone] = [without(odd), without()];
    expect(passes(startScan(), whole, blind, blind, blind, gone, gone)).toEqual([[], [], [], [], [], ['removed']]);
  });

  it('stays so over the polls of a pass', () => {
    const { state } = scan(startScan(), { items: [], leftOut: [null], nextCursor: 'x' }, viewOf(null));
    expect(state.blind).toBe(true);
    const stored = { ...startWatch('s'), scan: state };
    expect(readWatchState(JSON.parse(JSON.stringify(stored)), 's')).toEqual(stored);
    expect(() => readWatchState({ ...stored, scan: { ...state, blind: 1 } }, 's')).toThrow('damaged');
  });
});

describe('two subscriptions that the table cannot distinguish', () => {
  const second = 2 ** 21;
  /** In a segment over 24 days, 26 bits of a hash are left. */
  function alike(): readonly [string, string] {
    const byKey = new Map<number, string>();
    for (let n = 0; n < 100_000; n += 1) {
      const key = Math.floor(hash48(`sub_${n}`) / 2 ** 22);
      const other = byKey.get(key);
      if (other !== undefined) return [other, `sub_${n}`];
      byKey.set(key, `sub_${n}`);
    }
    return expect.fail('No two ids are alike.');
  }
  const ids = alike();
  /** Both in a table, in the second pass. */
  function state(...more: readonly [Partial<Watched>, Partial<Watched>]): ScanState {
    const both = ids.map((id, n) => item(id, second, more[n]));
    const start = recordSeen(startScan('all'), [item('first', 0)], 'all', true).state;
    return { ...recordSeen(start, both, 'all', true).state, pass: 1 };
  }
  const team = (value: string): Partial<Watched> => ({ custom_fields: [{ name: 'Team', value }] });

  it.each<[name: string, a: Partial<Watched>, b: Partial<Watched>]>([
    ['status', { status: 'active' }, { status: 'inactive' }],
    ['custom fields', team('Red'), team('Blue')],
  ])('are told apart by their %s', (_, ...more) => {
    const both = state(...more);
    expect(both.table[0]?.width).toBe(22);
    expect(sizeOf(both.table)).toBe(3);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      let current = both;
      for (const n of order) {
        const step = recordSeen(current, [item(ids[n] ?? '', second, more[n])], 'all', true);
        expect(step.events).toEqual([]);
        current = step.state;
      }
      expect(sizeOf(current.table)).toBe(3);
    }
  });

  it.each([0, 1])('are told apart by the pass that has read one of them: %i changes', (n) => {
    const inactive = { status: 'inactive' };
    const both = n === 0 ? state({}, inactive) : state(inactive, {});
    const other = recordSeen(both, [item(ids[1 - n] ?? '', second, inactive)], 'all', true);
    expect(other.events).toEqual([]);
    const changed = recordSeen(other.state, [item(ids[n] ?? '', second, inactive)], 'all', true);
    expect(changed.events.map(({ type }) => type)).toContain('unsubscribed');
  });
});

describe('a scan by days', () => {
  const at = (place: ScanState['place'], more: Partial<ScanState> = {}): ScanState => ({
    ...startScan(),
    place,
    ...more,
  });
  const empty = { items: [], nextCursor: null };
  const tenth = { cursor: null, day: '2026/01/10' };

  it('begins a day before the second it has reached, or where it began before', () => {
    expect(restartFromDay(at({ cursor: 'x', day: null }, { reached: day('2026-01-10') + 5 })).place).toEqual({
      cursor: null,
      day: '2026/01/09',
    });
    expect(restartFromDay(at({ cursor: 'x', day: null })).place).toEqual({ cursor: null, day: null });
    expect(restartFromDay(at({ cursor: 'x', day: '2026/01/10' }, { reached: 5 })).place).toEqual(tenth);
  });

  it('reads all pages of a day, then the next day, to a day after the newest subscription', () => {
    const next = (seen: number | null, nextCursor: string | null = null) =>
      scan(at(tenth), { items: [], nextCursor }, viewOf(seen, { now: (day('2026-01-10') + 1) * 1000 })).next;
    expect(next(day('2026-01-10'), 'x')).toEqual({ cursor: 'x', day: '2026/01/10' });
    expect(next(day('2026-01-10'))).toEqual({ cursor: null, day: '2026/01/11' });
    expect(next(day('2026-01-10') - 1)).toBeNull();
    expect(next(null)).toEqual({ cursor: null, day: '2026/01/11' });
  });

  it('skips the days without known subscriptions from the second pass on', () => {
    const known = [item('a', day('2026-01-10') + 7_200), item('b', day('2026-03-01') + 60)];
    const { state: first } = recordSeen(startScan(), known, 'none', true);
    const next = (more: Partial<ScanState>) =>
      scan({ ...first, place: tenth, ...more }, empty, viewOf(day('2026-04-01'))).next;
    expect(next({ pass: 0 })).toEqual({ cursor: null, day: '2026/01/11' });
    expect(next({ pass: 1 })).toEqual({ cursor: null, day: '2026/02/28' });
    expect(next({ pass: 1, list: 'inactive' })).toEqual({ cursor: null, day: '2026/01/11' });
    expect(next({ pass: 1, reached: day('2026-03-01') + 60 })).toBeNull();
    // Subscriptions of the next ten hours may belong to this day, in another time zone.
    const { state: soon } = recordSeen(startScan(), [item('c', day('2026-01-10') + 10 * 3600)], 'none', true);
    expect(scan({ ...soon, place: tenth, pass: 1 }, empty, viewOf(day('2026-04-01'))).next).toEqual({
      cursor: null,
      day: '2026/01/11',
    });
  });
});

it('the progress is a share of the last pass, in the first pass of the time', () => {
  const shareOf = (more: Partial<ScanState>, seen: number | null = 300): number =>
    progressOf({ ...startScan(), ...more }, { now: 0, seen: seen === null ? null : { created: seen, ids: [] } }).share;
  expect(shareOf({ size: 8, met: 2 })).toBe(0.25);
  expect(shareOf({ size: 8, met: 9 })).toBe(1);
  expect(shareOf({ size: 0, met: 0 })).toBe(0);
  expect(shareOf({ oldest: 100, reached: 150 })).toBe(0.25);
  expect(shareOf({ oldest: 100, reached: 150 }, null)).toBe(0);
  expect(shareOf({ oldest: 300, reached: 300 })).toBe(0);
  expect(shareOf({ oldest: 100 })).toBe(0);
  expect(shareOf({ reached: 150 })).toBe(0);
});

it('a page without custom fields leaves the known ones to compare with', () => {
  const fields = (value: string): Partial<Watched> => ({ custom_fields: [{ name: 'Team', value }] });
  const record = (state: ScanState, more: Partial<Watched>) => recordSeen(state, [item('a', 100, more)], 'all', true);
  const { state, events } = record(startScan('all'), fields('Red'));
  expect(events).toEqual([]);
  const bare = record(state, {});
  expect(bare.events).toEqual([]);
  expect(bare.state).toBe(state);
  const { state: unknown } = record(startScan('all'), {});
  expect(record(unknown, fields('Red')).events).toEqual([]);
  expect(record(bare.state, fields('Blue')).events).toMatchObject([{ type: 'updated', changed: ['custom_fields'] }]);
});

it('beyond 300 tiers no change of the tier is reported', () => {
  const conditions = Array.from({ length: 300 }, (_, n) => ['active', `tier ${n}`] as const);
  const record = (state: ScanState, subscription_tier: string) =>
    recordSeen(state, [item('a', 100, { subscription_tier })], 'none', true);
  const { state } = record({ ...startScan(), conditions }, 'one more');
  expect(record(state, 'another').events).toEqual([]);
  expect(record({ ...state, conditions: conditions.slice(1) }, 'another').events).toEqual([]);
});
