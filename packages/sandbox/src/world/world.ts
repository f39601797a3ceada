/**
 * The world: the sandbox's whole state – store, clock, ids and event feed – as the rules read and write it. Contains
 * its types and the event feed; `open-world.ts` opens one.
 */
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import type { Assumed } from '../gaps.ts';
import type { Store } from '../store/store.ts';
import type { WorldClock } from './clock.ts';
import type { Ids } from './ids.ts';

/**
 * A subscription was created or changed, or an e-mail arrived in the inbox; `seq` finds it in the store. Reset:
 * everything was replaced.
 */
export type WorldEvent =
  | { readonly type: 'subscription'; readonly change: 'created' | 'updated'; readonly seq: number }
  | { readonly type: 'message'; readonly seq: number }
  | { readonly type: 'reset' };

/** Notes a change, to be published once the transaction is committed. */
export type Emit = (event: WorldEvent) => void;

export interface World {
  readonly store: Store;
  readonly clock: WorldClock;
  readonly ids: Ids;
  readonly feed: Feed<WorldEvent>;
  /** The value of an assumption that decides about the work itself, not only about its answer. */
  readonly assumed: Assumed;
  /**
   * Runs `work` in one transaction, with the e-mails that follow from it, and publishes what it noted after the commit.
   */
  write<T>(work: (emit: Emit) => T): T;
  /**
   * Runs every due event, oldest first, each in its own transaction and with the clock at its due time, including due
   * events that they schedule. Returns how many of each kind ran.
   */
  settle(): Readonly<Record<string, number>>;
}

/** A well-formed request that breaks a rule, or names something that does not exist. The API answers it with 400. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: readonly ErrorDetail[];

  constructor(...details: readonly ErrorDetail[]) {
    super(details.map((detail) => detail.message).join(' '));
    this.details = details;
  }
}

export interface Feed<Event> {
  /** Calls `listener` with every event from now on; the returned function unsubscribes. */
  subscribe(listener: (event: Event) => void): () => void;
  publish(event: Event): void;
  /** Whether there is a subscriber; avoids describing events when there is none. */
  readonly listening: boolean;
}

/** Publishes events to subscribers, in order. */
export function createFeed<Event>(): Feed<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    subscribe(listener) {
      // A wrapper, so that a function that subscribes twice is called twice, and each subscription ends by itself.
      const own = (event: Event): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    publish(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          // As with DOM events: the error of a listener is reported by itself, not in the request being answered.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
    get listening() {
      return listeners.size > 0;
    },
  };
}
