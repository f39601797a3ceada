/** The host of `createClient`: ky sends each attempt; the engine alone decides about retries. */
import type { KyInstance } from 'ky';
import { TransportError, type Host, type HostAnswer, type HostRequest, type Signal } from '../engine/index.ts';
import {
  createFetchHost,
  exchange,
  hostOver,
  initOf,
  networkFailure,
  proxyFor,
  type Fetch,
  type FetchResponse,
} from './fetch.ts';

let ky: Promise<KyInstance> | undefined;

/** Importing ky takes more CPU time than the rest of the client: it loads while the first requests are prepared. */
function loadKy(): Promise<KyInstance> {
  return (ky ??= import('ky').then((module) => module.default));
}

/** Options of {@link createKyHost}. */
export interface KyHostOptions {
  /**
   * An instance of your own, for hooks that log, trace or sign. Its `retry`, `timeout`, `throwHttpErrors` and `fetch`
   * are replaced. Default: ky as it comes.
   */
  readonly ky?: KyInstance | undefined;
  /** Used in place of the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/**
 * The host that {@link createClient} uses: over ky; over the `fetch` alone where one is given without an instance.
 *
 * @example
 * ```ts
 * const beforeRequest = [({ request }) => request.headers.set('traceparent', currentTrace())];
 * const client = createClient({ ...options, ky: ky.create({ hooks: { beforeRequest } }) });
 * ```
 */
export function createKyHost({ ky: own, fetch: customFetch }: KyHostOptions = {}): Host {
  if (own) return hostOver((request, signal) => sendByInstance(own, request, signal, customFetch), !customFetch);
  if (customFetch) return createFetchHost({ fetch: customFetch });
  void loadKy().catch(() => {}); // the first request rejects with the reason
  return { ...createFetchHost(), send: sendByKy };
}

/** Longest timeout that ky takes, in milliseconds. */
const longestTimeout = 2 ** 31 - 1;

/** ky carries the request, and ends it at its timeout and the caller's signal, also while the body is read. */
async function sendByKy(request: HostRequest): Promise<HostAnswer> {
  const { url, timeoutMs, signal } = request;
  const timeout = Math.min(Math.max(timeoutMs, 0), longestTimeout);
  const instance = await loadKy();
  try {
    const sent = instance(url, {
      ...initOf(request),
      ...(signal && { signal: platformSignal(signal) }),
      retry: 0,
      timeout,
      totalTimeout: timeout,
      throwHttpErrors: false,
    });
    const response = await sent;
    if (response.type === 'opaqueredirect') throw new TransportError('network', { code: 'ERR_REDIRECTED' });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await sent.text() };
  } catch (error) {
    if (signal?.aborted) throw new TransportError('aborted', { cause: signal.reason });
    if (error instanceof TransportError) throw error;
    throw error instanceof Error && error.name === 'TimeoutError'
      ? new TransportError('timeout', { proxy: proxyFor(url) })
      : networkFailure(platformError(error), request, true);
  }
}

/** What `fetch` rejected with: ky's own error holds the request, with its key and address. */
const platformError = (error: unknown): unknown =>
  error instanceof Error && error.name === 'NetworkError' && error.cause instanceof Error ? error.cause : error;

/** A signal of another implementation as one of the platform's. */
function platformSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
}

/** Sends by an instance of the caller, whose hooks read and change the request. */
function sendByInstance(
  instance: KyInstance,
  request: HostRequest,
  signal: AbortSignal,
  customFetch: Fetch | undefined,
): Promise<FetchResponse> {
  const { url, method, headers, body } = request;
  return instance(url, {
    method,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests
    // by far.
    fetch: async (input) => toResponse(await exchange(await requestOf(input, request), signal, customFetch)),
    retry: 0,
    timeout: false, // the attempt's own covers the reading of the body, too
    throwHttpErrors: false,
  });
}

/** The request as the hooks left it, in plain values: another implementation of `fetch` takes no foreign `Request`. */
async function requestOf(input: unknown, sent: HostRequest): Promise<HostRequest> {
  if (!(input instanceof Request)) return sent;
  const { url, method, headers, body } = input;
  const { body: _, ...rest } = sent;
  return {
    ...rest,
    url,
    method,
    headers: Object.fromEntries(headers),
    ...(body !== null && { body: await input.text() }),
  };
}

/** The platform's own Response: hooks clone it and cancel its body, which that of node-fetch cannot do. */
async function toResponse(answer: FetchResponse): Promise<Response> {
  if (answer instanceof Response) return answer;
  const text = await answer.text();
  return new Response(text === '' ? null : text, { status: answer.status, headers: [...answer.headers] });
}
