/** The types of the world that rules read and write: store, clock, ids and event feed. `open-world.ts` opens one. */
import type { ErrorDetail } from '@newsletter-kit/core/schema';
import type { Assumed } from '../control/assumption-table.ts';
import type { Store } from '../store/store.ts';
import type { WorldClock } from './clock.ts';
import type { Feed } from './event-feed.ts';
import type { Ids } from './ids.ts';

/**
 * A subscription came to be or changed, or an e-mail came to the inbox; `seq` finds it in the store. Reset: everything
 * was replaced.
 */
export type WorldEvent =
  | { readonly type: 'subscription'; readonly change: 'created' | 'updated'; readonly seq: number }
  | { readonly type: 'message'; readonly seq: number }
  | { readonly type: 'reset' };

/** Notes a change, to be published once the transaction is committed. */
export type Note = (event: WorldEvent) => void;

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
  write<T>(work: (note: Note) => T): T;
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
