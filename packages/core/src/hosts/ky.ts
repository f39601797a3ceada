/** The host for Node, edge runtimes and browsers, on ky. The engine's policy repeats; ky itself never does. */
import ky, { isNetworkError } from 'ky';
import type { Host } from '../engine/host.ts';
import { fetchUnder, hostOver, type Fetch } from './over-fetch.ts';

/** A host over ky; pass a `fetch` of your own to leave out the network. */
export function createKyHost(options: { readonly fetch?: Fetch | undefined } = {}): Host {
  return hostOver(
    ({ url, method, headers, body }, signal) =>
      ky(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests by far.
        fetch: (input, init) => fetchUnder(signal, options.fetch, input, init),
        retry: 0,
        timeout: false, // the attempt's own covers the reading of the body, too
        throwHttpErrors: false,
      }),
    isNetworkError,
  );
}
