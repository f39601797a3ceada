/** How long to wait after a failure, in whole milliseconds. Pure. */

/** Waits of the delivery, in milliseconds. */
export interface Patience {
  /** Wait after the first failure; doubles with each. */
  readonly firstMs: number;
  /** Longest wait that the relay chooses itself. */
  readonly longestMs: number;
  /** Longest wait the API may ask for: a wrong header must not delay a signup for a year. */
  readonly longestAskedMs: number;
}

export const defaultPatience: Patience = { firstMs: 1000, longestMs: 60_000, longestAskedMs: 3_600_000 };

/**
 * Never sooner than the API asks; otherwise exponential backoff with 50–100 % jitter.
 *
 * @param failures - failures so far, this one included
 */
export function backoff(
  failures: number,
  askedMs: number | undefined,
  patience: Patience,
  random: () => number,
): number {
  const ceiling = Math.min(patience.longestMs, patience.firstMs * 2 ** Math.min(failures - 1, 30));
  const own = ceiling * (0.5 + random() / 2);
  if (askedMs === undefined) return Math.ceil(own);
  return Math.ceil(Math.min(Math.max(askedMs, 0), patience.longestAskedMs) + patience.firstMs * random() * 0.1);
}
