/**
 * What every host over `fetch` has in common: one attempt with its end, timers, the clock, and what a failure means.
 */
import { TransportError, type Host, type HostRequest } from '../engine/host.ts';

/**
 * Sends a `Request`, gives a `Response`: the platform's `fetch`, or one of your own (a proxy, a sandbox without a
 * port).
 */
export type Fetch = (input: Request) => Promise<Response>;

/** Sends one request under the signal of its attempt. */
type Send = (request: HostRequest, signal: AbortSignal) => Promise<Response>;

/**
 * A host that sends so.
 *
 * @param isNetworkError - tells what the sender throws, besides what `fetch` does, where no answer came
 */
export function hostOver(send: Send, isNetworkError: (error: unknown) => boolean = () => false): Host {
  return {
    async send(request) {
      const attempt = startAttempt(request);
      try {
        const response = await send(request, attempt.signal);
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      } catch (error) {
        if (request.signal?.aborted) throw new TransportError('aborted');
        if (attempt.late()) throw new TransportError('timeout');
        throw networkFailure(error, isNetworkError);
      } finally {
        attempt.end();
      }
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          reject(new TransportError('aborted'));
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop);
          resolve();
        }, ms);
        if (signal?.aborted) stop();
        else signal?.addEventListener('abort', stop);
      });
    },
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
  };
}

/** The platform's `fetch`, or the given one, under this signal. */
export function fetchUnder(
  signal: AbortSignal,
  given: Fetch | undefined,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  return given ? given(new Request(input, { ...init, signal })) : fetch(input, { ...init, signal });
}

/**
 * One attempt: its signal fires when the caller gives up or the time is over, and nothing of it outlives
 * {@link Attempt.end}.
 */
interface Attempt {
  readonly signal: AbortSignal;
  /** Whether the time ran out. */
  late(): boolean;
  end(): void;
}

function startAttempt({ timeoutMs, signal }: HostRequest): Attempt {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMs);
  const stop = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop);
  return {
    signal: controller.signal,
    late: () => late,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    },
  };
}

/**
 * Only what the platform's network layer throws counts as a failed attempt; a bug in a given `fetch` must surface as
 * itself.
 */
function networkFailure(error: unknown, isNetworkError: (error: unknown) => boolean): unknown {
  const code = codeOf(error);
  // A TypeError is what the Fetch standard has it reject with.
  if (code === undefined && !(error instanceof TypeError) && !isNetworkError(error)) return error;
  return new TransportError('network', { code });
}

/** The system's code of the innermost cause that has one. */
function codeOf(error: unknown): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
    if (each instanceof AggregateError && each.errors[0] instanceof Error) return codeOf(each.errors[0]);
  }
  return undefined;
}
