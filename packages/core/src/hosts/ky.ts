/** The host for Node, edge runtimes and browsers, on ky. The engine's policy repeats; ky itself never does. */
import ky, { isNetworkError } from 'ky';
import { TransportError, type Host, type HostRequest } from '../engine/host.ts';

/** Sends a `Request`, gives a `Response`: the platform's `fetch`, or one of your own (a proxy, a sandbox without a port). */
export type Fetch = (input: Request) => Promise<Response>;

/** A host over `fetch`; pass your own to leave out the network. */
export function createKyHost(options: { readonly fetch?: Fetch | undefined } = {}): Host {
  return {
    async send(request) {
      const attempt = startAttempt(request);
      // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests by far.
      const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
        options.fetch ? options.fetch(new Request(input, { ...init, signal: attempt.signal })) : fetch(input, { ...init, signal: attempt.signal });
      try {
        const response = await ky(request.url, {
          method: request.method,
          headers: request.headers,
          ...(request.body !== undefined && { body: request.body }),
          fetch: send,
          retry: 0,
          timeout: false, // the attempt's own covers the reading of the body, too
          throwHttpErrors: false,
        });
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      } catch (error) {
        if (request.signal?.aborted) throw new TransportError('aborted');
        if (attempt.late()) throw new TransportError('timeout');
        throw networkFailure(error);
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
    random: () => Math.random(),
  };
}

/** One attempt: its signal fires when the caller gives up or the time is over, and nothing of it outlives {@link Attempt.end}. */
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

/** Only what the platform's network layer throws counts as a failed attempt; a bug in a given `fetch` must surface as itself. */
function networkFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined && !isNetworkError(error) && !(error instanceof TypeError)) return error;
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
