/** Records of a list that cannot be watched: they are there all the same, and are not reported as removed. */
import { describe, expect, it } from 'vitest';
import { readWatchState, startWatch } from '../../src/watch/index.ts';
import { scan, startScan, type ScanState, type ScanView } from '../../src/watch/scan.ts';
import type { Watched } from '../../src/watch/fingerprint.ts';

const subscription = (id: string, created: number): Watched => ({ id, created, status: 'active' });
const all = [subscription('a', 1), subscription('b', 2), subscription('c', 3)];
const withoutB = all.filter(({ id }) => id !== 'b');
const view: ScanView = { fields: 'none', now: 0, seen: null, createdInProgress: false };

/** Reads the list once for each of the pages. @returns the types of the events of each pass, and the last state */
function passes(pages: readonly { readonly items: readonly Watched[]; readonly leftOut?: readonly unknown[] }[]) {
  let state: ScanState = startScan();
  const events = pages.map((page) => {
    const step = scan(state, { ...page, nextCursor: null }, view);
    ({ state } = step);
    return step.events.map(({ type }) => type);
  });
  return { events, state };
}

describe('a subscription that the list no longer has', () => {
  it.each([
    ['without a status', { id: 'b', created: 2 }],
    ['with its time as a text', { id: 'b', created: '1970-01-01T00:00:02Z', status: null }],
  ])('%s is not removed, and its entry stays', (_, odd) => {
    const page = { items: withoutB, leftOut: [odd] };
    const { events } = passes([{ items: all }, page, page, page, { items: all }, { items: all }]);
    expect(events).toEqual([[], [], [], [], [], []]);
    const inactive = all.map((each) => ({ ...each, status: each.id === 'b' ? 'inactive' : 'active' }));
    expect(passes([{ items: all }, page, { items: inactive }]).events[2]).toEqual(['status_changed', 'unsubscribed']);
  });

  it.each([
    ['without an id', { created: 2, status: 'active' }],
    ['without a time', { id: 'b', status: 'active' }],
    ['that is no object', null],
  ])('is not removed in a pass with a record %s, for it may be that', (_, odd) => {
    const blind = { items: withoutB, leftOut: [odd] };
    const gone = { items: withoutB };
    const { events, state } = passes([{ items: all }, blind, blind, blind, gone, gone]);
    expect(events).toEqual([[], [], [], [], [], ['removed']]);
    expect(state.blind).toBeUndefined();
  });

  it('stays so over the polls of a pass', () => {
    const { state } = scan(startScan(), { items: [], leftOut: [null], nextCursor: 'x' }, view);
    expect(state.blind).toBe(true);
    const stored = { ...startWatch('s'), scan: state };
    expect(readWatchState(JSON.parse(JSON.stringify(stored)), 's')).toEqual(stored);
    expect(() => readWatchState({ ...stored, scan: { ...state, blind: 1 } }, 's')).toThrow('damaged');
  });
});
