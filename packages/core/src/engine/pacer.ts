/**
 * Gives the calls of one key their turns: within the quota, not too many at a time, and fairly between those who wait.
 */
import { TransportError, type Host, type HostAnswer, type Signal } from './host.ts';
import { createQuota } from './quota.ts';

/** Who asks for a turn. */
export interface Waiter {
  /** Calls of one stream wait in line; streams take turns. Calls without one are a stream together. */
  readonly stream?: object | undefined;
  /** The moment from which on a turn is of no use any more, in milliseconds of the host's monotonic clock. */
  readonly deadline?: number | undefined;
  /** Longest pause the caller puts up with where the service asks for one, in milliseconds. */
  readonly maxPauseMs?: number | undefined;
  readonly signal?: Signal | undefined;
  /** Whether the call is repeated after a 429, so that it may find out whether the quota has grown. */
  readonly mayProbe?: boolean | undefined;
}

/** A turn: one request may be sent, now. */
export interface Turn {
  /**
   * Ends the turn. Must be called, once: with the answer, with null where it was lost, with nothing where the caller
   * withdrew.
   */
  done(answer?: Pick<HostAnswer, 'status' | 'headers'> | null): void;
}

/** Shared by everything that uses the same key. Make it with {@link createPacer}; engines bring one of their own. */
export interface Pacer {
  /**
   * Waits for a turn. Whoever gives up leaves no gap.
   *
   * @throws TransportError `aborted` when the signal aborts, `timeout` at the deadline; {@link PausedError} where the
   *   service asks for a longer pause than the caller puts up with
   */
  turn(waiter: Waiter): Promise<Turn>;
}

/** Thrown in place of a turn: the service has asked everyone to wait longer than this caller wants to. */
export class PausedError extends Error {
  override readonly name = 'PausedError';
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super(`Paused for ${pauseMs} ms.`);
    this.pauseMs = pauseMs;
  }
}

/** What a pacer is made of. */
export interface PacerOptions {
  /** Most requests at a time, ever. Default 32. It begins with 4 and feels its way up. */
  readonly maxConcurrency?: number | undefined;
}

const firstConcurrency = 4;

/** Rounds in which as many requests as allowed were under way and none failed, until one more is. */
const roundsToGrow = 4;

interface Waiting extends Waiter {
  readonly grant: (turn: Turn) => void;
  readonly refuse: (error: Error) => void;
  readonly leave: () => void;
}

/**
 * A pacer that learns the quota from headers, or from 429s where there are none.
 *
 * @example
 * ```ts
 * const host = createFetchHost();
 * const pacer = createPacer(host); // one key, two clients, one quota
 * const clients = ['pub_1', 'pub_2'].map((publicationId) => createClient({ ...options, host, pacer, publicationId }));
 * ```
 */
export function createPacer(
  clock: Pick<Host, 'monotonic' | 'now' | 'sleep'>,
  { maxConcurrency = 32 }: PacerOptions = {},
): Pacer {
  const quota = createQuota();
  const line = createLine();
  let inFlight = 0;
  let concurrency = Math.min(firstConcurrency, maxConcurrency);
  let sinceGrown = 0;
  let lastCut = Number.NEGATIVE_INFINITY;
  let alarm: { readonly at: number; readonly stop: Stop } | null = null;

  /** Lets go whoever may, and sets the alarm for who may later. */
  function pump(): void {
    for (;;) {
      const now = clock.monotonic();
      const next = line.first();
      if (!next) return ring(Number.POSITIVE_INFINITY);
      const at = mayGoAt(next, now);
      if (at > now) return ring(Math.min(at, line.earliestDeadline()));
      line.take(next);
      next.leave();
      next.grant(begin(now));
    }
  }

  /** The earliest moment for this one; Infinity for not before somebody's turn has ended. */
  function mayGoAt({ mayProbe = false }: Waiter, now: number): number {
    return inFlight >= concurrency ? Number.POSITIVE_INFINITY : quota.nextAt(now, inFlight, mayProbe);
  }

  function sendAway(waiter: Waiting, error: Error): void {
    line.remove(waiter);
    waiter.leave();
    waiter.refuse(error);
  }

  /** Sends away who would wait in vain. */
  function dismissHopeless(): void {
    const now = clock.monotonic();
    for (const waiter of line.all()) {
      const error = hopeless(waiter, now, quota.pausedUntil - now);
      if (error) sendAway(waiter, error);
    }
  }

  function begin(now: number): Turn {
    inFlight += 1;
    const full = inFlight >= concurrency;
    const sent = quota.sent(now);
    let ended = false;
    return {
      done(answer) {
        if (ended) return;
        ended = true;
        inFlight -= 1;
        if (answer && quota.answered(sent, answer, clock.monotonic(), clock.now())) dismissHopeless();
        if (answer !== undefined)
          adapt(answer === null || answer.status === 429 || answer.status >= 500, full, sent.at);
        pump();
      },
    };
  }

  /** Additive increase, multiplicative decrease: what a service in trouble needs is less. */
  function adapt(trouble: boolean, full: boolean, sentAt: number): void {
    if (trouble) {
      if (sentAt <= lastCut) return; // what failed together is one trouble
      lastCut = clock.monotonic();
      concurrency = Math.max(1, Math.floor(concurrency / 2));
      sinceGrown = 0;
    } else if (full && (sinceGrown += 1) >= concurrency * roundsToGrow) {
      concurrency = Math.min(maxConcurrency, concurrency + 1);
      sinceGrown = 0;
    }
  }

  /** One sleep for all who wait; none that outlives them. */
  function ring(at: number): void {
    if (alarm && alarm.at <= at && at !== Number.POSITIVE_INFINITY) return; // rings soon enough, and then looks again
    alarm?.stop.abort();
    alarm = null;
    if (at === Number.POSITIVE_INFINITY) return;
    const own = { at, stop: createStop() };
    alarm = own;
    const over = (failure: unknown): void => {
      if (alarm !== own) return;
      alarm = null;
      if (failure === undefined) {
        dismissHopeless();
        return pump();
      }
      const error = new Error('The host could not wait.', { cause: failure });
      for (const waiter of line.all()) sendAway(waiter, error);
    };
    clock.sleep(Math.max(1, Math.ceil(at - clock.monotonic())), own.stop).then(() => over(undefined), over);
  }

  return {
    turn(waiter) {
      const now = clock.monotonic();
      const error = waiter.signal?.aborted
        ? new TransportError('aborted')
        : hopeless(waiter, now, quota.pausedUntil - now);
      if (error) return Promise.reject(error);
      // The usual case: nobody waits, and nothing is in the way.
      if (!line.first() && mayGoAt(waiter, now) <= now) return Promise.resolve(begin(now));
      return new Promise((grant, refuse) => {
        const abort = (): void => {
          sendAway(waiting, new TransportError('aborted'));
          pump();
        };
        const waiting: Waiting = {
          ...waiter,
          grant,
          refuse,
          leave: () => waiter.signal?.removeEventListener('abort', abort),
        };
        waiter.signal?.addEventListener('abort', abort);
        line.join(waiting);
        pump();
      });
    },
  };
}

function hopeless({ deadline, maxPauseMs }: Waiter, now: number, pauseMs: number): Error | null {
  if (deadline !== undefined && Math.max(now, now + pauseMs) >= deadline)
    return new TransportError('timeout', { notSent: true });
  return pauseMs > (maxPauseMs ?? Number.POSITIVE_INFINITY) ? new PausedError(pauseMs) : null;
}

/** Everyone who waits: first come, first served within a stream, one turn each between streams. */
function createLine() {
  const common = {};
  /** In the order of their next turns: a stream that had one goes to the end. */
  const streams = new Map<object, Set<Waiting>>();
  /** No deadline of anyone who waits is earlier. */
  let earliest = Number.POSITIVE_INFINITY;
  const streamOf = ({ stream = common }: Waiter): object => stream;

  function remove(waiter: Waiting): Set<Waiting> | undefined {
    const stream = streams.get(streamOf(waiter));
    if (!stream?.delete(waiter)) return undefined;
    if (stream.size === 0) streams.delete(streamOf(waiter));
    return stream;
  }

  return {
    join(waiter: Waiting): void {
      const stream = streams.get(streamOf(waiter)) ?? new Set();
      streams.set(streamOf(waiter), stream.add(waiter));
      earliest = Math.min(earliest, waiter.deadline ?? earliest);
    },
    first(): Waiting | undefined {
      if (streams.size === 0) return undefined;
      const [stream] = streams.values();
      return stream?.values().next().value;
    },
    /** Takes out one who goes: its stream has had its turn. */
    take(waiter: Waiting): void {
      const stream = remove(waiter);
      if (!stream || stream.size === 0) return;
      streams.delete(streamOf(waiter));
      streams.set(streamOf(waiter), stream);
    },
    /** Takes out one who gives up; nobody's turn changes. */
    remove,
    /** Everyone, to look who must leave: the earliest deadline is that of those who stay. */
    *all(): Generator<Waiting> {
      earliest = Number.POSITIVE_INFINITY;
      for (const stream of streams.values()) {
        for (const waiter of stream) {
          yield waiter;
          if (stream.has(waiter)) earliest = Math.min(earliest, waiter.deadline ?? earliest);
        }
      }
    },
    earliestDeadline: () => earliest,
  };
}

interface Stop extends Signal {
  abort(): void;
}

/** The little of an AbortController that a sleep needs; floors without a host have no real one. */
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
