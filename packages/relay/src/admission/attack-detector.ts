/** Detects an attack: more posts in a minute than websites get. */

/** The rate from which posts are an attack: so many in a window of so many milliseconds. */
export const attackRate = { posts: 300, windowMs: 60_000 } as const;

/** Windows with a low rate, in a row, after which the attack is over. */
const calmWindows = 5;

/**
 * Makes a detector, which measures the rate of posts with a sliding window.
 *
 * @param onChange - called when an attack begins and when it is over
 * @returns counts a post, and tells whether there is an attack: from {@link attackRate} on, until the rate was below
 *   half of it for five windows
 */
export function createAttackDetector(onChange: (isAttack: boolean) => void): (now: number) => boolean {
  const { windowMs } = attackRate;
  /** Start of the current window, its posts, and the posts of the window before. */
  let window = { start: 0, posts: 0, before: 0 };
  let lastBusy = Number.NEGATIVE_INFINITY;
  let isAttack = false;

  return (now) => {
    const passed = now - window.start;
    if (passed >= windowMs || passed < 0) {
      const isNext = passed >= 0 && passed < 2 * windowMs;
      window = { start: isNext ? window.start + windowMs : now, posts: 0, before: isNext ? window.posts : 0 };
    }
    window.posts += 1;
    // Those of the current window, and the share of the one before that the sliding window still covers.
    const rate = window.posts + window.before * (1 - (now - window.start) / windowMs);
    if (rate >= attackRate.posts / 2) lastBusy = now;
    const wasAttack = isAttack;
    isAttack = rate >= attackRate.posts || (wasAttack && now - lastBusy < calmWindows * windowMs);
    if (isAttack !== wasAttack) onChange(isAttack);
    return isAttack;
  };
}
