/** The moment that a date in the editor means. */
import { describe, expect, it } from 'vitest';
import { toUnixSeconds } from '../../../nodes/Newsletter/trigger/settings.ts';

const seconds = (moment: string): number => Date.parse(moment) / 1000;

describe('a date in the editor', () => {
  it.each([
    ['2026-11-21T00:00:00', 'Europe/Berlin', '2026-11-20T23:00:00Z'],
    ['2026-07-21T00:00:00', 'Europe/Berlin', '2026-07-20T22:00:00Z'],
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00Z'],
    ['2026-11-21 09:30:00', 'UTC', '2026-11-21T09:30:00Z'],
    // What names its zone means that zone.
    ['2026-11-21T09:30:00Z', 'America/New_York', '2026-11-21T09:30:00Z'],
    ['2026-11-21T09:30:00.000-05:00', 'Europe/Berlin', '2026-11-21T14:30:00Z'],
    // The hours around a change of the clocks.
    ['2026-03-29T01:30:00', 'Europe/Berlin', '2026-03-29T00:30:00Z'],
    ['2026-03-29T03:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-10-25T03:30:00', 'Europe/Berlin', '2026-10-25T02:30:00Z'],
    ['2026-11-01T03:00:00', 'America/New_York', '2026-11-01T08:00:00Z'],
  ])('%s in %s is %s', (entered, zone, moment) => {
    expect(toUnixSeconds(entered, zone)).toBe(seconds(moment));
  });

  it('may come as a Date, from an expression', () => {
    expect(toUnixSeconds(new Date('2026-11-21T09:30:00Z'), 'Europe/Berlin')).toBe(seconds('2026-11-21T09:30:00Z'));
  });

  it.each(['yesterday', '', '2026-13-40', {}])('is none: %j', (entered) => {
    expect(toUnixSeconds(entered, 'UTC')).toBeUndefined();
  });
});
