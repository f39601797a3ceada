/**
 * Rows as the stores' databases give them, as what the port speaks of. Their statements name the columns as the port
 * does.
 */
import type { KeptSubmission } from '@newsletter-kit/core/signup';
import type { ClaimedSignup, Outcome, SignupState, StoredSignup } from './signup-store.ts';

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

export function toClaimed(row: Row): ClaimedSignup {
  return {
    id: String(row['id']),
    form: String(row['form']),
    submission: JSON.parse(String(row['submission'])) as KeptSubmission,
    receivedAt: Number(row['receivedAt']),
    attempts: Number(row['attempts']),
  };
}

export function toStored(row: Row): StoredSignup {
  const submission = textOrNull(row['submission']);
  return {
    id: String(row['id']),
    form: String(row['form']),
    state: row['state'] as SignupState,
    submission: submission === null ? null : (JSON.parse(submission) as KeptSubmission),
    origin: textOrNull(row['origin']),
    receivedAt: Number(row['receivedAt']),
    attempts: Number(row['attempts']),
    nextAttemptAt: numberOrNull(row['nextAttemptAt']),
    settledAt: numberOrNull(row['settledAt']),
    reason: textOrNull(row['reason']),
  };
}

/** How an attempt ended, by column. */
export function settledColumns(
  outcome: Outcome,
): Pick<StoredSignup, 'state' | 'nextAttemptAt' | 'settledAt' | 'reason'> {
  return {
    state: outcome.state,
    nextAttemptAt: outcome.state === 'waiting' ? outcome.nextAttemptAt : null,
    settledAt: outcome.state === 'waiting' ? null : outcome.at,
    reason: outcome.state === 'delivered' ? null : outcome.reason,
  };
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Some drivers give large whole numbers as text. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
