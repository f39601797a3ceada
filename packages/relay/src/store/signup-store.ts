/**
 * The store interface: keeps signups until the newsletter API has them. The SQLite and the PostgreSQL store pass the
 * same conformance suite.
 */
import type { Counters } from './counters.ts';
import type { Overview, SignupCounts } from './overview.ts';
import type { ConsentRecord, Mailbox } from './records.ts';
import type {
  Claim,
  ClaimedSignup,
  Click,
  ConfirmationScan,
  ConfirmedSignup,
  DeliveryOutcome,
  FoundSubscription,
  HeldAboutPerson,
  KnownStatus,
  LinkedSignup,
  NewSignup,
  OpenBatch,
  OpenStatus,
  PageRequest,
  Retention,
  SignupFilter,
  StoredSignup,
} from './signup.ts';
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
export * from './signup.ts';
export * from './webhook-queue.ts';

/** The longest read of an operator, in milliseconds; a longer one is ended, and fails. */
export const readMs = 1000;

/** Signups on their way: accepted, claimed for attempts, and settled. */
export interface DeliveryStore {
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
}

/** Batches, and the scans of publications that confirm their signups. */
export interface BatchStore {
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
}

/** What the links in mails show, and what their owners decide. */
export interface MailboxStore {
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
}

/** What operators, metrics and exports read. No visitor waits for it; a read longer than {@link readMs} is ended. */
export interface StoreReads {
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
}

/** What operators and retention change. */
export interface StoreChanges {
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
export interface SignupStore extends DeliveryStore, BatchStore, MailboxStore, StoreReads, StoreChanges {
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
  /** Whether delivery is paused. */
  paused(): Promise<boolean>;
  /** Pauses or resumes delivery, for every relay on this store, also after a restart. */
  setPaused(paused: boolean): Promise<void>;
  /** @throws StoreUnavailableError if signups could not be stored either, or would not outlive this process */
  probe(now: number, effort: ProbeEffort): Promise<void>;
  /** Writes what is pending and closes the store. */
  close(): Promise<void>;
}
