/**
 * Newsletter Kit core: the contract of the Newsletter Publishing API, v2, and a client that keeps to it.
 *
 * @packageDocumentation
 */
export { createClient, type Client, type ClientOptions, extraField } from './client.ts';
export * from './engine/index.ts';
export { attemptText, type LogLevel } from './environment.ts';
export { createFetchHost, type Fetch, type FetchInit, type FetchResponse } from './hosts/fetch.ts';
export type { Ky } from './hosts/ky.ts';
export type * from './resources.ts';
export type * from './schema/types.ts';
