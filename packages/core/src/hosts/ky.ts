/** The host over an instance of ky: its hooks see each attempt; the engine alone decides about retries and timeouts. */
import type { KyInstance } from 'ky';
import type { Host, HostRequest } from '../engine/index.ts';
import { createFetchHost, exchange, hostOver, type Fetch, type FetchResponse } from './fetch.ts';

/** Options of {@link createKyHost}. */
export interface KyHostOptions {
  /**
   * An instance of your own, for hooks that log, trace or sign. Its `retry`, `timeout`, `throwHttpErrors` and `fetch`
   * are replaced. Default: none, and the `fetch` alone sends.
   */
  readonly ky?: KyInstance | undefined;
  /** Used in place of the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/**
 * The host that {@link createClient} uses: over the instance of ky where one is given, else over `fetch` alone. Without
 * hooks, ky would double the cost of a request, and hold three times the memory under one signal of a caller.
 *
 * @example
 * ```ts
 * const beforeRequest = [({ request }) => request.headers.set('traceparent', currentTrace())];
 * const client = createClient({ ...options, ky: ky.create({ hooks: { beforeRequest } }) });
 * ```
 */
export function createKyHost({ ky, fetch }: KyHostOptions = {}): Host {
  return ky
    ? hostOver((request, signal) => sendByInstance(ky, request, signal, fetch), fetch === undefined)
    : createFetchHost({ fetch });
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
