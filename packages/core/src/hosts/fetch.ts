/** The host over `fetch`: sends one attempt with its timeout, and turns network failures into TransportErrors. */
import isNetworkError from 'is-network-error';
import { TransportError, type Host, type HostRequest } from '../engine/index.ts';
import { withoutSecrets } from '../engine/redact.ts';
import { userAgent } from './user-agent.ts';

/** Options of a request as plain values, so that any implementation of `fetch` takes them. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Redirects are not followed: they would send the key to an address that is not configured. */
  readonly redirect: 'manual';
}

/** The part of a `Response` that is read. */
export interface FetchResponse {
  readonly status: number;
  readonly type?: string;
  readonly headers: Iterable<[string, string]>;
  text(): Promise<string>;
}

/**
 * Sends one request: the platform's `fetch`, that of undici or node-fetch, or one of your own (a proxy, a sandbox in
 * process). It is called with an absolute address and plain options, never with a `Request`.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Sends one request of the engine under the signal of its attempt. */
export type SendRequest = (request: HostRequest, signal: AbortSignal) => PromiseLike<FetchResponse>;

/** A host over `fetch` and nothing else; pass one of your own to send by other means than the platform's. */
export function createFetchHost({ fetch }: { readonly fetch?: Fetch | undefined } = {}): Host {
  return hostOver(exchangeBy(fetch), fetch === undefined);
}

/**
 * Builds a host on a function that sends.
 *
 * @param isPlatform - whether the platform's own `fetch` is called: all it rejects with is a failure of the network
 */
export function hostOver(send: SendRequest, isPlatform: boolean): Host {
  return {
    async send(request) {
      const { signal, timeoutMs } = request;
      // The signal of the attempt: aborted when the caller aborts or the time is over.
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      const stop = (): void => controller.abort(signal?.reason);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop);
      try {
        const response = await send(request, controller.signal);
        if (response.type === 'opaqueredirect') throw new TransportError('network', { code: 'ERR_REDIRECTED' });
        const body = await response.text().catch((error: unknown) => {
          throw networkFailure(error, request, isPlatform);
        });
        return { status: response.status, headers: Object.fromEntries(response.headers), body };
      } catch (cause) {
        if (signal?.aborted) throw new TransportError('aborted', { cause: signal.reason });
        throw controller.signal.aborted
          ? new TransportError('timeout', { proxy: isPlatform ? proxyFor(request.url) : undefined })
          : cause;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
      }
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          reject(new TransportError('aborted', { cause: signal?.reason }));
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

/**
 * Sends by the platform's `fetch` or a custom one.
 *
 * @throws TransportError where the network failed; any other error of a custom `fetch` is a bug and thrown unchanged
 */
export function exchangeBy(customFetch: Fetch | undefined): SendRequest {
  return async (request, signal) => {
    const { url, method, headers, body } = request;
    const init: FetchInit = {
      method,
      headers: { ...(userAgent && { 'user-agent': userAgent }), ...headers },
      ...(body !== undefined && { body }),
      signal,
      redirect: 'manual',
    };
    try {
      return await (customFetch ? customFetch(url, init) : fetch(url, init));
    } catch (error) {
      throw networkFailure(error, request, customFetch === undefined);
    }
  };
}

/** Turns a network failure into a TransportError; returns any other error unchanged. */
function networkFailure(error: unknown, { url, headers }: HostRequest, isPlatform: boolean): unknown {
  const causes = causesOf(error);
  // The system's code of the innermost cause that has one.
  const code = causes
    .map((each) => ('code' in each ? each.code : undefined))
    .findLast((each) => typeof each === 'string');
  if (!isPlatform && !isNetworkError(error) && (code === undefined || !networkCodes.test(code))) return error;
  const secret = headers['authorization']?.replace(/^Bearer /, '');
  const cause = withoutSecrets(error, secret === undefined ? [] : [secret]);
  return new TransportError('network', {
    code: addressErrorCode(url, causes) ?? proxyErrorCode(causes) ?? code,
    // The connection ended before the request; Node gives only a message.
    notSent:
      causes.some(({ message }) => message.includes('before secure TLS connection was established')) || undefined,
    cause,
    proxy: isPlatform ? proxyFor(url) : undefined,
  });
}

/** An error, its cause, the cause of that and so on; of several at once the first. */
function causesOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  return [error, ...causesOf(error instanceof AggregateError ? error.errors[0] : error.cause)];
}

/** Codes of the system, undici, its HTTP parser and TLS; not those of a wrong call, such as ERR_INVALID_ARG_TYPE. */
const networkCodes =
  /^(E(?!RR_)[A-Z_]+|UND_ERR_(?!INVALID|NOT_SUPPORTED)\w+|HPE_\w+|ERR_(SSL|TLS|STREAM)_\w+|\w*CERT\w*)$/;

/** The code for an address that no request can be sent to; platforms give only a message. */
function addressErrorCode(url: string, [, cause]: readonly Error[]): string | undefined {
  if (!URL.canParse(url)) return 'ERR_INVALID_URL';
  if (!/^https?:/i.test(url)) return 'ERR_UNSUPPORTED_PROTOCOL';
  return cause?.message === 'bad port' ? 'ERR_UNSAFE_PORT' : undefined;
}

/** The code for a proxy that refused to connect to the service; undici, and so Node, gives only a message. */
function proxyErrorCode(causes: readonly Error[]): string | undefined {
  const refusal = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;
  const status = causes.map(({ message }) => refusal.exec(message)?.[1]).find((each) => each !== undefined);
  return status && `ERR_PROXY_${status}`;
}

/** Host and port of the proxy that the environment names for an address, as Node's `fetch` chooses it. */
function proxyFor(address: string): string | undefined {
  const { env, versions } = globalThis.process ?? {};
  // Deno would ask for the permission to read them.
  if (!env || versions?.['deno'] || !URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const valueOf = (name: string): string | undefined => env[name] ?? env[name.toUpperCase()];
  const direct = (valueOf('no_proxy') ?? '').split(/[,\s]+/).some((entry) => {
    const name = entry.replace(/^\*?\./, '');
    return entry === '*' || [hostname, `${hostname}:${port}`].some((each) => `.${each}`.endsWith(`.${name}`));
  });
  const proxy = (protocol === 'https:' && valueOf('https_proxy')) || valueOf('http_proxy');
  return !direct && proxy && URL.canParse(proxy) ? new URL(proxy).host : undefined;
}
