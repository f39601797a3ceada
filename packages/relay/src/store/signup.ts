/** What a store keeps, takes and gives: signups, their claims and outcomes, batches, clicks and filters. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { SignupState } from './overview.ts';
import type { Consent, ConsentRecord, MailboxRecord } from './records.ts';

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
  /** True if the person has left meanwhile, see `SignupStore.leave`: then no subscription is created. */
  readonly hasLeft: boolean;
}

/** Which signups `SignupStore.claim` claims. */
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
  /** `ofMail`: its confirmation mail was refused. If the person has confirmed already, nothing changes. */
  | { readonly state: 'dead'; readonly at: number; readonly reason: string; readonly ofMail?: true };

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
  /** What the visitor sent; null once erased, see `SignupStore.expire`. */
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
