/** The loop of a delivery: starts due work, sleeps until more is due or something wakes it, and writes outcomes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreHealth } from '../ops/health.ts';

/** Longest sleep, in milliseconds: after a clock was set back, nothing is delayed for longer. */
const longestSleepMs = 60_000;

/** Longest sleep if other processes store signups too: they cannot wake this loop. */
const longestSharedSleepMs = 1000;

/** Wait before a failed access to the store is repeated, in milliseconds. */
const storeRetryMs = 1000;

/** Options of {@link runLoop}. */
export interface LoopOptions {
  readonly wakeSignal: WakeSignal;
  /** Aborts when nothing new may be started. */
  readonly stopping: AbortSignal;
  readonly health: StoreHealth;
  /** Whether other processes write to the store too. */
  readonly isShared: boolean;
  /** Milliseconds for which a circuit breaker is open. */
  readonly openForMs: () => number;
  /** Starts what is due. @returns milliseconds until more is due; null if unknown */
  readonly startDue: () => Promise<number | null>;
}

/** Runs until `stopping` aborts. A failure of the store is reported to `health`, and the loop tries again. */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { wakeSignal, stopping, health, isShared, openForMs, startDue } = options;
  const longestMs = isShared ? longestSharedSleepMs : longestSleepMs;
  while (!stopping.aborted) {
    const pauseMs = openForMs();
    if (pauseMs > 0) {
      await wakeSignal.wait(Math.min(pauseMs, longestSleepMs));
      continue;
    }
    try {
      const untilNextMs = await startDue();
      health.succeeded('claim');
      await wakeSignal.wait(Math.min(untilNextMs ?? longestMs, longestMs));
    } catch (error) {
      health.failed('claim', error);
      await wakeSignal.wait(storeRetryMs);
    }
  }
}

/** Wakes a loop when something may be due. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | null = null;

  /** Ends the current wait, or the next one if there is none. */
  notify(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Waits for {@link notify}, for `ms` milliseconds at most. */
  async wait(ms: number): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, ms));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#pending = false;
  }
}

/** The tasks in flight beside a loop; `onEnd` is called when one ends. */
export class InFlight {
  readonly #tasks = new Set<Promise<void>>();
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#tasks.size;
  }

  add(work: Promise<void>): void {
    const task = work.finally(() => {
      this.#tasks.delete(task);
      this.#onEnd();
    });
    this.#tasks.add(task);
  }

  /** Waits for the tasks running now. */
  async end(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}

/** Options of {@link StoreWriter}. */
export interface StoreWriterOptions {
  readonly health: StoreHealth;
  /** Aborts when writes are no longer repeated. */
  readonly stopping: AbortSignal;
}

/** Writes the outcome of an attempt, and repeats the write, not the attempt, until the store accepts it. */
export class StoreWriter {
  readonly #options: StoreWriterOptions;

  constructor(options: StoreWriterOptions) {
    this.#options = options;
  }

  /**
   * Repeating the attempt instead would send the signup twice. An outcome that is not written when the relay stops
   * counts as unknown at the next start, and the signup is looked up first.
   *
   * @returns what `work` returned; undefined if the relay stopped before
   */
  async write<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { health, stopping } = this.#options;
    for (;;) {
      try {
        const result = await work();
        health.succeeded('settle');
        return result;
      } catch (error) {
        health.failed('settle', error);
        if (stopping.aborted) return undefined;
        await sleep(storeRetryMs);
      }
    }
  }
}
