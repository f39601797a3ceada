/** The host for Node, edge runtimes and browsers, on ky. The engine's policy repeats; ky itself never does. */
import ky, { isNetworkError, isTimeoutError } from 'ky';
import { TransportError, type Host, type HostRequest, type Signal } from '../engine/host.ts';

/** Sends a `Request`, gives a `Response`: the platform's `fetch`, or one of your own (a proxy, a sandbox without a port). */
export type Fetch = (input: Request) => Promise<Response>;

/** A host over `fetch`; pass your own to leave out the network. */
export function createKyHost(options: { readonly fetch?: Fetch | undefined } = {}): Host {
  const { fetch } = options;
  return {
    async send(request) {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      try {
        const response = await ky(request.url, {
          method: request.method,
          headers: request.headers,
          ...(request.body !== undefined && { body: request.body }),
          ...(fetch && { fetch: (input) => fetch(input instanceof Request ? input : new Request(input)) }),
          signal: AbortSignal.any([timeout, ...asAbortSignal(request)]),
          retry: 0,
          timeout: false, // the signal above also covers the reading of the body
          throwHttpErrors: false,
        });
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      } catch (error) {
        if (request.signal?.aborted) throw new TransportError('aborted');
        if (timeout.aborted || isTimeoutError(error)) throw new TransportError('timeout');
        throw networkFailure(error);
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

function asAbortSignal({ signal }: HostRequest): AbortSignal[] {
  if (!signal) return [];
  if (signal instanceof AbortSignal) return [signal];
  return [abortWith(signal)];
}

function abortWith(signal: Signal): AbortSignal {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
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
