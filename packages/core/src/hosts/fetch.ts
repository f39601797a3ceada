/** The host where every kilobyte counts: `fetch` and nothing else. Does what the one on ky does, 9 kB lighter. */
import type { Host } from '../engine/host.ts';
import { fetchUnder, hostOver, type Fetch } from './over-fetch.ts';

/** A host over bare `fetch`, for pages and edge functions; pass a `fetch` of your own to leave out the network. */
export function createFetchHost(options: { readonly fetch?: Fetch | undefined } = {}): Host {
  return hostOver(({ url, method, headers, body }, signal) =>
    fetchUnder(signal, options.fetch, url, { method, headers, ...(body !== undefined && { body }) }),
  );
}
