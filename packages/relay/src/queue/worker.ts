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

/**
 * Writes the outcome of an attempt, and repeats the write until the store accepts it: repeating the attempt instead
 * would send the signup twice. An outcome that is not written when the relay stops counts as unknown at the next start,
 * and the signup is looked up first.
 *
 * @param stopping - aborts when writes are no longer repeated
 * @returns what `work` returned; undefined if the relay stopped before
 */
export async function repeatWrite<T>(
  health: StoreHealth,
  stopping: AbortSignal,
  work: () => Promise<T>,
): Promise<T | undefined> {
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

/** What a {@link QueueWorker} works off. */
export interface QueueWork {
  /** Milliseconds for which a circuit breaker is open. */
  openForMs(this: void): number | Promise<number>;
  /** Starts what is due, among the tasks in flight. @returns milliseconds until more is due; null if unknown */
  startDue(this: void): Promise<number | null>;
  /** Ends what the tasks have shared, once none is in flight. Default: nothing. */
  end?(this: void): Promise<void>;
}

/** The parts of the context that a worker needs. */
export type WorkerContext = Pick<RelayContext, 'health' | 'now'> & { readonly store: Pick<SignupStore, 'shared'> };

/** Works off a queue, all the time or on demand: tasks run beside the loop, and end when the relay stops. */
export class QueueWorker {
  readonly inFlight = new InFlight(() => this.wake());
  readonly #context: WorkerContext;
  readonly #work: QueueWork;
  readonly #wakeSignal = new WakeSignal();
  readonly #stop = new AbortController();
  /** Aborts when nothing new may be started. */
  readonly stopping: AbortSignal = this.#stop.signal;
  readonly #giveUp = new AbortController();
  /** Aborts when tasks in flight are given up. */
  readonly givenUp: AbortSignal = this.#giveUp.signal;
  #loop: Promise<unknown> | null = null;

  constructor(context: WorkerContext, work: QueueWork) {
    this.#context = context;
    this.#work = work;
  }

  start(): void {
    this.#loop ??= this.#run(this.#stop.signal);
  }

  /** Wakes the loop: something new may be due. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /** See {@link repeatWrite}. */
  write<T>(work: () => Promise<T>): Promise<T | undefined> {
    return repeatWrite(this.#context.health, this.#stop.signal, work);
  }

  /**
   * Works until nothing is due in the whole group or `ending` aborts, and ends what is in flight.
   *
   * @returns when the next task is due, in milliseconds since the Unix epoch; null if unknown
   */
  async deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    const { now } = this.#context;
    const wake = (): void => this.wake();
    ending.addEventListener('abort', wake, { once: true });
    const untilNextMs = await this.#run(AbortSignal.any([this.#stop.signal, ending]), group);
    ending.removeEventListener('abort', wake);
    await this.#end();
    if (ending.aborted) return now();
    return untilNextMs === null ? null : now() + untilNextMs;
  }

  /** Starts nothing more, gives tasks in flight `graceMs` milliseconds to end, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort();
    this.wake();
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs);
    await this.#loop;
    await this.#end();
    clearTimeout(timer);
  }

  async #end(): Promise<void> {
    await this.inFlight.end();
    await this.#work.end?.();
  }

  /**
   * The loop. On demand it ends with its group, once nothing is in flight and nothing is due in any of its loops.
   *
   * @returns milliseconds until more is due; null if unknown
   */
  async #run(stopping: AbortSignal, group?: LoopGroup): Promise<number | null> {
    const signal = this.#wakeSignal;
    let untilNextMs: number | null = null;
    while (!stopping.aborted) {
      group?.work(signal);
      let longestMs = this.#context.store.shared ? longestSharedSleepMs : longestSleepMs;
      try {
        untilNextMs = await this.#startDue();
      } catch (error) {
        this.#context.health.failed('claim', error);
        untilNextMs = longestMs = storeRetryMs;
      }
      const isNothingDue = !signal.isPending && (untilNextMs === null || untilNextMs > 0);
      if (isNothingDue && this.inFlight.size === 0 && group?.rest(signal)) break;
      await signal.wait(Math.min(untilNextMs ?? longestMs, longestMs));
    }
    group?.rest(signal);
    return untilNextMs;
  }

  async #startDue(): Promise<number | null> {
    const pauseMs = await this.#work.openForMs();
    if (pauseMs > 0) return pauseMs;
    const untilNextMs = await this.#work.startDue();
    this.#context.health.succeeded('claim');
    return untilNextMs;
  }
}
