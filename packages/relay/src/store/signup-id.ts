/**
 * Identifiers of signups: UUID version 7 (RFC 9562, section 5.7), so that new rows land beside each other on the disk.
 */
import { randomUUID } from 'node:crypto';

/** @param now - milliseconds since the Unix epoch; the identifier sorts by it */
export function signupId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  // Version 4 and 7 differ in their first 48 bits and the version digit alone; Node keeps random ones in stock.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
