/**
 * The port behind which signups are kept until the newsletter API has them. Every adapter passes the same conformance
 * suite.
 */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';

/**
 * ```text
 * unconfirmed ──▶ waiting ◀──▶ sent ──▶ delivered
 *      review ──────┘           └─────▶ dead
 * ```
 *
 * - `unconfirmed` – the person has not yet clicked the link in the confirmation mail; not delivered before.
 * - `review` – suspected to come from a robot; kept for a person to decide, not delivered.
 * - `waiting` – to be delivered, now or at its next attempt.
 * - `sent` – sent to the API, alone or in a batch; whether the API has it is not known yet.
 * - `delivered` – the API has it.
 * - `dead` – the API refused it for good; kept with the reason.
 */
export type SignupState = (typeof signupStates)[number];

/** Every {@link SignupState}. */
export const signupStates = ['unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead'] as const;

/** States from which {@link SignupStore.discard} deletes. */
export const discardableStates = ['unconfirmed', 'review', 'dead'] as const satisfies readonly SignupState[];

/** What proves that a person agreed. */
export interface Consent {
  /** The sentence the person agreed to; null where the form keeps no text, or for a click in a confirmation mail. */
  readonly sentence: string | null;
  /** The operator's name for the version of the sentence or of the privacy policy behind it. */
  readonly version: string | null;
  /** Address of the page, without query and fragment. */
  readonly page: string | null;
  /** The visitor's address as the relay is configured to keep it: shortened, hashed, or null. */
  readonly visitor: string | null;
}

/** A signup on its way in. */
export interface NewSignup {
  /** Name of the form it came through. */
  readonly form: string;
  readonly submission: KeptSubmission;
  /** True where a check suspects a robot; such a signup goes to review. */
  readonly suspected: boolean;
  /** True where the person must click a link in a confirmation mail before the signup is delivered. */
  readonly needsConfirmation: boolean;
  /** Origin of the page. */
  readonly origin: string | null;
  /** The sender's name for this one intent, if it gave one. */
  readonly idempotencyKey: string | null;
  /** Written into the ledger with the signup; null where the person was asked for no consent. */
  readonly consent: Consent | null;
  /** Trace context of the request, as a W3C `traceparent`; null without tracing. */
  readonly trace: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** A signup taken out for an attempt. */
export interface ClaimedSignup {
  readonly id: string;
  readonly form: string;
  readonly submission: KeptSubmission;
  readonly receivedAt: number;
  /** Attempts begun before this one. */
  readonly attempts: number;
  /** True where an earlier attempt may have reached the API: the caller looks there before it sends again. */
  readonly tried: boolean;
  /** True where the person clicked the link in a confirmation mail. */
  readonly confirmed: boolean;
  readonly trace: string | null;
}

/** Which signups {@link SignupStore.claim} takes. */
export interface Claim {
  /** Names of the forms; none of the others are touched. */
  readonly forms: readonly string[];
  readonly limit: number;
  readonly now: number;
  /**
   * Takes signups that were never attempted, for one bulk creation. They stay `sent` until the batch ends, also over a
   * restart. Several claims may add to one batch. Default: signups that are due, each for a call of its own.
   */
  readonly batch?: { readonly id: string; readonly publicationId: string } | undefined;
  /** `unconfirmed` takes signups whose confirmation mail is due; they keep their state. Default `waiting`. */
  readonly state?: 'waiting' | 'unconfirmed' | undefined;
}

/**
 * A claim without a batch lasts this long, in milliseconds: after that its process counts as gone, and the signup is
 * due again with `tried`. An attempt must end sooner.
 */
export const claimMs = 3 * 60_000;

/** How long a signup waits for an earlier one of the same person that is under way, in milliseconds. */
export const blockedMs = 5000;

/** Signups received within this time, in milliseconds, are claimed before the backlog: their visitors are waiting. */
export const freshMs = 10_000;

/** How one attempt ended. Reasons hold no address and no secret. */
export type Outcome =
  | { readonly state: 'delivered'; readonly at: number }
  | {
      readonly state: 'waiting';
      readonly at: number;
      readonly nextAttemptAt: number;
      readonly reason: string;
      /** True where the attempt may have reached the API. What an earlier attempt may have done stays true. */
      readonly tried: boolean;
    }
  /**
   * `nextAttemptAt`: when its confirmation mail is tried again; null where the mail is sent. Where the person has
   * confirmed already, nothing changes.
   */
  | {
      readonly state: 'unconfirmed';
      readonly at: number;
      readonly nextAttemptAt: number | null;
      readonly reason: string | null;
    }
  | { readonly state: 'dead'; readonly at: number; readonly reason: string };

/**
 * `nextAttemptAt` of a signup that is due whatever the clock says, and that a batch may take: it was never attempted,
 * or its batch was interrupted.
 */
export const neverAttempted = 0;

/** A batch that was sent, or is being sent, and of which some signups are not known to have arrived. */
export interface OpenBatch {
  readonly id: string;
  /** When it was claimed, in milliseconds since the Unix epoch. */
  readonly claimedAt: number;
  /** When the API had answered, or was given up on; null before, and where the process ended meanwhile. */
  readonly sentAt: number | null;
  /** Signups not known to have arrived. */
  readonly open: number;
}

/** The place of the one walk through a publication's newest subscriptions that confirms all its batches. */
export interface Walk {
  /** `created` of the newest subscription before the walk: it ends there. Seconds since the Unix epoch. */
  readonly until: number;
  /** `created` of the newest subscription the walk has seen: the next walk ends there; null before the first page. */
  readonly newest: number | null;
  /** Cursor of the next page; null for the first. */
  readonly cursor: string | null;
  /** When the first page was asked for, in milliseconds since the Unix epoch; null before. */
  readonly startedAt: number | null;
}

/** A signup that a walk has seen at the API. */
export type ConfirmedSignup = Pick<ClaimedSignup, 'id' | 'form' | 'receivedAt' | 'trace'>;

/** Signups counted by state. */
export type SignupCounts = Readonly<Record<SignupState, number>>;

/** A signup as it is kept; also a line of an export, from which another store takes it. */
export interface StoredSignup {
  /** A UUID of version 7: it sorts by the time of receipt. */
  readonly id: string;
  readonly form: string;
  readonly state: SignupState;
  /** What was sent; null once it is erased, {@link SignupStore.expire}. */
  readonly submission: KeptSubmission | null;
  readonly origin: string | null;
  /** Since when it may be delivered: when it came in, or was confirmed by its person. */
  readonly receivedAt: number;
  /** Attempts to deliver it so far. */
  readonly attempts: number;
  /** Whether an attempt may have reached the API without an answer. */
  readonly tried: boolean;
  /** Whether it is delivered only after a click in a confirmation mail. */
  readonly needsConfirmation: boolean;
  /** Null unless something is to be attempted. */
  readonly nextAttemptAt: number | null;
  /** When it was delivered or refused for good; null before. */
  readonly settledAt: number | null;
  /** Why the last attempt failed; holds no address and no secret. */
  readonly reason: string | null;
  /** The hash that names the sender's intent; see `fingerprint.ts`. */
  readonly intent: string | null;
  readonly trace: string | null;
}

/** An entry of the consent ledger, which is only ever added to, until its retention ends. */
export interface ConsentRecord extends Consent {
  /** Of the signup it came with. */
  readonly signup: string;
  /** `given`: with the form. `confirmed`: by the click in a confirmation mail. */
  readonly kind: 'given' | 'confirmed';
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly form: string;
  /** Hash of the address, by which the ledger is searched; the address itself is not in it. */
  readonly person: string;
}

/** Everything that is held about one person. */
export interface HeldAboutPerson {
  readonly signups: readonly StoredSignup[];
  readonly consents: readonly ConsentRecord[];
}

/**
 * Which signups are meant: those for which every part that is given holds. An empty list of ids or states means none.
 */
export interface SignupFilter {
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly SignupState[] | undefined;
  readonly form?: string | undefined;
  /** Address of a person, in any spelling. */
  readonly email?: string | undefined;
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

/** The backlog of one form. */
export interface FormBacklog {
  readonly form: string;
  /** Signups waiting or sent, and not known to be at the API. */
  readonly open: number;
  /** Since when the oldest of them may be delivered. */
  readonly oldestSince: number | null;
}

/** How things stand. */
export interface Overview {
  readonly counts: SignupCounts;
  /** Waiting signups whose time has come. */
  readonly due: number;
  /** Since when the oldest signup that is waiting or sent may be delivered; null where there is none. */
  readonly oldestWaitingSince: number | null;
  /** Forms with a backlog, by name. */
  readonly forms: readonly FormBacklog[];
  /** Dead letters by reason, the most frequent first; at most {@link reasonsShown}. */
  readonly deadByReason: readonly { readonly reason: string; readonly count: number }[];
}

/** Reasons that an {@link Overview} names. */
export const reasonsShown = 20;

/** Two posts of one address and one content count as one within this time, in milliseconds. */
export const repeatWindowMs = 10 * 60_000;

/** Moments in milliseconds since the Unix epoch; what is older goes. Null keeps it for ever. */
export interface Retention {
  /** Content of signups delivered before this moment is erased; that they came, and when, stays. */
  readonly delivered: number | null;
  /** Signups in review, received before this moment, are deleted. */
  readonly review: number | null;
  /** Dead letters, refused before this moment, are deleted. */
  readonly dead: number | null;
  /** Signups never confirmed, received before this moment, are deleted. */
  readonly unconfirmed: number | null;
  /** Entries of the consent ledger, made before this moment, are deleted. */
  readonly consent: number | null;
}

/** A table of counters – `key`, `points`, `expire` – and a way to it. What it holds may be lost with a crash. */
export interface SharedCounters {
  readonly schema: string;
  readonly table: string;
  query(this: void, text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Keeps signups. Every promise that writes resolves only once the change is on the disk. */
export interface SignupStore {
  /** Whether other processes may write to it too: then what is due has to be asked for. */
  readonly shared: boolean;
  /** The clock of the database, in milliseconds since the Unix epoch; a store in a file has none of its own. */
  readonly serverTime?: ((this: void) => Promise<number>) | undefined;
  /** Where those processes count together what comes in; a store of one process has none. */
  readonly counters?: SharedCounters | undefined;
  /**
   * Keeps a signup and its consent. Writes the same for every address, so that nobody learns from the time it takes
   * whether an address was here before; repeats are joined in {@link claim}.
   *
   * @returns its identifier
   * @throws StoreUnavailableError where it could not be written. It may be kept all the same, where a server wrote it
   *   and its answer was lost; sent again, it is joined like every repeat
   */
  accept(signup: NewSignup): Promise<string>;
  /**
   * Takes out signups and writes down that they are being sent, before the caller sends them. Order: received within
   * {@link freshMs}, then never attempted, then by next attempt; within that oldest first. A signup that repeats an
   * earlier one – the same intent, or the same content within {@link repeatWindowMs} of one that is not dead – is
   * deleted instead. A signup whose person has an earlier one under way is put off until that is settled.
   */
  claim(claim: Claim): Promise<readonly ClaimedSignup[]>;
  /** Writes down how the attempt for these ended, all or none of them. Signups erased meanwhile are passed over. */
  settle(ids: readonly string[], outcome: Outcome): Promise<void>;
  /** Gives claims back as if they had not been taken. */
  release(ids: readonly string[]): Promise<void>;
  /** How many signups of these forms were never attempted, counted up to `most`. */
  backlog(forms: readonly string[], most: number): Promise<number>;
  /** When the next signup of these forms falls due, in milliseconds since the Unix epoch; null where none does. */
  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed'): Promise<number | null>;
  /**
   * Makes due now what is put off beyond `now + longestMs`: the clock was set back since.
   *
   * @returns how many
   */
  pullForward(now: number, longestMs: number): Promise<number>;
  /** The batches of a publication that are open, oldest first. */
  openBatches(publicationId: string): Promise<readonly OpenBatch[]>;
  /** Writes down that the API has answered for a batch, or was given up on. */
  batchSent(id: string, at: number): Promise<void>;
  /** Ends a batch: what is left of it waits again, alone from now on. */
  endBatch(id: string, outcome: Extract<Outcome, { state: 'waiting' }>): Promise<void>;
  /**
   * Takes the walk of a publication for this process until `until`.
   *
   * @returns null where another process has it; `walk` is null where none was begun
   */
  holdWalk(publicationId: string, now: number, until: number): Promise<{ readonly walk: Walk | null } | null>;
  /** Lets other processes take the walk of a publication that this one holds. */
  releaseWalk(publicationId: string): Promise<void>;
  /**
   * Writes down a step of the walk: the signups in batches of this publication whose address was seen are delivered,
   * and the walk goes on at `walk`.
   *
   * @param emails - in any spelling
   */
  confirm(
    publicationId: string,
    emails: readonly string[],
    at: number,
    walk: Walk,
  ): Promise<readonly ConfirmedSignup[]>;
  /**
   * The click in a confirmation mail: an unconfirmed signup waits for delivery as one received now, and the ledger gets
   * an entry. Once more changes nothing.
   *
   * @returns false where there is no such signup
   */
  confirmPerson(id: string, at: number, consent: Consent): Promise<boolean>;
  counts(): Promise<SignupCounts>;
  overview(now: number): Promise<Overview>;
  /** A page of the signups a filter means, newest first. `everySignup` walks all pages. */
  list(filter: SignupFilter, page: Page): Promise<readonly StoredSignup[]>;
  /**
   * A page of the consent ledger, in the order of signups, for export. The limit counts signups: each may have two
   * entries, which stay together.
   */
  listConsents(page: Page): Promise<readonly ConsentRecord[]>;
  /** Everything held about a person. @param address - in any spelling */
  person(address: string): Promise<HeldAboutPerson>;
  /**
   * Lets dead letters and signups in review that the filter means wait for delivery, as if they had just come in; those
   * that nobody has confirmed who had to wait for that.
   *
   * @returns how many
   */
  redrive(filter: SignupFilter, now: number): Promise<number>;
  /** Deletes dead letters, signups in review and unconfirmed ones that the filter means. @returns how many */
  discard(filter: SignupFilter): Promise<number>;
  /**
   * Deletes every signup of one person, whatever its state, and their entries in the consent ledger unless
   * `keepConsent`; from the file too as far as the store has a say in that.
   *
   * @param address - in any spelling that is the same person
   * @returns how many there were
   */
  erase(
    address: string,
    options?: { readonly keepConsent?: boolean | undefined },
  ): Promise<{ readonly signups: number; readonly consents: number }>;
  /**
   * Erases what is older than its retention, and joins repeats in review.
   *
   * @returns how many signups and entries
   */
  expire(retention: Retention): Promise<number>;
  /**
   * Takes over signups and consents of an export; what is here already stays as it is. What was `sent` waits, with
   * `tried`.
   *
   * @returns how many signups were new
   */
  load(signups: readonly StoredSignup[], consents: readonly ConsentRecord[]): Promise<number>;
  /** Whether delivery is paused. */
  paused(): Promise<boolean>;
  /** Pauses or resumes delivery; outlives a restart, and holds for every relay on this store. */
  setPaused(paused: boolean): Promise<void>;
  /** Writes and syncs more than a signup would. @throws StoreUnavailableError where signups could not be kept either */
  probe(now: number): Promise<void>;
  /** Writes what is pending and lets go of the store. */
  close(): Promise<void>;
}

/** The store cannot write or read at present. What was acknowledged before is safe. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
