/** Whether the relay is being flooded: more posts than people make. It takes long to believe that it is over. */
import type { LimitRule } from './limits.ts';

/** Windows that must be quiet in a row before an attack counts as over. */
const quietWindows = 5;

export class AttackMeter {
  readonly #rule: LimitRule | null;
  readonly #changed: (underAttack: boolean) => void;
  /** Start of the current window, its posts, and those of the window before. */
  #window = { start: 0, posts: 0, before: 0 };
  #lastBusy = Number.NEGATIVE_INFINITY;
  #on = false;

  /**
   * @param rule - posts in a window of time from which it is an attack; null: it never is
   * @param changed - told when an attack begins and when it is over
   */
  constructor(rule: LimitRule | null, changed: (underAttack: boolean) => void) {
    this.#rule = rule;
    this.#changed = changed;
  }

  /**
   * Counts a post.
   * @returns whether the relay is under attack: from the set rate on, until it was below half of it for five windows
   */
  note(now: number): boolean {
    if (this.#rule === null) return false;
    const { points, seconds } = this.#rule;
    const rate = this.#rate(now, seconds * 1000);
    if (rate >= points / 2) this.#lastBusy = now;
    const on = rate >= points || (this.#on && now - this.#lastBusy < quietWindows * seconds * 1000);
    if (on !== this.#on) {
      this.#on = on;
      this.#changed(on);
    }
    return on;
  }

  /** Posts within the last window, by weight: as much of the window before as the sliding one still covers. */
  #rate(now: number, lengthMs: number): number {
    const { start, posts, before } = this.#window;
    const passed = now - start;
    if (passed >= lengthMs || passed < 0) {
      const next = passed >= 0 && passed < 2 * lengthMs;
      this.#window = { start: next ? start + lengthMs : now, posts: 0, before: next ? posts : 0 };
    } else this.#window = { start, posts, before };
    this.#window.posts += 1;
    return this.#window.posts + this.#window.before * (1 - (now - this.#window.start) / lengthMs);
  }
}
