/**
 * Identifiers of signups: UUID version 7 (RFC 9562, section 5.7), so that new rows land beside each other on the disk,
 * and sort by the time of receipt.
 */
import { randomUUID } from 'node:crypto';

/** @param now - milliseconds since the Unix epoch; the identifier sorts by it */
export function signupId(now: number): string {
  // Version 4 and 7 differ in their first 48 bits and the version digit alone; Node keeps random ones in stock.
  return `${firstIdOf(now)}-7${randomUUID().slice(15)}`;
}

/** Sorts before every identifier made at this moment or later, and behind all that were made before. */
export function firstIdOf(moment: number): string {
  const time = Math.max(0, Math.floor(moment)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** When it was made, in milliseconds since the Unix epoch. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
