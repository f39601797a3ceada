/** The host for Node, edge runtimes and browsers: `fetch` and nothing else. */
import type { Host } from '../engine/host.ts';
import { fetchUnder, hostOver, type Fetch } from './over-fetch.ts';

/** A host over `fetch`; pass one of your own – a proxy, a sandbox – to leave out the network. */
export function createFetchHost(options: { readonly fetch?: Fetch | undefined } = {}): Host {
  return hostOver(({ url, method, headers, body }, signal) =>
    fetchUnder(signal, options.fetch, url, { method, headers, ...(body !== undefined && { body }) }),
  );
}
