/**
 * Pads transactions without a write, so that timing does not reveal known addresses: see
 * docs/decisions/0010-same-time-for-known-addresses.md.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Writes that are remembered: few, so that it soon goes as fast or slow as the server does now. */
const remembered = 32;

/**
 * Longest wait, in milliseconds: others may stand in line behind it, and a server that once hung says nothing about
 * anybody.
 */
const longestMs = 250;

/** Below this many milliseconds a timer is too coarse. */
const timerMs = 2;

export class SamePace {
  readonly #took: number[] = [];
  #next = 0;

  /** Something was written, in this many milliseconds. */
  wrote(tookMs: number): void {
    this.#took[this.#next] = Math.min(tookMs, longestMs);
    this.#next = (this.#next + 1) % remembered;
  }

  /** Waits until as much time has passed since `from` (of `performance.now()`) as one of the last writes took. */
  async wait(from: number): Promise<void> {
    const until = from + (this.#took[Math.floor(Math.random() * this.#took.length)] ?? 0);
    const left = until - performance.now();
    if (left > timerMs) await sleep(left - timerMs);
    while (performance.now() < until) await setImmediate();
  }
}
