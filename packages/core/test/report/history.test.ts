import { createHistory, type HistoryFile } from '@newsletter-kit/core/report';
import type { ScanProgress, SubscriptionEvent } from '@newsletter-kit/core/watch';
import { expect, it } from 'vitest';

const hour = 3_600_000;
const now = Date.UTC(2026, 2, 2, 12);
const created = now / 1000 - 3600;

const change = (id: string, from: string, to: string, at = created): SubscriptionEvent => ({
  type: 'status_changed',
  from,
  to,
  subscription: { id, status: to, created: at },
});
const scanned = (passes: number, stalenessMs: number | null = passes > 0 ? 0 : null): ScanProgress => ({
  share: 0,
  passes,
  stalenessMs,
  known: 3,
});
const record = (history: HistoryFile, events: readonly SubscriptionEvent[], time = now): unknown[] =>
  history.record({ events, scan: scanned(1) }, time).map((line): unknown => JSON.parse(line));

function begun(): HistoryFile {
  const history = createHistory({ of: 'here' });
  record(history, []);
  return history;
}

it('begins after the first complete scan', () => {
  const history = createHistory({ of: 'here' });
  expect(history.record({ events: [change('a', 'active', 'inactive')], scan: scanned(0) }, now)).toEqual([]);
  expect(history.record({ events: [], scan: null }, now)).toEqual([]);
  expect(history).toMatchObject({ since: null, until: null, of: null, isBegun: false });
  expect(record(history, [])).toEqual([{ history: 1, of: 'here', since: '2026-03-02T12:00:00.000Z' }]);
  expect(history).toMatchObject({ since: now / 1000, until: now / 1000, of: 'here', isBegun: true });
});

it.each([
  ['active', 'inactive', 'left'],
  ['active', 'paused', 'left'],
  ['active', 'invalid', 'left'],
  ['active', 'pending', 'left'],
  ['inactive', 'active', 'returned'],
  ['paused', 'active', 'returned'],
  ['invalid', 'active', 'returned'],
  ['pending', 'active', null],
  ['validating', 'active', null],
  ['pending', 'inactive', null],
  ['inactive', 'pending', null],
])('writes for %s → %s: %s', (from, to, name) => {
  const at = '2026-03-02T12:00:00.000Z';
  expect(record(begun(), [change('a', from, to)])).toEqual(name === null ? [] : [{ id: 'a', [name]: at }]);
});

it('writes a first confirmation more than a day after the signup, and one of a person who had left', () => {
  const history = begun();
  expect(record(history, [change('late', 'pending', 'active', created - 86_400)])).toMatchObject([{ id: 'late' }]);
  const events = [
    change('a', 'active', 'inactive'),
    change('a', 'inactive', 'pending'),
    change('a', 'pending', 'active'),
  ];
  expect(record(history, [change('on time', 'pending', 'active', now / 1000 - 86_400)])).toEqual([]);
  expect(record(history, events)).toMatchObject([{ left: expect.any(String) }, { returned: expect.any(String) }]);
});

it('writes nothing for other events', () => {
  const subscription = { id: 'a', status: 'inactive', created };
  expect(record(begun(), [{ type: 'unsubscribed', from: 'active', to: 'inactive', subscription }])).toEqual([]);
});

it('writes nothing twice, whatever a watch repeats after a crash', () => {
  const events: SubscriptionEvent[] = [
    change('a', 'active', 'inactive'),
    { type: 'removed', created, hash: 9, bits: 26 },
  ];
  const history = begun();
  expect(record(history, events)).toHaveLength(2);
  expect(record(history, events)).toEqual([]);
  expect(history.removed).toBe(1);
});

it('tells once an hour until when it is complete', () => {
  const history = begun();
  expect(record(history, [], now + hour - 1)).toEqual([]);
  const late = history.record({ events: [], scan: scanned(2, hour / 2) }, now + 2 * hour);
  expect(late).toEqual(['{"until":"2026-03-02T13:30:00.000Z"}']);
  expect(history.until).toBe((now + 1.5 * hour) / 1000);
  expect(record(history, [], now + 2.5 * hour)).toEqual([{ until: '2026-03-02T14:30:00.000Z' }]);
});

it('is continued by the watch that wrote it, and begins again otherwise', () => {
  const lines = [
    '{"history":1,"of":"here","since":"2026-03-01T00:00:00.000Z"}',
    '{"id":"a","left":"2026-03-01T09:00:00.000Z"}',
  ];
  for (const [isContinued, since] of [
    [true, '2026-03-01T00:00:00.000Z'],
    [false, '2026-03-02T12:00:00.000Z'],
    [undefined, '2026-03-02T12:00:00.000Z'],
  ] as const) {
    const history = createHistory({ of: 'here', isContinued });
    for (const line of lines) history.read(line);
    record(history, []);
    expect(history.since).toBe(Date.parse(since) / 1000);
    expect(history.has('a')).toBe(true);
  }
});

it('begins in an empty file, although the watch continues', () => {
  expect(record(createHistory({ of: 'here', isContinued: true }), [])).toMatchObject([{ history: 1 }]);
});

it('counts lines that it cannot read, and reads the others', () => {
  const history = createHistory({ of: 'here' });
  const lines = [
    '{"history":1,"of":"here","since":"2026-03-01T00:00:00.000Z"}',
    '{"id":"a","left":"2026-03-01T09:00:00.000Z"}',
    '{"id":"b","left":"soon"}',
    '{"id":7,"left":"2026-03-01T09:00:00.000Z"}',
    '{"id":7,"returned":"2026-03-01T09:00:00.000Z"}',
    '{"left":"2026-03-01T09:00:00.000Z"}',
    '{"history":2,"of":"here","since":"2026-03-01T00:00:00.000Z"}',
    '{"history":1,"of":7,"since":"2026-03-01T00:00:00.000Z"}',
    '{"history":1,"of":"here","since":"soon"}',
    '{"history":2,"since":"2026-03-01T00:00:00.000Z"}',
    'null',
    '[]',
    '',
    '{"id":"c","le',
    '{"until":"2026-03-02T09:00:00.000Z","from":"a later version"}',
    '{"until":"2026-03-01T09:00:00.000Z"}',
    '{"history":1,"of":"here","since":"2026-03-01T00:00:00.000Z"}',
  ];
  for (const line of lines) history.read(line);
  expect(history).toMatchObject({ unreadable: 12, until: Date.UTC(2026, 2, 2, 9) / 1000 });
  expect(['a', 'b', 'c'].map((id) => history.has(id))).toEqual([true, false, false]);
});
