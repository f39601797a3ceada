/** The port behind which signups are kept until the newsletter API has them. Every adapter passes the same conformance suite. */
import type { KeptSubmission } from '@newsletter-kit/core/signup';

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

/** Two posts of one address and one content count as one within this time, in milliseconds. */
export const repeatWindowMs = 10 * 60_000;

/** Keeps signups. Every promise that writes resolves only once the change is on the disk. */
export interface SignupStore {
  /**
   * Keeps a signup, unless it is kept already: the same idempotency key for the same address, or the same address and
   * content within {@link repeatWindowMs} (a dead one does not count, so that trying again means trying again).
   *
   * @throws StoreUnavailableError where it could not be written; then nothing was kept
   */
  accept(signup: NewSignup): Promise<Acceptance>;
  /** Takes out up to `limit` signups that are due, oldest due first. No other caller gets them until they are settled or released. */
  claim(limit: number, now: number): Promise<readonly ClaimedSignup[]>;
  /** Writes down how an attempt ended, and gives the claim back. */
  settle(id: string, outcome: Outcome): Promise<void>;
  /** Gives a claim back as if it had not been taken. A claim whose process dies is given back too. */
  release(id: string): Promise<void>;
  /** When the next unclaimed signup falls due, in milliseconds since the Unix epoch; null where none waits. */
  nextDueAt(): Promise<number | null>;
  counts(): Promise<SignupCounts>;
  /** Writes and syncs more than a signup would. @throws StoreUnavailableError where signups could not be kept either */
  probe(now: number): Promise<void>;
  /** Writes what is pending and lets go of the store. */
  close(): Promise<void>;
}

/** The store cannot write or read at present. What was acknowledged before is safe. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
