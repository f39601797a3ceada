/**
 * A clock that jumps to the next event as soon as no other work is left: an hour passes in a second, and each run is
 * the same. Fake timers of test runners pause a real millisecond per event; here it is one turn of the event loop.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { TransportError, type Host, type HostAnswer, type HostRequest, type Signal } from '@newsletter-kit/core/engine';
import { seeded } from '../support/seeded.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
}

export interface VirtualClock {
  now(): number;
  /** Calls `happen` after this many milliseconds. @returns cancels it */
  after(ms: number, happen: () => void): () => void;
  sleep(ms: number, signal?: Signal): Promise<void>;
  /** Runs real work, during which no time passes. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Advances time until the promise settles.
   * @throws Error if no event is left
   */
  run<T>(promise: Promise<T>): Promise<T>;
  runUntil(moment: number): Promise<void>;
}

export function createVirtualClock(start = Date.UTC(2026, 10, 4, 12)): VirtualClock {
  let now = start;
  let made = 0;
  let atWork = 0;
  const agenda: Event[] = [];

  /** Keeps the agenda in order; events are few at any time. */
  function plan(event: Event): void {
    let place = agenda.length;
    for (let before = agenda[place - 1]; before && before.at > event.at; before = agenda[place - 1]) place -= 1;
    agenda.splice(place, 0, event);
  }

  /** Waits for all work that takes no time. */
  async function settleWork(): Promise<void> {
    do await turn();
    while (atWork > 0);
  }

  function next(): boolean {
    const event = agenda.shift();
    if (!event) return false;
    now = Math.max(now, event.at);
    event.happen();
    return true;
  }

  const clock: VirtualClock = {
    now: () => now,
    after(ms, happen) {
      const event: Event = { at: now + Math.max(0, ms), order: (made += 1), happen };
      plan(event);
      return () => {
        const place = agenda.indexOf(event);
        if (place >= 0) agenda.splice(place, 1);
      };
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          cancel();
          reject(new TransportError('aborted'));
        };
        const cancel = clock.after(ms, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort);
      });
    },
    async during(work) {
      atWork += 1;
      try {
        return await work();
      } finally {
        atWork -= 1;
      }
    },
    async run(promise) {
      let settled = false;
      const settle = (): void => void (settled = true);
      promise.then(settle, settle);
      for (await settleWork(); !settled; await settleWork()) {
        if (!next()) throw new Error('No event is left, and the promise has not settled.');
      }
      return promise;
    },
    async runUntil(moment) {
      for (await settleWork(); agenda[0] && agenda[0].at <= moment; await settleWork()) next();
      now = Math.max(now, moment);
    },
  };
  return clock;
}

/**
 * Answers requests like `fetch`. A `TypeError` is a broken connection; a `TransportError` has a more precise reason.
 */
export type Answering = (request: Request) => Promise<Response>;

export interface VirtualHostOptions {
  /** Milliseconds of a round trip. Default 120. */
  readonly latencyMs?: () => number;
  readonly random?: () => number;
  /** Whether time passes while the service answers, because it sleeps on this clock itself. Default false. */
  readonly passing?: boolean;
}

/** A host on a virtual clock: half of the latency before the service works, half after. */
export function virtualHost(
  clock: VirtualClock,
  answering: Answering,
  { latencyMs = () => 120, random = seeded(1), passing = false }: VirtualHostOptions = {},
): Host {
  const during = passing ? async <T>(work: () => Promise<T>): Promise<T> => work() : clock.during;
  return {
    now: clock.now,
    monotonic: clock.now,
    sleep: clock.sleep,
    random,
    async send(request) {
      const sent = transmit({ sleep: clock.sleep, during }, answering, request, latencyMs());
      // After the timeout the host stops waiting; the service may still apply the request.
      const late = new Promise<never>((_, reject) => {
        const cancel = clock.after(request.timeoutMs, () => reject(new TransportError('timeout')));
        sent.then(cancel, cancel);
      });
      return Promise.race([sent, late]);
    },
  };
}

async function transmit(
  clock: Pick<VirtualClock, 'sleep' | 'during'>,
  answering: Answering,
  { method, url, headers, body }: HostRequest,
  latencyMs: number,
): Promise<HostAnswer> {
  await clock.sleep(latencyMs / 2);
  const answer = await clock.during(async () => {
    try {
      const response = await answering(new Request(url, { method, headers, ...(body !== undefined && { body }) }));
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
    } catch (error) {
      if (error instanceof TransportError) return error;
      if (error instanceof TypeError) return new TransportError('network', { code: 'ECONNRESET' });
      throw error;
    }
  });
  await clock.sleep(latencyMs / 2);
  if (answer instanceof TransportError) throw answer;
  return answer;
}
