/** What every part of a relay shares. */
import { type RelayConfig, secretsOf } from './config/settings.ts';
import { type EventListener, Events } from './events.ts';
import { diskSpaceOf, StoreHealth } from './health.ts';
import { CallBudget } from './call-budget.ts';
import type { Log } from './log.ts';
import type { SignupStore } from './store/signup-store.ts';

/** Bindings of each request: the address of its connection. */
export interface RequestEnvironment {
  readonly Bindings: { peer: string | null };
}

/** The settings that a relay reads. */
export type RelaySettings = Pick<
  RelayConfig,
  'api' | 'store' | 'operator' | 'secret' | 'forms' | 'webhooks' | 'defence' | 'delivery' | 'mail' | 'trustedProxies'
>;

export interface RelayContext {
  readonly config: RelaySettings;
  readonly store: SignupStore;
  readonly health: StoreHealth;
  readonly log: Log;
  readonly events: Events;
  /** The calls that a delivery on demand may still make; without end while deliveries run all the time. */
  readonly calls: CallBudget;
  /** Removed from every reason and from the log. */
  readonly secrets: readonly string[];
  /** Aborts once the relay shuts down. */
  readonly stopping: AbortSignal;
  readonly now: () => number;
  /** Random number from 0 to 1, for jitter. */
  readonly random: () => number;
}

/** Options of {@link createContext}. */
export interface ContextOptions extends Pick<RelayContext, 'config' | 'store' | 'log'> {
  /** Receives every event. Default: none. */
  readonly onEvent?: EventListener | undefined;
  /** Default: `Date.now` and `Math.random`. */
  readonly timing?:
    | { readonly now?: (() => number) | undefined; readonly random?: (() => number) | undefined }
    | undefined;
}

export function createContext(
  { config, store, log, onEvent, timing: { now = Date.now, random = Math.random } = {} }: ContextOptions,
  stopping: AbortSignal,
): RelayContext {
  const events = new Events(onEvent);
  const health = new StoreHealth({ store, disk: diskSpaceOf(config.store), log, onEvent: events.emit, now });
  const calls = new CallBudget();
  return { config, store, health, log, events, calls, secrets: secretsOf(config), stopping, now, random };
}
