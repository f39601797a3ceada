/** Detects an attack: more posts in a minute than websites get. */

/** The rate from which posts are an attack: so many in a window of so many milliseconds. */
export const attackRate = { posts: 300, windowMs: 60_000 } as const;

/** Windows with a low rate, in a row, after which the attack is over. */
const calmWindows = 5;

/** Measures the rate of posts with a sliding window. */
export class AttackDetector {
  readonly #onChange: (isAttack: boolean) => void;
  /** Start of the current window, its posts, and the posts of the window before. */
  #window = { start: 0, posts: 0, before: 0 };
  #lastBusy = Number.NEGATIVE_INFINITY;
  #isAttack = false;

  /** @param onChange - called when an attack begins and when it is over */
  constructor(onChange: (isAttack: boolean) => void) {
    this.#onChange = onChange;
  }

  /**
   * Counts a post.
   *
   * @returns whether there is an attack: from {@link attackRate} on, until the rate was below half of it for five
   *   windows
   */
  count(now: number): boolean {
    const { posts, windowMs } = attackRate;
    const rate = this.#rate(now);
    if (rate >= posts / 2) this.#lastBusy = now;
    const isAttack = rate >= posts || (this.#isAttack && now - this.#lastBusy < calmWindows * windowMs);
    if (isAttack !== this.#isAttack) {
      this.#isAttack = isAttack;
      this.#onChange(isAttack);
    }
    return isAttack;
  }

  /** Posts within the sliding window: those of the current window, and the share of the one before it still covers. */
  #rate(now: number): number {
    const { windowMs } = attackRate;
    const { start, posts, before } = this.#window;
    const passed = now - start;
    if (passed >= windowMs || passed < 0) {
      const isNext = passed >= 0 && passed < 2 * windowMs;
      this.#window = { start: isNext ? start + windowMs : now, posts: 0, before: isNext ? posts : 0 };
    } else this.#window = { start, posts, before };
    this.#window.posts += 1;
    return this.#window.posts + this.#window.before * (1 - (now - this.#window.start) / windowMs);
  }
}
