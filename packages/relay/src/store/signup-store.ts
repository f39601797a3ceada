/**
 * The store interface: keeps signups until the newsletter API has them. The SQLite and the PostgreSQL store pass the
 * same conformance suite.
 */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { Counters } from './counters.ts';
import type { Overview, SignupCounts, SignupState } from './overview.ts';
import type { Consent, ConsentRecord, Mailbox, MailboxRecord } from './records.ts';
import type { WebhookQueue } from './webhook-queue.ts';

export {
  discardableStates,
  reasonsShown,
  signupStates,
  type FormBacklog,
  type Overview,
  type SignupCounts,
  type SignupState,
} from './overview.ts';
export type { Counter, Counters, ReachedCounter } from './counters.ts';
export type { Consent, ConsentRecord, Mailbox, MailboxRecord } from './records.ts';
export * from './webhook-queue.ts';

/** A signup that was admitted and is not stored yet. */
export interface NewSignup {
  /** Name of the form it came through. */
  readonly form: string;
  readonly submission: KeptSubmission;
  /** Why the signup goes to review or, with `heldUntil`, its mail is held, for the operator; null if neither. */
  readonly suspected: string | null;
  /** When its confirmation mail is due. Default: at once. */
  readonly heldUntil?: number | undefined;
  /** True if the person must click a link in a confirmation mail before the signup is delivered. */
  readonly needsConfirmation: boolean;
  /** Origin of the page. */
  readonly origin: string | null;
  /** The idempotency key of the post; null without one. */
  readonly idempotencyKey: string | null;
  /**
   * Stored in the consent ledger with the signup: consent `given` with the form, an `unclear` one, or, without any, the
   * request that the person has to confirm. Null if there is none of them.
   */
  readonly consent: (Consent & { readonly kind: Exclude<ConsentRecord['kind'], 'confirmed' | 'left'> }) | null;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** A signup claimed for an attempt. */
export interface ClaimedSignup {
  readonly id: string;
  readonly form: string;
  readonly submission: KeptSubmission;
  readonly origin: string | null;
  readonly receivedAt: number;
  /** Since when it may be sent: when it was received, its mail was due, or it was confirmed by its person. */
  readonly dueAt: number;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /**
   * True if an earlier attempt may have reached the API: a lookup precedes the next attempt. Of an unconfirmed signup:
   * if its mail may have been sent.
   */
  readonly tried: boolean;
  /** True if the person clicked the link in a confirmation mail. */
  readonly confirmed: boolean;
  /** Status of the subscription before that click, the word of the API as it came; null where it was not read. */
  readonly status: string | null;
  /** True if the person has left meanwhile, see {@link SignupStore.leave}: then no subscription is created. */
  readonly hasLeft: boolean;
}

/** Which signups {@link SignupStore.claim} claims. */
export interface Claim {
  /** Names of the forms whose signups are claimed. */
  readonly forms: readonly string[];
  readonly limit: number;
  readonly now: number;
  /**
   * Claims signups that were never attempted, for one bulk creation. They stay `sent` until the batch ends, also after
   * a restart. Several claims may add to one batch. Default: due signups, each for a call of its own.
   */
  readonly batch?: { readonly id: string; readonly publicationId: string } | undefined;
  /**
   * The publications of the forms, by name. Claims signups whose confirmation mail is due, of a mailbox only those that
   * `planMails` grants; they keep their state. Default: signups that wait for delivery.
   */
  readonly mailsOf?: Readonly<Record<string, string>> | undefined;
}

/**
 * Duration of a claim without a batch, in milliseconds. After that its process counts as dead, and the signup is due
 * again with `tried`. An attempt must end sooner.
 */
export const claimMs = 3 * 60_000;

/** How long a signup waits for another one of the same person that is being sent, in milliseconds. */
export const blockedMs = 5000;

/** Signups received within this time, in milliseconds, are claimed before the backlog: their visitors still wait. */
export const freshMs = 10_000;

/** The longest time for which a mail is held, in milliseconds. */
export const heldMs = 25 * 3_600_000;

/** What the API has said about the subscription of a delivered signup. */
export interface KnownStatus {
  /** The word of the API as it came; null if it is unknown. */
  readonly status: string | null;
  /** When the API is asked once more; null if that is its last word here. */
  readonly askAgainAt: number | null;
}

/** Outcome of an attempt. Reasons contain no address and no secret. */
export type DeliveryOutcome =
  /** Without a status it is unknown. */
  | ({ readonly state: 'delivered'; readonly at: number } & Partial<KnownStatus>)
  | {
      readonly state: 'waiting';
      readonly at: number;
      readonly nextAttemptAt: number;
      readonly reason: string;
      /** True if the attempt may have reached the API. Once true, it stays true. */
      readonly tried: boolean;
    }
  /**
   * `nextAttemptAt`: when the confirmation mail is retried; null once it is sent. If the person has confirmed already,
   * nothing changes.
   */
  | {
      readonly state: 'unconfirmed';
      readonly at: number;
      readonly nextAttemptAt: number | null;
      readonly reason: string | null;
      /** True if a mail may have been sent. Default: false. */
      readonly tried?: boolean;
    }
  | { readonly state: 'dead'; readonly at: number; readonly reason: string };

/**
 * `nextAttemptAt` of a signup that is due whatever the clock says, and that a batch may take: it was never attempted,
 * or its batch was interrupted.
 */
export const neverAttempted = 0;

/** A batch that was sent or is being sent, and of which some signups are not confirmed yet. */
export interface OpenBatch {
  readonly id: string;
  /** When it was claimed, in milliseconds since the Unix epoch. */
  readonly claimedAt: number;
  /** When the API answered or the call was given up; null before, and if the process ended in between. */
  readonly sentAt: number | null;
  /** Number of signups not confirmed yet. */
  readonly open: number;
}

/** Position of the scan of a publication's newest subscriptions that confirms all its batches. */
export interface ConfirmationScan {
  /** `created` of the newest subscription before the scan, at which it ends. Seconds since the Unix epoch. */
  readonly until: number;
  /** `created` of the newest subscription of this scan, at which the next one ends; null before the first page. */
  readonly newest: number | null;
  /** Cursor of the next page; null for the first. */
  readonly cursor: string | null;
  /** When the first page was requested, in milliseconds since the Unix epoch; null before. */
  readonly startedAt: number | null;
}

/** A subscription that a scan has found at the API. */
export interface FoundSubscription extends KnownStatus {
  /** In any spelling. */
  readonly email: string;
}

/** A signup that a scan has found at the API. */
export type ConfirmedSignup = Pick<ClaimedSignup, 'id' | 'form' | 'dueAt' | 'status'>;

/** A delivered signup about which the API is asked once more, or whose person has left: then it is unsubscribed. */
export type OpenStatus = Pick<ClaimedSignup, 'id' | 'form' | 'submission' | 'hasLeft'> & { readonly settledAt: number };

/** The reason of a signup whose person has left. */
export const leftByMail = 'the person has left by the program that shows their mails';

/** A stored signup; also a line of an export, which another store can import. */
export interface StoredSignup {
  /** A UUID of version 7: it sorts by the time of receipt. */
  readonly id: string;
  readonly form: string;
  readonly state: SignupState;
  /** What the visitor sent; null once erased, see {@link SignupStore.expire}. */
  readonly submission: KeptSubmission | null;
  readonly origin: string | null;
  readonly receivedAt: number;
  /** Since when it may be sent: when it was received, its mail was due, or it was confirmed by its person. */
  readonly dueAt: number;
  /** Number of attempts to deliver it so far. */
  readonly attempts: number;
  /** Whether an attempt may have reached the API without an answer; of an unconfirmed one, its mail the server. */
  readonly tried: boolean;
  /** Whether it is delivered only after a click in a confirmation mail. */
  readonly needsConfirmation: boolean;
  /** When the next attempt is due; null if none is. */
  readonly nextAttemptAt: number | null;
  /** When it was delivered or refused for good; null before. */
  readonly settledAt: number | null;
  /** Why the last attempt failed; contains no address and no secret. */
  readonly reason: string | null;
  /**
   * Status of the subscription, the word of the API as it came: after the delivery, or, of one that waits, before the
   * click that confirmed it. Null where it is unknown.
   */
  readonly status: string | null;
  /** Hash of the idempotency key; see `signup-identity.ts`. */
  readonly intent: string | null;
}

/**
 * Whether a redrive reaches a signup: dead letters, what is in review, and unconfirmed ones whose mail is held, for a
 * reason. A mail that is being sent has none, and one that was sent, or may have been, is not sent again.
 */
export function isRedrivable({ state, tried, reason, nextAttemptAt }: Omit<StoredSignup, 'submission' | 'intent'>) {
  const isHeld = !tried && reason !== null && nextAttemptAt !== null;
  return state === 'unconfirmed' ? isHeld : state === 'dead' || state === 'review';
}

/** An unconfirmed signup as the page of a link shows it. */
export interface OpenSignup extends Pick<StoredSignup, 'id' | 'form' | 'receivedAt'> {
  readonly submission: KeptSubmission;
  /** Of its first entry in the consent ledger. */
  readonly consent: Pick<Consent, 'sentence' | 'version'>;
}

/** The signup of a link in a confirmation mail. */
export interface LinkedSignup {
  readonly signup: StoredSignup;
  /** The unconfirmed signups of its mailbox, itself among them while it is one, the oldest first. */
  readonly open: readonly OpenSignup[];
}

/** What the owner of a mailbox has decided on the page of a link, which showed all of these signups. */
export interface Click {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** With the submission as the person chose it. */
  readonly confirmed: readonly (Pick<StoredSignup, 'id' | 'form' | 'status'> & {
    readonly submission: KeptSubmission;
    readonly consent: Consent;
  })[];
  /** Ids of the other signups of a confirmed form and address: they are deleted. */
  readonly superseded: readonly string[];
  /** Ids of those that were left unticked: they stay open, and get no mail of their own. */
  readonly left: readonly string[];
}

/** Everything the store holds about one person. */
export interface HeldAboutPerson {
  readonly signups: readonly StoredSignup[];
  readonly consents: readonly ConsentRecord[];
  /** The confirmation mails to their mailbox. */
  readonly mails: readonly MailboxRecord[];
  /** Whether the list of erased people contains the hash of the address. */
  readonly suppressed: boolean;
}

/**
 * Selects the signups that match every given part. An empty list of ids or states selects none.
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
export interface PageRequest {
  /** The last signup of the page before; the first page without. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Two posts with the same address and content within this time, in milliseconds, are duplicates. */
export const repeatWindowMs = 10 * 60_000;

/** Moments in milliseconds since the Unix epoch; older records are erased. Null keeps them for ever. */
export interface Retention {
  /** The content of signups delivered before this moment is erased; their times and ids stay. */
  readonly delivered: number | null;
  /** Signups in review, received before this moment, are deleted. */
  readonly review: number | null;
  /** Dead letters, refused before this moment, are deleted; also those of webhooks about what happened before it. */
  readonly dead: number | null;
  /** Signups never confirmed, received before this moment, are deleted. */
  readonly unconfirmed: number | null;
  /** Entries of the consent ledger, made before this moment, are deleted. */
  readonly consent: number | null;
  /** Mailboxes whose last confirmation mail was before this moment are forgotten. */
  readonly mailboxes?: number | null;
}

/**
 * What a probe of a store does:
 *
 * - `look` – writes nothing, and notices lost files, connections, locks and permissions.
 * - `write` – writes a little, and syncs.
 * - `fill` – writes and syncs more than a signup would; in PostgreSQL a signup that is taken back among it.
 */
export type ProbeEffort = 'look' | 'write' | 'fill';

/** Stores signups. The promise of every write resolves only after the change is synced to disk. */
export interface SignupStore {
  /** Whether other processes may write to it too: then a relay has to poll for due signups. */
  readonly shared: boolean;
  /** The clock of the database, in milliseconds since the Unix epoch; a store in a file has none of its own. */
  readonly serverTime?: ((this: void) => Promise<number>) | undefined;
  /**
   * How long the oldest transaction of the database has run that keeps old rows from being cleared away, in
   * milliseconds; 0 where there is none. A store in a file does not know.
   */
  readonly oldestReaderMs?: ((this: void) => Promise<number>) | undefined;
  /** Counters of the rate limits. */
  readonly counters: Counters;
  /** Messages about signups, for the destinations of webhooks. */
  readonly webhooks: WebhookQueue;
  /**
   * Stores a signup and its consent. Writes the same for every address, so that timing does not reveal known addresses;
   * duplicates are removed by {@link claim}.
   *
   * @returns its identifier
   * @throws StoreUnavailableError if it could not be written. After a lost answer of a database server it may have been
   *   written all the same; posted again, it is removed as a duplicate
   */
  accept(signup: NewSignup): Promise<string>;
  /**
   * Claims signups: marks them as `sent` before the caller sends them. Order: received within
   * {@link freshMs}, then never attempted, then by next attempt; within that oldest first. A duplicate of an earlier
   * signup – the same intent, or the same content within {@link repeatWindowMs} of one that is not dead – is deleted
   * instead. A signup is postponed while another one of the same person is being sent.
   */
  claim(claim: Claim): Promise<readonly ClaimedSignup[]>;
  /** Stores the outcome of an attempt, for all of these signups or none. Ignores signups erased in the meantime. */
  settle(ids: readonly string[], outcome: DeliveryOutcome): Promise<void>;
  /** Undoes claims, as if they had not been made. */
  release(ids: readonly string[]): Promise<void>;
  /** How many signups of these forms were never attempted, counted up to `max`. */
  backlog(forms: readonly string[], max: number): Promise<number>;
  /** When the next signup of these forms is due, in milliseconds since the Unix epoch; null if none is. */
  nextDueAt(forms: readonly string[], state?: 'waiting' | 'unconfirmed' | 'delivered'): Promise<number | null>;
  /**
   * Makes signups due now that wait beyond `now + longestMs`, mails {@link heldMs} later, as the clock was set back.
   *
   * @returns how many
   */
  pullForward(now: number, longestMs: number): Promise<number>;
  /** The batches of a publication that are open, oldest first. */
  openBatches(publicationId: string): Promise<readonly OpenBatch[]>;
  /** Records that the API has answered for a batch, or that the call was given up. */
  batchSent(id: string, at: number): Promise<void>;
  /** Ends a batch: its unconfirmed signups wait again. */
  endBatch(id: string, outcome: Extract<DeliveryOutcome, { state: 'waiting' }>): Promise<void>;
  /**
   * Leases the scan of a publication to this process until `until`.
   *
   * @returns null while another process holds the lease; `scan` is null if no scan was started
   */
  leaseScan(
    publicationId: string,
    now: number,
    until: number,
  ): Promise<{ readonly scan: ConfirmationScan | null } | null>;
  /** Ends this process's lease of the scan of a publication. */
  releaseScan(publicationId: string): Promise<void>;
  /**
   * Stores one page of the scan: signups in batches of this publication whose address was found become `delivered`, and
   * the scan continues at `scan`.
   */
  confirm(
    publicationId: string,
    found: readonly FoundSubscription[],
    at: number,
    scan: ConfirmationScan,
  ): Promise<readonly ConfirmedSignup[]>;
  /** The delivered signups of these forms about which the API is to be asked once more by now, oldest first. */
  openStatuses(forms: readonly string[], now: number, limit: number): Promise<readonly OpenStatus[]>;
  /**
   * Stores what the API has said since, of the signups that were still open. What was asked before a person left is
   * not stored after it.
   *
   * @returns those
   */
  settleStatuses(
    known: readonly ({ readonly id: string; readonly hasLeft?: boolean } & KnownStatus)[],
  ): Promise<readonly { readonly id: string }[]>;
  /**
   * The signup of a link in a mail, with the open ones of its mailbox; null if it was deleted. Reads a bounded number
   * of rows.
   */
  linked(id: string): Promise<LinkedSignup | null>;
  /**
   * Confirms signups after the click in a mail: they wait for delivery from now on, the consent ledger gets an entry
   * for each, and the mails of the mailbox begin anew.
   *
   * @returns the ids of those that became confirmed; none if one that the page showed is no longer open: then nothing
   *   changes
   */
  confirmPerson(click: Click): Promise<readonly string[]>;
  /**
   * Deletes an unconfirmed signup whose person did not sign up, and stops the confirmation mails to the mailbox until
   * it is forgotten or confirms one. Idempotent.
   *
   * @param id - null where there is no such signup
   */
  stopMails(id: string | null, mailbox: Mailbox, at: number): Promise<void>;
  /**
   * Notes that the person of a confirmed signup has left: it is due for {@link openStatuses} once it is delivered. One
   * that has surely not reached the API is deleted. Idempotent; nothing without its content.
   */
  leave(id: string, at: number): Promise<void>;
  counts(): Promise<SignupCounts>;
  overview(now: number): Promise<Overview>;
  /** A page of the signups that match a filter, newest first. `everySignup` reads all pages. */
  list(filter: SignupFilter, page: PageRequest): Promise<readonly StoredSignup[]>;
  /**
   * A page of the consent ledger, in the order of signups, for export. The limit counts signups: each may have two
   * entries, which stay together.
   */
  listConsents(page: PageRequest): Promise<readonly ConsentRecord[]>;
  /**
   * A page of the hashes of erased people, sorted: SHA-256 of `addressKey`, hexadecimal. `after` is the last hash of
   * the page before.
   */
  suppressions(page: PageRequest): Promise<readonly string[]>;
  /** Everything the store holds about a person. @param address - in any spelling */
  person(address: string): Promise<HeldAboutPerson>;
  /**
   * Redrives dead letters, signups in review and held mails that match the filter: they wait for delivery as if just
   * received, or for their confirmation if they need one. See `isRedrivable`.
   *
   * @returns how many
   */
  redrive(filter: SignupFilter, now: number): Promise<number>;
  /** Deletes dead letters, signups in review and unconfirmed ones that match the filter. @returns how many */
  discard(filter: SignupFilter): Promise<number>;
  /**
   * Deletes every signup of one person, in any state, and their entries in the consent ledger unless `keepConsent`;
   * also from the file on disk as far as the store controls it. The hash of the address stays in the list of
   * {@link suppressions}, also where nothing was held.
   *
   * @param address - in any spelling that is the same person
   * @returns how many were deleted
   */
  erase(
    address: string,
    options?: { readonly keepConsent?: boolean | undefined },
  ): Promise<{ readonly signups: number; readonly consents: number }>;
  /**
   * Erases records older than their retention, and duplicates in review.
   *
   * @param at - kept as {@link Overview.lastErasureAt}
   * @returns number of signups and entries
   */
  expire(retention: Retention, at?: number): Promise<number>;
  /**
   * Marks every signup that waits as one that an earlier attempt may have sent: it is looked up first. For a store that
   * was restored from a backup. @returns how many
   */
  restored(now: number): Promise<number>;
  /**
   * Imports signups, consents and hashes of erased people of an export; existing records stay unchanged. A signup that
   * was `sent` waits, with `tried`.
   *
   * @returns how many signups were new
   */
  load(
    signups: readonly StoredSignup[],
    consents: readonly ConsentRecord[],
    suppressions?: readonly string[],
  ): Promise<number>;
  /** Whether delivery is paused. */
  paused(): Promise<boolean>;
  /** Pauses or resumes delivery, for every relay on this store, also after a restart. */
  setPaused(paused: boolean): Promise<void>;
  /** @throws StoreUnavailableError if signups could not be stored either, or would not outlive this process */
  probe(now: number, effort: ProbeEffort): Promise<void>;
  /** Writes what is pending and closes the store. */
  close(): Promise<void>;
}
