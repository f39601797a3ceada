/** Several queues as one. */
import { earliest } from '../store/overview.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { CallBudget } from '../call-budget.ts';
import { LoopGroup } from './worker.ts';

/** Works off what is due, all the time or on demand. */
export interface Queue {
  /** Runs before anything is worked off. A failure of the store is reported, and repeated, by the work itself. */
  prepare?(): Promise<void>;
  start(): void;
  /** Something new may be due. */
  wake(): void;
  /**
   * Works until nothing is due in the whole group or `ending` aborts, and ends what is in flight.
   *
   * @returns when the next thing is due, in milliseconds since the Unix epoch; null if unknown
   */
  deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null>;
  /**
   * Starts nothing more, gives what is in flight `graceMs` milliseconds to end, then aborts it. What was aborted is
   * repeated after the next start.
   */
  stop(graceMs: number): Promise<void>;
}

/** Longest time before a deadline in which nothing new is started, in milliseconds: the timeout of a call. */
const lastStartMs = 30_000;

/** Options of {@link QueueGroup.deliverUntil}. */
export interface OnDemandOptions {
  /** Milliseconds since the Unix epoch. */
  readonly untilMs: number;
  /** Maximum number of calls. Default: no maximum. */
  readonly maxCalls?: number | undefined;
}

/** The result of {@link QueueGroup.deliverUntil}. */
export interface OnDemandResult {
  /** When the next thing is due, in milliseconds since the Unix epoch; null if nothing waits. */
  readonly nextDueAt: number | null;
  /** The most calls that were made. */
  readonly calls: number;
}

/** A queue of queues, which work independently of each other. */
export class QueueGroup implements Queue {
  readonly #members: readonly Queue[];
  /** Ends with the calls of {@link deliverUntil} so far. */
  #delivering: Promise<unknown> = Promise.resolve();

  constructor(members: readonly Queue[]) {
    this.#members = members;
  }

  async prepare(): Promise<void> {
    for (const member of this.#members)
      await member.prepare?.().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) throw error;
      });
  }

  start(): void {
    for (const member of this.#members) member.start();
  }

  wake(): void {
    for (const member of this.#members) member.wake();
  }

  async deliver(ending: AbortSignal, group: LoopGroup): Promise<number | null> {
    return earliest(await Promise.all(this.#members.map((member) => member.deliver(ending, group))));
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop(graceMs)));
  }

  /**
   * Delivers on demand until a deadline; several of these run one after the other.
   *
   * @param calls - counts the calls of every member
   */
  async deliverUntil(
    { untilMs, maxCalls = Number.POSITIVE_INFINITY }: OnDemandOptions,
    { calls, now }: { readonly calls: CallBudget; readonly now: () => number },
  ): Promise<OnDemandResult> {
    const remainingMs = Math.max(0, untilMs - now());
    const ending = new AbortController();
    let deadline: NodeJS.Timeout | undefined;
    const lastStart = setTimeout(() => ending.abort(), remainingMs - Math.min(lastStartMs, remainingMs / 2));
    const late = new Promise<OnDemandResult>((resolve) => {
      deadline = setTimeout(() => resolve({ nextDueAt: now(), calls: calls.used }), remainingMs);
    });
    const before = this.#delivering;
    const done = before.then(async () => {
      calls.begin(maxCalls, () => ending.abort());
      await this.prepare();
      const nextDueAt = await this.deliver(ending.signal, new LoopGroup());
      return { nextDueAt, calls: calls.used };
    });
    const first = Promise.race([done, late]);
    this.#delivering = Promise.allSettled([before, first]);
    try {
      return await first;
    } finally {
      clearTimeout(lastStart);
      clearTimeout(deadline);
    }
  }
}
