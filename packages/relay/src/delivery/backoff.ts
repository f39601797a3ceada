/** Exponential backoff with jitter: how long to wait before a retry. Pure. */

/** Waits between retries, in milliseconds. */
export interface Patience {
  /** Wait after the first failure; doubles with each further failure. */
  readonly firstMs: number;
  /** Longest wait, unless the API asks for more. */
  readonly longestMs: number;
  /** Longest wait the API may ask for: a wrong Retry-After header must not delay a signup for a year. */
  readonly longestAskedMs: number;
}

export const defaultPatience: Patience = { firstMs: 1000, longestMs: 60_000, longestAskedMs: 3_600_000 };

/**
 * The wait before the next attempt, in whole milliseconds: at least the API's Retry-After; without one, exponential
 * backoff with 50–100 % jitter.
 *
 * @param failures - number of failures so far, this one included
 * @param retryAfterMs - what the API asked for; undefined without a Retry-After
 */
export function backoff(
  failures: number,
  retryAfterMs: number | undefined,
  patience: Patience,
  random: () => number,
): number {
  const ceiling = Math.min(patience.longestMs, patience.firstMs * 2 ** Math.min(failures - 1, 30));
  const withJitter = ceiling * (0.5 + random() / 2);
  if (retryAfterMs === undefined) return Math.ceil(withJitter);
  return Math.ceil(Math.min(Math.max(retryAfterMs, 0), patience.longestAskedMs) + patience.firstMs * random() * 0.1);
}
