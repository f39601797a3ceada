/**
 * The host for those who have ky: with their instance come its hooks. The engine's policy repeats; ky itself never
 * does.
 */
import ky, { isNetworkError, type KyInstance } from 'ky';
import type { Host } from '../engine/host.ts';
import { fetchUnder, hostOver, type Fetch } from './over-fetch.ts';

/** Options of {@link createKyHost}. */
export interface KyHostOptions {
  /**
   * An instance of your own, for the hooks that log, trace or sign. Its retries and timeouts are not used. Default: ky
   * as it comes.
   */
  readonly ky?: KyInstance | undefined;
  /** Used in place of the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/**
 * A host over ky.
 *
 * @example
 * ```ts
 * const beforeRequest = [({ request }) => request.headers.set('traceparent', currentTrace())];
 * const traced = ky.create({ hooks: { beforeRequest } });
 * const client = createClient({ ...options, host: createKyHost({ ky: traced }) });
 * ```
 */
export function createKyHost(options: KyHostOptions = {}): Host {
  const send = options.ky ?? ky;
  return hostOver(
    ({ url, method, headers, body }, signal) =>
      send(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        // ky would combine a signal of ours with its own; thousands of combined signals a second outlive their requests
        // by far.
        fetch: (input, init) => fetchUnder(signal, options.fetch, input, init),
        retry: 0,
        timeout: false, // the attempt's own covers the reading of the body, too
        throwHttpErrors: false,
      }),
    isNetworkError,
  );
}
