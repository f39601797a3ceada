/** Times that a service stamps, and waits that it asks for. */
import { describe, expect, it } from 'vitest';
import { momentOf, secondsOf, waitOf } from '@newsletter-kit/core/facts';

it.each<[value: unknown, time: number | undefined]>([
  [1_767_312_000, 1_767_312_000],
  [1_767_312_000.5, 1_767_312_000.5],
  [1_767_312_000_999, 1_767_312_000],
  ['1767312000999', 1_767_312_000],
  ['1767312000.5', 1_767_312_000],
  ['2026-01-02', 1_767_312_000],
  ['2026-01-02T00:00:00+01:00', 1_767_308_400],
  ['2026-01-02 01:00:00.123 +0100', 1_767_312_000],
  ['2026-01-02 00:00:00', 1_767_312_000],
  ['2026-01-02 00:00 UTC', 1_767_312_000],
  ['Fri, 02 Jan 2026 00:00:00 GMT', 1_767_312_000],
  ['1995-01-01', 788_918_400],
  ['Fri Jan 02 00:00:00 +0000 2026', 1_767_312_000],
  ['Fri Jan 02 2026 01:00:00 GMT+0100 (Central European Standard Time)', 1_767_312_000],
  ['2026-01-02 00:00:00.737862704 +0000 UTC m=+0.000455213', 1_767_312_000],
  ['/Date(1767312000531)/', 1_767_312_000],
  ['/Date(1767312000531+0800)/', 1_767_312_000],
  // No time of a service.
  [0, undefined],
  ['17', undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [253_402_300_799, undefined],
  [1_767_312_000_000_000, undefined],
  ['1994-12-31', undefined],
  ['02-01-2026', undefined],
  ['Fri 2026-01-02', undefined],
  ['02.01.2026', undefined],
  ['Jan 2, 2026', undefined],
  ['Fri Jan 02 00:00:00 +0000 in 2026', undefined],
  [null, undefined],
  [[1], undefined],
])('the time %j is the second %s', (value, time) => {
  expect(secondsOf(value)).toBe(time);
});

it('no time is later than the caller allows', () => {
  expect(momentOf(1_767_312_000, 1_767_312_000_000)).toBe(1_767_312_000_000);
  expect(momentOf(1_767_312_001, 1_767_312_000_000)).toBeUndefined();
});

describe('a wait', () => {
  const now = Date.UTC(2026, 0, 2);
  it.each<[value: string | undefined, wait: number | undefined]>([
    ['0', 0],
    ['1.5', 1500],
    ['86400', 86_400_000],
    [String(now / 1000 + 60), 60_000],
    [String(now + 60_000), 60_000],
    ['Fri, 02 Jan 2026 00:01:00 GMT', 60_000],
    ['2026-01-02T00:01:00Z', 60_000],
    [String(now / 1000 - 60), 0],
    ['86401', undefined],
    [String(now / 1000 + 86_401), undefined],
    ['', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('of %j is %s ms', (value, wait) => {
    expect(waitOf(value, now)).toBe(wait);
  });
});
