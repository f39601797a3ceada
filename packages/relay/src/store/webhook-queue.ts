/** The queue of webhook messages: one row for each event and destination, kept until the destination has it. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { WebhookType } from '../config/webhook-type.ts';

/** What a destination receives. */
export interface WebhookSubscription {
  /** Name of the destination. */
  readonly name: string;
  readonly types: readonly WebhookType[];
}

/** A message claimed for an attempt. */
export interface WebhookMessage {
  /** Its place in the order of all messages. */
  readonly seq: number;
  /** The same for every attempt; a receiver recognises repeated messages by it. */
  readonly id: string;
  readonly type: WebhookType;
  /** Id of the signup. */
  readonly signup: string;
  readonly form: string;
  /** When it happened, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Why the signup was refused; contains no address and no secret. */
  readonly reason: string | null;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** What the visitor sent; null once erased. */
  readonly submission: KeptSubmission | null;
  /** When the signup was received; null once it is deleted. */
  readonly receivedAt: number | null;
  /** Status of the subscription, the word of the API; null where it is unknown. */
  readonly status: string | null;
}

/** Outcome of an attempt. Reasons contain no address and no secret. */
export type WebhookOutcome =
  | { readonly state: 'delivered' }
  | { readonly state: 'waiting'; readonly nextAttemptAt: number; readonly reason: string }
  | { readonly state: 'dead'; readonly reason: string };

/** The queue of one destination. */
export interface WebhookBacklog {
  readonly destination: string;
  /** Number of messages that wait. */
  readonly waiting: number;
  /** Since when the oldest of them waits, in milliseconds since the Unix epoch; null without one. */
  readonly oldestSince: number | null;
  /** Number of dead letters: messages given up, kept for `redrive`. */
  readonly dead: number;
  /** Why nothing is sent until an operator resumes it; null while messages are sent. */
  readonly held: string | null;
  /** Why the last failed attempt failed; null without a failed message. */
  readonly reason: string | null;
}

/**
 * Duration of a claim, in milliseconds. After that its process counts as dead, and the message is due again. An attempt
 * must end sooner.
 */
export const webhookClaimMs = 60_000;

/** Stores messages. The promise of every write resolves only after the change is synced to disk. */
export interface WebhookQueue {
  /**
   * Makes these the destinations. A new one receives what happens from now on; messages for one that is missing are
   * deleted.
   *
   * @returns number of messages deleted, and the names of the destinations that are held
   */
  setDestinations(
    destinations: readonly WebhookSubscription[],
  ): Promise<{ readonly deleted: number; readonly held: readonly string[] }>;
  /**
   * Claims due messages for a destination that is not held. The order of the messages of a signup is kept: a message is
   * not due while an earlier one of the same signup waits.
   */
  claim(destination: string, limit: number, now: number): Promise<readonly WebhookMessage[]>;
  /** Stores the outcome of an attempt; a delivered message is deleted. */
  settle(seq: number, outcome: WebhookOutcome): Promise<void>;
  /** When the next message is due, in milliseconds since the Unix epoch; null if none is or the destination is held. */
  nextDueAt(destination: string): Promise<number | null>;
  /** Makes messages due now that wait beyond `now + longestMs`, because the clock was set back. */
  pullForward(destination: string, now: number, longestMs: number): Promise<void>;
  /** Holds a destination: nothing is claimed for it until an operator resumes it. */
  hold(destination: string, reason: string): Promise<void>;
  /** Ends a hold, and makes due now what waits. @returns false if there is no such destination */
  resume(destination: string, now: number): Promise<boolean>;
  /** Makes the dead letters of a destination due again. @returns how many */
  redrive(destination: string): Promise<number>;
  /** How often an operator has resumed or redriven the destination: any relay on the store ends its pause then. */
  resumes(destination: string): Promise<number>;
  /** The destinations, by name. */
  overview(): Promise<readonly WebhookBacklog[]>;
}
