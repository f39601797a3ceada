/**
 * Rows as the stores' databases give them, as what the port speaks of. Their statements name the columns as the port
 * does.
 */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import { fingerprint, personOfFingerprint } from './fingerprint.ts';
import {
  neverAttempted,
  type ClaimedSignup,
  type ConfirmedSignup,
  type ConsentRecord,
  type NewSignup,
  type OpenBatch,
  type Outcome,
  type Overview,
  type SignupCounts,
  type SignupState,
  type StoredSignup,
  type Walk,
} from './signup-store.ts';

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

export function toClaimed(row: Row): ClaimedSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    receivedAt: Number(row['receivedAt']),
    attempts: Number(row['attempts']),
    tried: Boolean(row['tried']) || row['state'] === 'sent',
    confirmed: Boolean(row['needsConfirmation']) && row['state'] !== 'unconfirmed',
    trace: textOrNull(row['trace']),
  };
}

export function toConfirmed(row: Row): ConfirmedSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    receivedAt: Number(row['receivedAt']),
    trace: textOrNull(row['trace']),
  };
}

export function toStored(row: Row): StoredSignup {
  const submission = textOrNull(row['submission']);
  const receivedAt = Number(row['receivedAt']);
  const nextAttemptAt = numberOrNull(row['nextAttemptAt']);
  return {
    id: String(row['id']),
    form: String(row['form']),
    state: row['state'] as SignupState,
    submission: submission === null ? null : (JSON.parse(submission) as KeptSubmission),
    origin: textOrNull(row['origin']),
    receivedAt,
    attempts: Number(row['attempts']),
    tried: Boolean(row['tried']),
    needsConfirmation: Boolean(row['needsConfirmation']),
    nextAttemptAt: nextAttemptAt === neverAttempted ? receivedAt : nextAttemptAt,
    settledAt: numberOrNull(row['settledAt']),
    reason: textOrNull(row['reason']),
    intent: textOrNull(row['intent']),
    trace: textOrNull(row['trace']),
  };
}

export function toConsent(row: Row): ConsentRecord {
  return {
    signup: String(row['signup']),
    kind: row['kind'] as ConsentRecord['kind'],
    at: Number(row['at']),
    form: String(row['form']),
    person: String(row['person']),
    sentence: textOrNull(row['sentence']),
    version: textOrNull(row['version']),
    page: textOrNull(row['page']),
    visitor: textOrNull(row['visitor']),
  };
}

/** The parts of a signup that show whether it is a duplicate, or has to wait for another one. */
export interface SignupOfPerson {
  readonly id: string;
  readonly state: SignupState;
  readonly intent: string | null;
  readonly content: string | null;
  readonly receivedAt: number;
}

export function toSignupOfPerson(row: Row): SignupOfPerson {
  return {
    id: String(row['id']),
    state: row['state'] as SignupState,
    intent: textOrNull(row['intent']),
    content: textOrNull(row['content']),
    receivedAt: Number(row['receivedAt']),
  };
}

export function toBatch(row: Row): OpenBatch {
  return {
    id: String(row['id']),
    claimedAt: Number(row['claimedAt']),
    sentAt: numberOrNull(row['sentAt']),
    open: Number(row['open']),
  };
}

/** States from which a signup is claimed: single attempts that were sent may have run out. */
export function claimableStates(state: 'waiting' | 'unconfirmed' = 'waiting', inBatch = false): SignupState[] {
  return state === 'waiting' && !inBatch ? ['waiting', 'sent'] : [state];
}

/** Rows of a state and a count. */
export function toCounts(rows: readonly Row[]): SignupCounts {
  const known = Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  return { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0, ...known };
}

/** The parts of an overview: rows by form, and dead letters by reason. */
export function toOverview(
  counts: SignupCounts,
  due: number,
  byForm: readonly Row[],
  deadByReason: readonly Row[],
): Overview {
  const forms = byForm.map(({ form, open, oldest }) => ({
    form: String(form),
    open: Number(open),
    oldestSince: Number(oldest),
  }));
  return {
    counts,
    due,
    oldestWaitingSince: earliest(forms.map(({ oldestSince }) => oldestSince)),
    forms,
    deadByReason: deadByReason.map(({ reason, count }) => ({ reason: String(reason), count: Number(count) })),
  };
}

/** The earliest of the moments there are. */
export function earliest(moments: readonly (number | null)[]): number | null {
  const known = moments.filter((moment) => moment !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function toWalk(text: unknown): Walk | null {
  return typeof text === 'string' ? (JSON.parse(text) as Walk) : null;
}

/** A row of the table `signup`, by column, in the order of {@link signupColumns}. */
export type SignupRow = Readonly<Record<(typeof signupColumns)[number], string | number | null>>;

export const signupColumns = [
  'id',
  'form',
  'state',
  'received_at',
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
  'trace',
] as const;

/** The row of a new signup. */
export function newRow(id: string, signup: NewSignup): SignupRow {
  const { form, suspected, needsConfirmation, receivedAt, origin, trace } = signup;
  const state: SignupState = suspected ? 'review' : needsConfirmation ? 'unconfirmed' : 'waiting';
  return {
    id,
    form,
    state,
    received_at: receivedAt,
    origin,
    submission: JSON.stringify(signup.submission),
    ...fingerprint(signup),
    needs_confirmation: Number(needsConfirmation),
    attempts: 0,
    tried: 0,
    next_attempt_at: suspected ? null : neverAttempted,
    settled_at: null,
    last_error: null,
    trace,
  };
}

/** The entry of a new signup in the consent ledger, if it has one. */
export function givenConsent(row: SignupRow, { consent, form, receivedAt }: NewSignup): ConsentRecord | null {
  const person = personOfFingerprint(String(row.content));
  return consent && { ...consent, signup: String(row.id), kind: 'given', at: receivedAt, form, person };
}

/** The row of a signup from an export. An attempt that was under way may have reached the API. */
export function loadedRow(signup: StoredSignup, now: number): SignupRow {
  const { id, form, receivedAt, origin, submission, intent, attempts, settledAt, reason, trace } = signup;
  const wasSent = signup.state === 'sent';
  const state = wasSent ? 'waiting' : signup.state;
  const tried = signup.tried || wasSent;
  const attempted = attempts > 0 || tried;
  return {
    id,
    form,
    state,
    received_at: receivedAt,
    origin,
    submission: submission === null ? null : JSON.stringify(submission),
    intent: submission === null ? null : intent,
    content:
      submission === null
        ? null
        : fingerprint({ form, submission, suspected: state === 'review', idempotencyKey: null }).content,
    needs_confirmation: Number(signup.needsConfirmation),
    attempts,
    tried: Number(tried),
    next_attempt_at:
      state === 'waiting'
        ? attempted
          ? (signup.nextAttemptAt ?? now)
          : neverAttempted
        : state === 'unconfirmed'
          ? signup.nextAttemptAt
          : null,
    settled_at: settledAt,
    last_error: reason,
    trace,
  };
}

/** How an attempt ended, by column. */
export function settledColumns(outcome: Outcome): {
  readonly state: SignupState;
  readonly nextAttemptAt: number | null;
  readonly settledAt: number | null;
  readonly reason: string | null;
  readonly tried: number;
} {
  const repeats = outcome.state === 'waiting' || outcome.state === 'unconfirmed';
  return {
    state: outcome.state,
    nextAttemptAt: repeats ? outcome.nextAttemptAt : null,
    settledAt: repeats ? null : outcome.at,
    reason: outcome.state === 'delivered' ? null : outcome.reason,
    tried: Number(outcome.state === 'waiting' && outcome.tried),
  };
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Some drivers give large whole numbers as text. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
