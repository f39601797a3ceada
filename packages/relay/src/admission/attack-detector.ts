/** Detects an attack: more posts per window than the configured rate. */
import type { LimitRule } from '../config/values.ts';

/** Windows with a low rate, in a row, after which the attack is over. */
const calmWindows = 5;

/** Measures the rate of posts with a sliding window. */
export class AttackDetector {
  readonly #rule: LimitRule | null;
  readonly #onChange: (isAttack: boolean) => void;
  /** Start of the current window, its posts, and the posts of the window before. */
  #window = { start: 0, posts: 0, before: 0 };
  #lastBusy = Number.NEGATIVE_INFINITY;
  #isAttack = false;

  /**
   * @param rule - the rate from which posts are an attack; null: never
   * @param onChange - called when an attack begins and when it is over
   */
  constructor(rule: LimitRule | null, onChange: (isAttack: boolean) => void) {
    this.#rule = rule;
    this.#onChange = onChange;
  }

  /**
   * Counts a post.
   *
   * @returns whether there is an attack: from the configured rate on, until the rate was below half of it for five
   *   windows
   */
  count(now: number): boolean {
    if (this.#rule === null) return false;
    const { points, seconds } = this.#rule;
    const rate = this.#rate(now, seconds * 1000);
    if (rate >= points / 2) this.#lastBusy = now;
    const isAttack = rate >= points || (this.#isAttack && now - this.#lastBusy < calmWindows * seconds * 1000);
    if (isAttack !== this.#isAttack) {
      this.#isAttack = isAttack;
      this.#onChange(isAttack);
    }
    return isAttack;
  }

  /** Posts within the sliding window: those of the current window, and the share of the one before it still covers. */
  #rate(now: number, lengthMs: number): number {
    const { start, posts, before } = this.#window;
    const passed = now - start;
    if (passed >= lengthMs || passed < 0) {
      const isNext = passed >= 0 && passed < 2 * lengthMs;
      this.#window = { start: isNext ? start + lengthMs : now, posts: 0, before: isNext ? posts : 0 };
    } else this.#window = { start, posts, before };
    this.#window.posts += 1;
    return this.#window.posts + this.#window.before * (1 - (now - this.#window.start) / lengthMs);
  }
}
