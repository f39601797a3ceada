/** Maps database rows to the types of the store interface, and back. Statements name columns as the interface does. */
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import type { WebhookType } from '../config/webhook-type.ts';
import { earliest, type FormBacklog, type Overview, type SignupCounts } from './overview.ts';
import { fingerprint, signupId, personOfFingerprint } from './signup-identity.ts';
import {
  type ClaimedSignup,
  type ConsentRecord,
  leftByMail,
  neverAttempted,
  type NewSignup,
  type OpenSignup,
  type OpenStatus,
  type DeliveryOutcome,
  type SignupState,
  type StoredSignup,
  type ConfirmationScan,
} from './signup-store.ts';
import type { WebhookMessage, WebhookOutcome, WebhookSubscription } from './webhook-queue.ts';

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of a statement that names its columns as the store interface does, and whose values have its types. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the rows of its SQL
export function rowsAs<Value extends object>(rows: readonly Row[]): readonly Value[] {
  return rows as readonly Value[];
}

/** Counts by state, from rows of a state and a count. */
export function toCounts(rows: readonly Row[]): SignupCounts {
  const known = Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  return { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0, ...known };
}

/**
 * @param byForm - rows of the backlog, one per form
 * @param deadByReason - rows of dead letters, one per reason
 * @param held - rows of signups that are held, one per state and reason
 * @param unclear - rows of unclear consents, one per form and text
 * @param statuses - rows of the statuses of subscriptions, one per word
 * @param lastErasure - row of the setting of that name
 */
export function toOverview(
  counts: SignupCounts,
  due: number,
  byForm: readonly Row[],
  deadByReason: readonly Row[],
  held: readonly Row[],
  unclear: readonly Row[],
  statuses: readonly Row[],
  lastErasure: Row | undefined,
): Overview {
  const forms = rowsAs<FormBacklog>(byForm);
  return {
    counts,
    due,
    oldestWaitingSince: earliest(forms.map(({ oldestSince }) => oldestSince)),
    forms,
    deadByReason: rowsAs(deadByReason),
    held: rowsAs(held),
    unclearConsents: rowsAs(unclear),
    statuses: rowsAs(statuses),
    lastErasureAt: numberOrNull(lastErasure?.['value']),
  };
}

export function toClaimed(row: Row): ClaimedSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    origin: textOrNull(row['origin']),
    receivedAt: Number(row['receivedAt']),
    dueAt: Number(row['dueAt']),
    attempts: Number(row['attempts']),
    tried: Boolean(row['tried']) || row['state'] === 'sent',
    confirmed: Boolean(row['needsConfirmation']) && row['state'] !== 'unconfirmed',
    status: textOrNull(row['status']),
    hasLeft: row['reason'] === leftByMail,
  };
}

export function toOpenStatus(row: Row): OpenStatus {
  return {
    id: String(row['id']),
    form: String(row['form']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    settledAt: Number(row['settledAt']),
    hasLeft: row['reason'] === leftByMail,
  };
}

export function toStored(row: Row): StoredSignup {
  const submission = textOrNull(row['submission']);
  const nextAttemptAt = numberOrNull(row['nextAttemptAt']);
  const receivedAt = Number(row['receivedAt']);
  // What was delivered by an earlier version has no time of its own.
  const dueAt = Number(row['dueAt']) || receivedAt;
  return {
    id: String(row['id']),
    form: String(row['form']),
    state: row['state'] as SignupState,
    submission: submission === null ? null : (JSON.parse(submission) as KeptSubmission),
    origin: textOrNull(row['origin']),
    receivedAt,
    dueAt,
    attempts: Number(row['attempts']),
    tried: Boolean(row['tried']),
    needsConfirmation: Boolean(row['needsConfirmation']),
    nextAttemptAt: nextAttemptAt === neverAttempted ? dueAt : nextAttemptAt,
    settledAt: numberOrNull(row['settledAt']),
    reason: textOrNull(row['reason']),
    status: textOrNull(row['status']),
    intent: textOrNull(row['intent']),
  };
}

/** @param row - of an unconfirmed signup, with the sentence and the version of its first entry in the ledger */
export function toOpen(row: Row): OpenSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    receivedAt: Number(row['receivedAt']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    consent: { sentence: textOrNull(row['sentence']), version: textOrNull(row['version']) },
  };
}

/** The parts of a signup that show whether it is a duplicate, or has to wait for another one. */
export interface SignupOfPerson {
  readonly id: string;
  readonly state: SignupState;
  readonly intent: string | null;
  readonly content: string | null;
  readonly dueAt: number;
}

/** The row of a signup that is due. */
export type Candidate = Row & SignupOfPerson;

/** States from which a signup is claimed; `sent`, because the claim of a single attempt may have expired. */
export function claimableStates(
  state: 'waiting' | 'unconfirmed' | 'delivered' = 'waiting',
  inBatch = false,
): SignupState[] {
  return state === 'waiting' && !inBatch ? ['waiting', 'sent'] : [state];
}

export function toScan(text: unknown): ConfirmationScan | null {
  return typeof text === 'string' ? (JSON.parse(text) as ConfirmationScan) : null;
}

export function toWebhookMessage(row: Row): WebhookMessage {
  const submission = textOrNull(row['submission']);
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    type: row['type'] as WebhookType,
    signup: String(row['signup']),
    form: String(row['form']),
    at: Number(row['at']),
    reason: textOrNull(row['reason']),
    attempts: Number(row['attempts']),
    submission: submission === null ? null : (JSON.parse(submission) as KeptSubmission),
    receivedAt: numberOrNull(row['receivedAt']),
    status: textOrNull(row['status']),
  };
}

/** The columns of an outcome other than `delivered`. */
export function webhookColumns(outcome: Exclude<WebhookOutcome, { state: 'delivered' }>): {
  readonly nextAttemptAt: number | null;
  readonly reason: string;
} {
  return { nextAttemptAt: outcome.state === 'waiting' ? outcome.nextAttemptAt : null, reason: outcome.reason };
}

/** What has to change about the stored destinations. */
export function destinationChanges(
  stored: readonly Row[],
  wanted: readonly WebhookSubscription[],
): {
  readonly set: readonly { readonly name: string; readonly types: string }[];
  readonly removed: readonly string[];
  /** Names of the wanted ones that are held. */
  readonly held: readonly string[];
} {
  const typesOf = new Map(stored.map(({ name, types }) => [String(name), String(types)]));
  const names = new Set(wanted.map(({ name }) => name));
  return {
    set: wanted
      .map(({ name, types }) => ({ name, types: types.join(' ') }))
      .filter(({ name, types }) => typesOf.get(name) !== types),
    removed: [...typesOf.keys()].filter((name) => !names.has(name)),
    held: stored.flatMap(({ name, held }) =>
      names.has(String(name)) && textOrNull(held) !== null ? [String(name)] : [],
    ),
  };
}

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
  const { id, form, receivedAt, dueAt, origin, submission, intent, attempts, settledAt, reason } = signup;
  const wasSent = signup.state === 'sent';
  const state = wasSent ? 'waiting' : signup.state;
  const tried = signup.tried || wasSent;
  const attempted = attempts > 0 || tried;
  return {
    id,
    form,
    state,
    received_at: receivedAt,
    due_at: dueAt,
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
        : state === 'unconfirmed' || state === 'delivered'
          ? signup.nextAttemptAt
          : null,
    settled_at: settledAt,
    last_error: reason,
    // What was read before a click counts only for the attempt right after it.
    status: state === 'delivered' ? signup.status : null,
  };
}

/** The columns of an outcome. */
export function settledColumns(outcome: DeliveryOutcome): {
  readonly state: SignupState;
  readonly nextAttemptAt: number | null;
  readonly settledAt: number | null;
  readonly reason: string | null;
  readonly status: string | null;
  readonly tried: number;
} {
  const repeats = outcome.state === 'waiting' || outcome.state === 'unconfirmed';
  const { status = null, askAgainAt = null } = outcome.state === 'delivered' ? outcome : {};
  return {
    state: outcome.state,
    nextAttemptAt: repeats ? outcome.nextAttemptAt : askAgainAt,
    settledAt: repeats ? null : outcome.at,
    reason: outcome.state === 'delivered' ? null : outcome.reason,
    status,
    tried: Number(repeats && outcome.tried === true),
  };
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Some drivers return large integers as text. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
