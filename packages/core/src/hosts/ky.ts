/** The host over an instance of ky: its hooks see each attempt; the engine alone decides about retries and timeouts. */
import type { Host, HostRequest } from '../engine/index.ts';
import { exchangeBy, hostOver, type Fetch, type FetchResponse } from './fetch.ts';

/** An instance of ky, of whatever version: this package itself does without it. */
export type Ky = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly fetch: (input: unknown) => Promise<Response>;
    readonly retry: 0;
    readonly timeout: false;
    readonly throwHttpErrors: false;
  },
) => PromiseLike<Response>;

/**
 * The host of a client with an instance of ky; others send by `fetch` alone. Without hooks, ky would double the cost of
 * a request, and hold three times the memory under one signal of a caller.
 *
 * @param fetch - in place of the platform's
 */
export function createKyHost(ky: Ky, fetch?: Fetch): Host {
  const exchange = exchangeBy(fetch);
  return hostOver(({ url, method, headers, body, ...rest }, signal) => {
    const send = async (input: unknown): Promise<Response> =>
      toResponse(await exchange(await requestOf(input, { url, method, headers, ...rest }), signal));
    return ky(url, {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
      // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests
      // by far.
      fetch: send,
      retry: 0,
      timeout: false, // the attempt's own covers the reading of the body, too
      throwHttpErrors: false,
    });
  }, fetch === undefined);
}

/** The request as the hooks left it, in plain values: another implementation of `fetch` takes no foreign `Request`. */
async function requestOf(input: unknown, sent: HostRequest): Promise<HostRequest> {
  if (!(input instanceof Request)) return sent;
  const { url, method, headers, body } = input;
  return {
    ...sent,
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
