/** Polls until a condition holds. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The limit ends what would never happen, and is no measure of speed.
 *
 * @returns the first value of `look` that is not null, undefined or false
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`This did not happen within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}
