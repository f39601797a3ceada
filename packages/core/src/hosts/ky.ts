/** The host of `createClient`: ky sends each attempt; the engine alone decides about retries and timeouts. */
import type { KyInstance } from 'ky';
import type { Host, HostRequest } from '../engine/index.ts';
import { exchange, hostOver, type Fetch, type FetchResponse } from './fetch.ts';

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
 * A host over ky, the one that {@link createClient} uses.
 *
 * @example
 * ```ts
 * const beforeRequest = [({ request }) => request.headers.set('traceparent', currentTrace())];
 * const client = createClient({ ...options, ky: ky.create({ hooks: { beforeRequest } }) });
 * ```
 */
export function createKyHost({ ky: own, fetch: customFetch }: KyHostOptions = {}): Host {
  let instance = own;
  if (!own) void loadKy().catch(() => {}); // the first request rejects with the reason
  return hostOver(async (request, signal) => {
    const { url, method, headers, body } = request;
    instance ??= await loadKy();
    return instance(url, {
      method,
      // Without an instance of the caller there are no hooks that read ky's Request, so it is made without headers and
      // body.
      ...(own && { headers: { ...headers }, ...(body !== undefined && { body }) }),
      // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests
      // by far.
      fetch: async (input) =>
        own
          ? toResponse(await exchange(await requestOf(input, request), signal, customFetch))
          : ((await exchange(request, signal, customFetch)) as Response), // passed through unread
      retry: 0,
      timeout: false, // the attempt's own covers the reading of the body, too
      throwHttpErrors: false,
    });
  }, customFetch === undefined);
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
