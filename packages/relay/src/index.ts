/**
 * The relay as parts, for a server of your own: open a store, make a relay, give its `fetch` to whatever serves.
 *
 * @packageDocumentation
 */
export type { Check, Visit } from './admission/checks.ts';
export type { Form, PinnedFields } from './admission/form.ts';
export type { Refused, RefusalStatus } from '@newsletter-kit/core/signup';
export { createRelay, type Relay, type RelayOptions } from './app.ts';
export { readConfig, settings, type RelayConfig, type Setting } from './config.ts';
export { createLog, type Log, type LogOptions } from './ops/log.ts';
export { StartupError } from './startup-error.ts';
export { openStore, type OpenStoreOptions, type StoreAddress } from './store/open-store.ts';
export { everySignup } from './store/every-signup.ts';
export * from './store/signup-store.ts';
