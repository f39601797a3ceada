/** Schedules the calls of one key: within its rate limit, a bounded number in flight, fairly between streams. */
import { TransportError, type Host, type HostAnswer, type Signal } from './host.ts';
import { createQuota } from './rate-limit.ts';

/** A call that needs a turn. */
export interface Waiter {
  /** Calls of one stream are sent in order; streams alternate. Calls that name none form one stream. */
  readonly stream?: object | undefined;
  /** Whether other calls go first; see {@link CallOptions.background}. Default false. */
  readonly background?: boolean | undefined;
  /** When waiting ends with a timeout, in milliseconds of the host's monotonic clock. */
  readonly deadline?: number | undefined;
  /** Longest pause that the service may ask for, in milliseconds; a longer one rejects with {@link PausedError}. */
  readonly maxPauseMs?: number | undefined;
  readonly signal?: Signal | undefined;
}

/** Permission to send one request now. */
export interface Turn {
  /** Ends the turn; must be called. Pass the answer, null for a lost connection, or nothing for a withdrawn request. */
  done(answer?: Pick<HostAnswer, 'status' | 'headers'> | null): void;
}

/** Schedules all requests of one key. Each engine creates its own unless it is given one. */
export interface Pacer {
  /**
   * Waits for permission to send one request.
   *
   * @throws TransportError `aborted` when the signal aborts, `timeout` at the deadline; {@link PausedError} where the
   *   service asks for a longer pause than `maxPauseMs`
   */
  turn(waiter: Waiter): Promise<Turn>;
}

/** The service asked for a longer pause than the call's `maxPauseMs`. */
export class PausedError extends Error {
  override readonly name = 'PausedError';
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super(`Paused for ${pauseMs} ms.`);
    this.pauseMs = pauseMs;
  }
}

/** Options of {@link createPacer}. */
export interface PacerOptions {
  /**
   * Most requests in flight at a time, from the first call on; a whole number from 1. Default 5, which the service's
   * documentation advises. Halved on a 429, a 5xx and a lost connection, and raised by one per round of successes.
   */
  readonly concurrency?: number | undefined;
}

interface QueuedCall extends Waiter {
  readonly grant: (turn: Turn) => void;
  readonly reject: (error: Error) => void;
  readonly removeListener: () => void;
}

/**
 * Creates a pacer, to share between the clients of one key. It reads the quota from headers; without them it learns a
 * rate from 429s. A 429 pauses every caller.
 *
 * @example
 * ```ts
 * const host = createFetchHost();
 * const pacer = createPacer(host); // one key, two clients, one quota
 * const clients = ['pub_1', 'pub_2'].map((publicationId) => createClient({ ...options, host, pacer, publicationId }));
 * ```
 * @throws RangeError where `concurrency` is not a whole number from 1
 */
export function createPacer(
  clock: Pick<Host, 'monotonic' | 'now' | 'sleep'>,
  { concurrency: maxConcurrency = 5 }: PacerOptions = {},
): Pacer {
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1)
    throw new RangeError('concurrency must be a whole number from 1, for example 5.');
  const quota = createQuota();
  const queue = createQueue();
  let inFlight = 0;
  let concurrency = maxConcurrency;
  let successes = 0;
  let lastCut = Number.NEGATIVE_INFINITY;
  let timer: { readonly at: number; readonly stop: Stop } | null = null;

  /** Grants every turn available now and sets the timer for the next. */
  function grantTurns(): void {
    for (;;) {
      const now = clock.monotonic();
      const next = queue.first();
      if (!next) return setTimer(Number.POSITIVE_INFINITY);
      const at = nextTurnAt(now, next);
      if (at > now) return setTimer(Math.min(at, queue.earliestDeadline()));
      queue.take(next);
      next.removeListener();
      next.grant(begin(now, next));
    }
  }

  /** The earliest moment for one more request; Infinity for not before another turn has ended. */
  function nextTurnAt(now: number, { background }: Waiter): number {
    const allowed = background ? Math.max(1, concurrency - 1) : concurrency;
    return inFlight >= allowed ? Number.POSITIVE_INFINITY : quota.nextAt(now, inFlight, background);
  }

  function reject(waiter: QueuedCall, error: Error): void {
    queue.remove(waiter);
    waiter.removeListener();
    waiter.reject(error);
  }

  /** Rejects the calls whose deadline passes before the pause ends, or whose `maxPauseMs` is shorter. */
  function rejectExpired(): void {
    const now = clock.monotonic();
    for (const waiter of queue.all()) {
      const error = expiry(waiter, now, quota.pausedUntil - now);
      if (error) reject(waiter, error);
    }
  }

  function begin(now: number, { background }: Waiter): Turn {
    inFlight += 1;
    quota.sent(now, background);
    let ended = false;
    return {
      done(answer) {
        if (ended) return;
        ended = true;
        inFlight -= 1;
        if (answer && quota.answered(now, answer, clock.monotonic(), clock.now())) rejectExpired();
        if (answer !== undefined) adapt(answer === null || answer.status === 429 || answer.status >= 500, now);
        grantTurns();
      },
    };
  }

  /** Additive increase, multiplicative decrease (AIMD), never above `maxConcurrency`. */
  function adapt(failed: boolean, sentAt: number): void {
    if (!failed) {
      if (concurrency >= maxConcurrency) return;
      successes += 1;
      if (successes < concurrency) return;
      concurrency += 1;
    } else {
      // Requests that were in flight together and failed count once.
      if (sentAt <= lastCut) return;
      lastCut = clock.monotonic();
      concurrency = Math.max(1, Math.floor(concurrency / 2));
    }
    successes = 0;
  }

  /** Sets the one timer of the queue; Infinity clears it. */
  function setTimer(at: number): void {
    // An earlier timer sets the next one when it fires.
    if (timer && timer.at <= at && at !== Number.POSITIVE_INFINITY) return;
    timer?.stop.abort();
    timer = null;
    if (at === Number.POSITIVE_INFINITY) return;
    const own = { at, stop: createStop() };
    timer = own;
    const over = (failure: unknown): void => {
      if (timer !== own) return;
      timer = null;
      if (failure === undefined) {
        rejectExpired();
        return grantTurns();
      }
      const error = new Error("The host's sleep() failed.", { cause: failure });
      for (const waiter of queue.all()) reject(waiter, error);
    };
    clock.sleep(Math.max(1, Math.ceil(at - clock.monotonic())), own.stop).then(() => over(undefined), over);
  }

  return {
    turn(waiter) {
      const now = clock.monotonic();
      const error = waiter.signal?.aborted
        ? new TransportError('aborted')
        : expiry(waiter, now, quota.pausedUntil - now);
      if (error) return Promise.reject(error);
      // The usual case: the queue is empty and a turn is available.
      if (!queue.first() && nextTurnAt(now, waiter) <= now) return Promise.resolve(begin(now, waiter));
      return new Promise((grant, refuse) => {
        const abort = (): void => {
          reject(waiting, new TransportError('aborted'));
          grantTurns();
        };
        const waiting: QueuedCall = {
          ...waiter,
          grant,
          reject: refuse,
          removeListener: () => waiter.signal?.removeEventListener('abort', abort),
        };
        waiter.signal?.addEventListener('abort', abort);
        queue.join(waiting);
        grantTurns();
      });
    },
  };
}

/** The error of a call that cannot be sent in time, else null. */
function expiry({ deadline, maxPauseMs }: Waiter, now: number, pauseMs: number): Error | null {
  if (deadline !== undefined && Math.max(now, now + pauseMs) >= deadline)
    return new TransportError('timeout', { notSent: true });
  return pauseMs > (maxPauseMs ?? Number.POSITIVE_INFINITY) ? new PausedError(pauseMs) : null;
}

/** The waiting calls: background calls last, in order within a stream, round robin between streams. */
function createQueue() {
  const common = {};
  /** In the order of their next turns. */
  const foreground = new Map<object, Set<QueuedCall>>();
  const background = new Map<object, Set<QueuedCall>>();
  /** A lower bound of all deadlines. */
  let earliest = Number.POSITIVE_INFINITY;
  const streamOf = ({ stream = common }: Waiter): object => stream;
  const streamsOf = (waiter: Waiter) => (waiter.background ? background : foreground);

  function remove(waiter: QueuedCall): Set<QueuedCall> | undefined {
    const streams = streamsOf(waiter);
    const stream = streams.get(streamOf(waiter));
    if (!stream?.delete(waiter)) return undefined;
    if (stream.size === 0) streams.delete(streamOf(waiter));
    return stream;
  }

  return {
    join(waiter: QueuedCall): void {
      const streams = streamsOf(waiter);
      const stream = streams.get(streamOf(waiter)) ?? new Set();
      streams.set(streamOf(waiter), stream.add(waiter));
      earliest = Math.min(earliest, waiter.deadline ?? earliest);
    },
    first(): QueuedCall | undefined {
      const streams = foreground.size > 0 ? foreground : background;
      const [stream] = streams.values();
      return stream?.values().next().value;
    },
    /** Removes a call that is sent; its stream goes to the end. */
    take(waiter: QueuedCall): void {
      const stream = remove(waiter);
      if (!stream || stream.size === 0) return;
      const streams = streamsOf(waiter);
      streams.delete(streamOf(waiter));
      streams.set(streamOf(waiter), stream);
    },
    /** Removes a call that gives up; the order of the streams stays. */
    remove,
    /** Every waiting call. The earliest deadline becomes that of the calls not removed meanwhile. */
    *all(): Generator<QueuedCall> {
      earliest = Number.POSITIVE_INFINITY;
      for (const streams of [foreground, background]) {
        for (const stream of streams.values()) {
          for (const waiter of stream) {
            yield waiter;
            if (stream.has(waiter)) earliest = Math.min(earliest, waiter.deadline ?? earliest);
          }
        }
      }
    },
    earliestDeadline: () => earliest,
  };
}

interface Stop extends Signal {
  abort(): void;
}

/** The part of an AbortController that `sleep` needs; host-free code has no AbortController. */
function createStop(): Stop {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    get aborted() {
      return aborted;
    },
    abort() {
      aborted = true;
      for (const listener of listeners) listener();
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
}
