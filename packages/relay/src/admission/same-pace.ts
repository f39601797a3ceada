/** Lets an answer that took no writing take as long as one that did: how fast it comes must not tell whether an address was here before. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Writes that are remembered. */
const remembered = 64;

/** Below this many milliseconds a timer is too coarse. */
const timerMs = 2;

export class SamePace {
  readonly #took: number[] = [];
  #next = 0;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** A signup was written, in this many milliseconds. */
  wrote(tookMs: number): void {
    this.#took[this.#next] = tookMs;
    this.#next = (this.#next + 1) % remembered;
  }

  /** Waits until as much time has passed since `from` (of `performance.now()`) as one of the last writes took. */
  async wait(from: number): Promise<void> {
    const until = from + (this.#took[Math.floor(this.#random() * this.#took.length)] ?? 0);
    const left = until - performance.now();
    if (left > timerMs) await sleep(left - timerMs);
    while (performance.now() < until) await setImmediate();
  }
}
