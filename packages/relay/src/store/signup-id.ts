/** Ids of signups: UUID version 7 (RFC 9562, section 5.7), which sort by time of receipt and keep new rows together. */
import { randomUUID } from 'node:crypto';

/** The millisecond of the last id, and the number of earlier ids in it. */
let last = { time: '', count: 0 };

/**
 * @param now - milliseconds since the Unix epoch; the id sorts by it, and within a millisecond by the order of
 *   the calls in this process: a duplicate must sort after its original
 */
export function signupId(now: number): string {
  const time = firstIdOf(now);
  // RFC 9562, section 6.2, method 1: a counter of 12 bits.
  last = { time, count: time === last.time ? (last.count + 1) % 4096 : 0 };
  // Version 4 and 7 differ in their first 64 bits alone; Node keeps random ones in stock.
  return `${time}-7${last.count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** A prefix that sorts before every id created at this moment or later, and after all earlier ones. */
export function firstIdOf(moment: number): string {
  const time = Math.max(0, Math.floor(moment)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
