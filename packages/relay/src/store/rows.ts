/** The rows of both databases, and the types of the store interface that are made of them, or stored as them. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { MailboxSignup } from './records.ts';
import { fingerprint, signupId, personOfFingerprint } from './signup-identity.ts';
import {
  type ClaimedSignup,
  type ConfirmationScan,
  type ConsentRecord,
  type DeliveryOutcome,
  leftByMail,
  type MailboxRecord,
  neverAttempted,
  type NewSignup,
  type OpenSignup,
  type OpenStatus,
  type SignupState,
  type StoredSignup,
} from './signup-store.ts';
import type { WebhookMessage } from './webhook-queue.ts';

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** A row with the columns of an object whose submission is JSON, and whose flags are numbers in SQLite. */
type RowOf<Value> = {
  readonly [Name in keyof Value]: Value[Name] extends boolean
    ? boolean | number
    : Name extends 'submission'
      ? string | Extract<Value[Name], null>
      : Value[Name];
};

/** The columns of a {@link StoredRow} of the table `s`, with the names of the store interface. */
export const stored = `s.id, s.form, s.state, s.received_at AS "receivedAt", s.due_at AS "dueAt", s.origin, s.submission,
  s.attempts, s.tried, s.needs_confirmation AS "needsConfirmation", s.next_attempt_at AS "nextAttemptAt",
  s.settled_at AS "settledAt", s.last_error AS reason, s.status, s.intent`;

export type StoredRow = RowOf<StoredSignup>;

const parsed = (submission: string): KeptSubmission => JSON.parse(submission) as KeptSubmission;

export function toStored(row: StoredRow): StoredSignup {
  return {
    ...row,
    submission: row.submission === null ? null : parsed(row.submission),
    tried: Boolean(row.tried),
    needsConfirmation: Boolean(row.needsConfirmation),
    nextAttemptAt: row.nextAttemptAt === neverAttempted ? row.dueAt : row.nextAttemptAt,
  };
}

/** The parts of a signup that show whether it is a duplicate, or has to wait for another one. */
export type SignupOfPerson = Pick<StoredSignup, 'id' | 'state' | 'intent' | 'dueAt'> & { readonly content: string };

/** The row of a signup that is due: its columns are {@link stored} and its content. */
export type Candidate = StoredRow & SignupOfPerson & { readonly submission: string };

export function toClaimed(row: Candidate): ClaimedSignup {
  const { id, form, state, submission, origin, receivedAt, dueAt, attempts, tried, status, reason } = row;
  return {
    id,
    form,
    submission: parsed(submission),
    origin,
    receivedAt,
    dueAt,
    attempts,
    tried: Boolean(tried) || state === 'sent',
    confirmed: Boolean(row.needsConfirmation) && state !== 'unconfirmed',
    status,
    hasLeft: reason === leftByMail,
  };
}

/** The columns of an {@link OpenStatusRow}. */
export const openStatus = 'id, form, submission, settled_at AS "settledAt", last_error AS reason';

export type OpenStatusRow = Pick<Candidate, 'id' | 'form' | 'submission' | 'reason'> & Pick<OpenStatus, 'settledAt'>;

export function toOpenStatus({ reason, submission, ...row }: OpenStatusRow): OpenStatus {
  return { ...row, submission: parsed(submission), hasLeft: reason === leftByMail };
}

/** Of an unconfirmed signup, with the sentence and the version of its first entry in the ledger. */
export type OpenRow = RowOf<Omit<OpenSignup, 'consent'>> & OpenSignup['consent'];

export function toOpen({ sentence, version, submission, ...row }: OpenRow): OpenSignup {
  return { ...row, submission: parsed(submission), consent: { sentence, version } };
}

/** The columns of a {@link MailboxRow}. */
export const mailboxColumns =
  'mailbox, publication, mails, last_mail_at AS "lastMailAt", suppressed_at AS "suppressedAt", signups';

export type MailboxRow = Omit<MailboxRecord, 'signups'> & { readonly signups: string };

export function toMailbox({ signups, ...row }: MailboxRow): MailboxRecord {
  return { ...row, signups: JSON.parse(signups) as MailboxSignup[] };
}

/** States from which a signup is claimed; `sent`, because the claim of a single attempt may have expired. */
export function claimableStates(
  state: 'waiting' | 'unconfirmed' | 'delivered' = 'waiting',
  inBatch = false,
): SignupState[] {
  return state === 'waiting' && !inBatch ? ['waiting', 'sent'] : [state];
}

export function toScan(text: string | null | undefined): ConfirmationScan | null {
  return typeof text === 'string' ? (JSON.parse(text) as ConfirmationScan) : null;
}

export function toWebhookMessage({ submission, ...row }: RowOf<WebhookMessage>): WebhookMessage {
  return { ...row, submission: submission === null ? null : parsed(submission) };
}

export type WebhookMessageRow = RowOf<WebhookMessage>;

/** The columns of an entry of the consent ledger. */
export const ledgerColumns = [
  'signup',
  'kind',
  'at',
  'form',
  'person',
  'sentence',
  'version',
  'page',
  'visitor',
] as const satisfies readonly (keyof ConsentRecord)[];

/** A row of the table `signup`, by column, in the order of {@link signupColumns}. */
export type SignupRow = Readonly<Record<(typeof signupColumns)[number], string | number | null>>;

export const signupColumns = [
  'id',
  'form',
  'state',
  'received_at',
  'due_at',
  'origin',
  'submission',
  'intent',
  'content',
  'needs_confirmation',
  'attempts',
  'tried',
  'next_attempt_at',
  'settled_at',
  'last_error',
  'status',
] as const;

/** The row of a new signup. */
export function newRow(id: string, signup: NewSignup): SignupRow {
  const { form, suspected, heldUntil, needsConfirmation, receivedAt, origin } = signup;
  const isInReview = suspected !== null && heldUntil === undefined;
  const state: SignupState = isInReview ? 'review' : needsConfirmation ? 'unconfirmed' : 'waiting';
  return {
    id,
    form,
    state,
    received_at: receivedAt,
    due_at: heldUntil ?? receivedAt,
    origin,
    submission: JSON.stringify(signup.submission),
    ...fingerprint({ ...signup, suspected: isInReview }),
    needs_confirmation: Number(needsConfirmation),
    attempts: 0,
    tried: 0,
    next_attempt_at: isInReview ? null : (heldUntil ?? neverAttempted),
    settled_at: null,
    last_error: suspected,
    status: null,
  };
}

/** The row with which a store tries whether a signup could be written; it is taken back. */
export function probeRow(now: number): SignupRow {
  const submission = { email: 'probe@relay.invalid' };
  const flags = { suspected: null, needsConfirmation: false };
  const signup = { form: '', submission, ...flags, origin: null, idempotencyKey: null, consent: null, receivedAt: now };
  return newRow(signupId(now), signup);
}

/** The entry of a new signup in the consent ledger; null without one. */
export function firstEntry(row: SignupRow, { consent, form, receivedAt }: NewSignup): ConsentRecord | null {
  const person = personOfFingerprint(String(row.content));
  return consent && { ...consent, signup: String(row.id), at: receivedAt, form, person };
}

/** The row of an imported signup. An attempt in flight at the time of the export may have reached the API. */
export function loadedRow(signup: StoredSignup, now: number): SignupRow {
  const { id, form, receivedAt, dueAt, origin, submission, attempts, settledAt, reason } = signup;
  const wasSent = signup.state === 'sent';
  const state = wasSent ? 'waiting' : signup.state;
  const tried = signup.tried || wasSent;
  const identity = { form, suspected: state === 'review', idempotencyKey: null };
  const nextAttempts: Readonly<Partial<Record<SignupState, number | null>>> = {
    waiting: attempts > 0 || tried ? (signup.nextAttemptAt ?? now) : neverAttempted,
    unconfirmed: signup.nextAttemptAt,
    delivered: signup.nextAttemptAt,
  };
  return {
    id,
    form,
    state,
    received_at: receivedAt,
    due_at: dueAt,
    origin,
    submission: submission && JSON.stringify(submission),
    intent: submission && signup.intent,
    content: submission && fingerprint({ ...identity, submission }).content,
    needs_confirmation: Number(signup.needsConfirmation),
    attempts,
    tried: Number(tried),
    next_attempt_at: nextAttempts[state] ?? null,
    settled_at: settledAt,
    last_error: reason,
    // What was read before a click counts only for the attempt right after it.
    status: state === 'delivered' ? signup.status : null,
  };
}

/** The columns of an outcome. */
export function settledColumns(outcome: DeliveryOutcome) {
  const repeats = outcome.state === 'waiting' || outcome.state === 'unconfirmed';
  const { status = null, askAgainAt = null } = outcome.state === 'delivered' ? outcome : {};
  const isOfMail = outcome.state === 'unconfirmed' || (outcome.state === 'dead' && outcome.ofMail);
  return {
    state: outcome.state,
    next_attempt_at: repeats ? outcome.nextAttemptAt : askAgainAt,
    settled_at: repeats ? null : outcome.at,
    last_error: outcome.state === 'delivered' ? null : outcome.reason,
    status,
    // A mail is no attempt at the API.
    attempts: isOfMail ? 0 : 1,
    tried: Number(repeats && outcome.tried === true),
  };
}
