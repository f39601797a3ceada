/** The loop of a delivery: starts due work, sleeps until more is due or something wakes it, and writes outcomes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayContext } from '../context.ts';
import type { StoreHealth } from '../health.ts';
import type { SignupStore } from '../store/signup-store.ts';

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
  readonly openForMs: () => number | Promise<number>;
  /** Starts what is due. @returns milliseconds until more is due; null if unknown */
  readonly startDue: () => Promise<number | null>;
  /** On demand: the loop ends with its group, once nothing is in flight and nothing is due in any of its loops. */
  readonly onDemand?: { readonly group: LoopGroup; readonly isIdle: () => boolean } | undefined;
}

/** Loops that give work to each other: a delivery adds webhooks, a visitor signups. They end together. */
export class LoopGroup {
  readonly #members = new Set<WakeSignal>();
  readonly #working = new Set<WakeSignal>();
  #isOver = false;

  /** A loop begins, or looks for work again. */
  work(member: WakeSignal): void {
    this.#members.add(member);
    this.#working.add(member);
  }

  /** A loop has nothing to do. @returns whether none has: then all of them end */
  rest(member: WakeSignal): boolean {
    this.#working.delete(member);
    if (this.#working.size === 0 && !this.#isOver) {
      this.#isOver = true;
      for (const each of this.#members) if (each !== member) each.notify();
    }
    return this.#isOver;
  }
}

/**
 * Runs until `stopping` aborts, or nothing is left to do. A failure of the store is reported to `health`, and the loop
 * tries again.
 *
 * @returns milliseconds until more is due; null if unknown
 */
export async function runLoop(options: LoopOptions): Promise<number | null> {
  const { wakeSignal, stopping, onDemand } = options;
  let untilNextMs: number | null = null;
  while (!stopping.aborted) {
    onDemand?.group.work(wakeSignal);
    const step = await runOnce(options);
    untilNextMs = step.untilNextMs;
    const isNothingDue = !wakeSignal.isPending && (untilNextMs === null || untilNextMs > 0);
    if (isNothingDue && onDemand?.isIdle() && onDemand.group.rest(wakeSignal)) break;
    await wakeSignal.wait(Math.min(untilNextMs ?? step.longestMs, step.longestMs));
  }
  onDemand?.group.rest(wakeSignal);
  return untilNextMs;
}

/** @returns milliseconds until more is due, null if unknown; and the longest time to sleep */
async function runOnce({
  health,
  isShared,
  openForMs,
  startDue,
}: LoopOptions): Promise<{ readonly untilNextMs: number | null; readonly longestMs: number }> {
  const longestMs = isShared ? longestSharedSleepMs : longestSleepMs;
  try {
    const pauseMs = await openForMs();
    if (pauseMs > 0) return { untilNextMs: pauseMs, longestMs };
    const untilNextMs = await startDue();
    health.succeeded('claim');
    return { untilNextMs, longestMs };
  } catch (error) {
    health.failed('claim', error);
    return { untilNextMs: storeRetryMs, longestMs: storeRetryMs };
  }
}

/**
 * Runs loops that end by themselves, until nothing is due or `ending` aborts.
 *
 * @returns when the next thing is due, in milliseconds since the Unix epoch; null if unknown
 */
export async function runUntilIdle(
  options: LoopOptions & { readonly inFlight: () => Promise<unknown> },
  ending: AbortSignal,
  now: () => number,
): Promise<number | null> {
  const { wakeSignal, stopping, inFlight } = options;
  const wake = (): void => wakeSignal.notify();
  ending.addEventListener('abort', wake, { once: true });
  const untilNextMs = await runLoop({ ...options, stopping: AbortSignal.any([stopping, ending]) });
  ending.removeEventListener('abort', wake);
  await inFlight();
  if (ending.aborted) return now();
  return untilNextMs === null ? null : now() + untilNextMs;
}

/** Wakes a loop when something may be due. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | null = null;

  /** Whether the next wait ends at once. */
  get isPending(): boolean {
    return this.#pending;
  }

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
  readonly #whole: InFlight | null;

  constructor(onEnd: () => void, whole: InFlight | null = null) {
    this.#onEnd = onEnd;
    this.#whole = whole;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Tasks of one kind among these, counted by themselves. */
  part(): InFlight {
    return new InFlight(() => {}, this);
  }

  add(work: Promise<void>): void {
    const task = work.finally(() => {
      this.#tasks.delete(task);
      this.#onEnd();
    });
    this.#tasks.add(task);
    this.#whole?.add(task);
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

/** Options of {@link QueueWorker}. `startDue` adds what it starts to the tasks in flight. */
export type QueueWorkerOptions = Pick<LoopOptions, 'openForMs' | 'startDue'>;

/** The parts of the context that a worker needs. */
export type WorkerContext = Pick<RelayContext, 'health' | 'now'> & { readonly store: Pick<SignupStore, 'shared'> };

/** Works off a queue, all the time or on demand: tasks run beside the loop, and end when the relay stops. */
export class QueueWorker {
  readonly inFlight = new InFlight(() => this.wake());
  readonly writer: StoreWriter;
  readonly #context: WorkerContext;
  readonly #options: QueueWorkerOptions;
  readonly #wakeSignal = new WakeSignal();
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  #loop: Promise<unknown> | null = null;

  constructor(context: WorkerContext, options: QueueWorkerOptions) {
    this.#context = context;
    this.#options = options;
    this.writer = new StoreWriter({ health: context.health, stopping: this.#stop.signal });
  }

  /** Aborts when nothing new may be started. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborts when tasks in flight are given up. */
  get givenUp(): AbortSignal {
    return this.#giveUp.signal;
  }

  start(): void {
    this.#loop ??= runLoop(this.#loopOptions());
  }

  /** Wakes the loop: something new may be due. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /**
   * Works until nothing is due in the whole group or `ending` aborts, and ends what is in flight.
   *
   * @returns when the next task is due, in milliseconds since the Unix epoch; null if unknown
   */
  deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    const onDemand = { group, isIdle: () => this.inFlight.size === 0 };
    const inFlight = () => this.inFlight.end();
    return runUntilIdle({ ...this.#loopOptions(), onDemand, inFlight }, ending, this.#context.now);
  }

  /** Starts nothing more, gives tasks in flight `graceMs` milliseconds to end, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    this.wake();
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await this.#loop;
    await this.inFlight.end();
    clearTimeout(timer);
  }

  #loopOptions(): LoopOptions {
    const { health, store } = this.#context;
    return {
      ...this.#options,
      wakeSignal: this.#wakeSignal,
      stopping: this.#stop.signal,
      health,
      isShared: store.shared,
    };
  }
}
