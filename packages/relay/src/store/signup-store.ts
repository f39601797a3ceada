/**
 * The port behind which signups are kept until the newsletter API has them. Every adapter passes the same conformance
 * suite.
 */
import type { KeptSubmission } from '@newsletter-kit/core/signup';
import type { MoveProgress } from './move.ts';

/**
 * - `waiting` – to be delivered, now or at its next attempt.
 * - `review` – suspected to come from a robot; kept for a person to decide, not delivered.
 * - `delivered` – the API has it.
 * - `dead` – the API refused it for good; kept with the reason.
 */
export type SignupState = 'waiting' | 'review' | 'delivered' | 'dead';

/** A signup on its way in. */
export interface NewSignup {
  /** Name of the form it came through. */
  readonly form: string;
  readonly submission: KeptSubmission;
  /** True where a check suspects a robot; such a signup goes to review. */
  readonly suspected: boolean;
  /** Origin of the page, kept as evidence of where consent was given. */
  readonly origin: string | null;
  /** The sender's name for this one intent, if it gave one. */
  readonly idempotencyKey: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** What became of a signup on its way in. */
export interface Acceptance {
  readonly id: string;
  /** True where it was kept already, and `id` is that of the earlier one. */
  readonly repeated: boolean;
}

/** A signup taken out for delivery. */
export interface ClaimedSignup {
  readonly id: string;
  readonly form: string;
  readonly submission: KeptSubmission;
  readonly receivedAt: number;
  /** Attempts made before this one. */
  readonly attempts: number;
}

/** How one attempt to deliver ended. Reasons hold no address and no secret. */
export type Outcome =
  | { readonly state: 'delivered'; readonly at: number }
  | { readonly state: 'waiting'; readonly at: number; readonly nextAttemptAt: number; readonly reason: string }
  | { readonly state: 'dead'; readonly at: number; readonly reason: string };

/** Signups counted by state. */
export type SignupCounts = Readonly<Record<SignupState, number>>;

/** A signup as it is kept. */
export interface StoredSignup {
  /** A UUID of version 7: it sorts by the time of receipt. */
  readonly id: string;
  readonly form: string;
  readonly state: SignupState;
  /** What was sent; null once it is erased, {@link SignupStore.eraseDelivered}. */
  readonly submission: KeptSubmission | null;
  readonly origin: string | null;
  readonly receivedAt: number;
  /** Attempts to deliver it so far. */
  readonly attempts: number;
  /** Null unless it waits. */
  readonly nextAttemptAt: number | null;
  /** When it was delivered or refused for good; null before. */
  readonly settledAt: number | null;
  /** Why the last attempt failed; holds no address and no secret. */
  readonly reason: string | null;
}

/**
 * Which signups are meant: those for which every part that is given holds. An empty list of ids or states means none.
 */
export interface SignupFilter {
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly SignupState[] | undefined;
  readonly form?: string | undefined;
  /** Text within the reason, in any case of ASCII letters. */
  readonly reason?: string | undefined;
  /** Received at this moment or later. */
  readonly receivedFrom?: number | undefined;
  /** Received before this moment. */
  readonly receivedUntil?: number | undefined;
}

/** A page of a list. */
export interface Page {
  /** The last signup of the page before; the first page without. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** How things stand. */
export interface Overview {
  readonly counts: SignupCounts;
  /** Waiting signups whose time has come. */
  readonly due: number;
  /** When the signup that waits longest was received; null where none waits. */
  readonly oldestWaitingSince: number | null;
  /** Dead letters by reason, the most frequent first; at most {@link reasonsShown}. */
  readonly deadByReason: readonly { readonly reason: string; readonly count: number }[];
}

/** Reasons that an {@link Overview} names. */
export const reasonsShown = 20;

/** Two posts of one address and one content count as one within this time, in milliseconds. */
export const repeatWindowMs = 10 * 60_000;

/** A table of counters – `key`, `points`, `expire` – and a way to it. What it holds may be lost with a crash. */
export interface SharedCounters {
  readonly schema: string;
  readonly table: string;
  query(this: void, text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Moving everything to another store. */
export interface Moving {
  /**
   * Begins, goes on with a move that was begun, or joins the one under way.
   *
   * @param url - `postgres://…`; a secret
   */
  start(url: string): MoveProgress;
  /** Null where no move was begun. */
  progress(): MoveProgress | null;
}

/** Keeps signups. Every promise that writes resolves only once the change is on the disk. */
export interface SignupStore {
  /** Whether other processes may write to it too: then what is due has to be asked for. */
  readonly shared: boolean;
  /** Where those processes count together what comes in; a store of one process has none. */
  readonly counters?: SharedCounters | undefined;
  /**
   * Keeps a signup, unless it is kept already: the same idempotency key for the same address, or the same address and
   * content within {@link repeatWindowMs} (a dead one does not count, so that trying again means trying again). Takes
   * as long in either case, so that nobody learns from it whether an address was here before.
   *
   * @throws StoreUnavailableError where it could not be written; then nothing was kept
   */
  accept(signup: NewSignup): Promise<Acceptance>;
  /**
   * Takes out up to `limit` signups that are due, oldest due first. No other caller gets them until they are settled or
   * released.
   */
  claim(limit: number, now: number): Promise<readonly ClaimedSignup[]>;
  /** Writes down how an attempt ended for these, all or none of them, and gives the claims back. */
  settle(ids: readonly string[], outcome: Outcome): Promise<void>;
  /** Gives claims back as if they had not been taken. A claim whose process dies is given back too. */
  release(ids: readonly string[]): Promise<void>;
  /** How many signups are due, claimed ones aside as far as that is known; counted up to `most`. */
  backlog(most: number, now: number): Promise<number>;
  /** When the next unclaimed signup falls due, in milliseconds since the Unix epoch; null where none waits. */
  nextDueAt(now: number): Promise<number | null>;
  counts(): Promise<SignupCounts>;
  overview(now: number): Promise<Overview>;
  /** A page of the signups a filter means, newest first. `everySignup` walks all pages. */
  list(filter: SignupFilter, page: Page): Promise<readonly StoredSignup[]>;
  /**
   * Lets dead letters and signups in review that the filter means wait for delivery, as if they had just come in.
   *
   * @returns how many
   */
  redrive(filter: SignupFilter, now: number): Promise<number>;
  /**
   * Removes every signup of one person, whatever its state, from the file too as far as the store has a say in that.
   *
   * @param address - in any spelling that is the same person
   * @returns how many there were
   */
  erase(address: string): Promise<number>;
  /**
   * Erases what was sent – address, fields, attribution – of signups that were delivered before `before`. That they
   * came, when, and that they were delivered stays, and so do the counts.
   *
   * @returns how many
   */
  eraseDelivered(before: number): Promise<number>;
  /** Whether delivery is paused. */
  paused(): Promise<boolean>;
  /** Pauses or resumes delivery; outlives a restart, and holds for every relay on this store. */
  setPaused(paused: boolean): Promise<void>;
  /** Writes and syncs more than a signup would. @throws StoreUnavailableError where signups could not be kept either */
  probe(now: number): Promise<void>;
  /** Can be left for another store while it is in use; only where it is one file. */
  readonly moving?: Moving | undefined;
  /** Writes what is pending and lets go of the store. */
  close(): Promise<void>;
}

/** The store cannot write or read at present. What was acknowledged before is safe. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
