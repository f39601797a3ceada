/** How the requests of a window are spread over it. */

/** The part of a window's time over which its second half is spread: the rest is left for answers that take long. */
export const spreadOver = 0.9;

/**
 * The first half of a window goes at once. The second is spread out, so that whoever comes late need not wait for the
 * next one.
 */
export function spread({
  free,
  limit,
  lastSentAt,
  endsAt,
}: {
  readonly free: number;
  readonly limit: number;
  readonly lastSentAt: number;
  readonly endsAt: number;
}): number {
  if (free > limit / 2 || endsAt <= lastSentAt) return lastSentAt;
  return lastSentAt + (endsAt - lastSentAt) / free;
}
