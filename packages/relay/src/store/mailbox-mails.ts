/** How many confirmation mails a mailbox gets from a publication: one at once, and later ever fewer. Pure. */
import { mailboxHash } from './signup-identity.ts';
import type { Mailbox, MailboxRecord } from './records.ts';
import { type Row, numberOrNull } from './rows.ts';
import { type ClaimedSignup, neverAttempted } from './signup-store.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** How many days after its last mail a mailbox is forgotten, also one whose owner has said that it was not them. */
export const mailboxDays = 180;

/**
 * How long a mailbox that has got so many mails waits for the next one that is asked for, in milliseconds: ten minutes
 * after the first mail, which may be lost; then a day, two, four …
 */
export function waitAfter(mails: number): number {
  return mails === 1 ? 10 * minuteMs : 2 ** (mails - 2) * dayMs;
}

export function mailboxOf(address: string, publication: string): Mailbox {
  return { mailbox: mailboxHash(address), publication };
}

export function toMailbox(row: Row): MailboxRecord {
  return {
    mailbox: String(row['mailbox']),
    publication: String(row['publication']),
    mails: Number(row['mails']),
    lastMailAt: Number(row['lastMailAt']),
    suppressedAt: numberOrNull(row['suppressedAt']),
  };
}

/** A claimed signup that may get a mail. */
export interface MailCandidate extends Mailbox {
  readonly signup: ClaimedSignup;
  /** Whether no mail was tried for it yet, held ones included: it has to wait for its mailbox's turn. */
  readonly isNew: boolean;
}

/** @param publications - of the forms, by name */
export function mailCandidates(
  claimed: readonly ClaimedSignup[],
  rows: readonly Row[],
  publications: Readonly<Record<string, string>>,
): readonly MailCandidate[] {
  const dueAt = new Map(rows.map(({ id, nextAttemptAt }) => [id, Number(nextAttemptAt)]));
  return claimed.map((signup) => ({
    ...mailboxOf(signup.submission.email, publications[signup.form] ?? ''),
    signup,
    isNew: [neverAttempted, signup.dueAt].includes(dueAt.get(signup.id) ?? NaN),
  }));
}

/** Which candidates get a mail. */
export interface MailPlan {
  readonly mailed: readonly ClaimedSignup[];
  /** Signups that are kept without a mail, and why. */
  readonly kept: readonly { readonly id: string; readonly reason: string }[];
  /** The records of the mailboxes that get one. */
  readonly records: readonly MailboxRecord[];
}

/** @param stored - what is stored about the mailboxes of the candidates */
export function planMails(
  candidates: readonly MailCandidate[],
  stored: readonly MailboxRecord[],
  now: number,
): MailPlan {
  const keyOf = ({ mailbox, publication }: Mailbox): string => `${mailbox} ${publication}`;
  const known = new Map(stored.map((record) => [keyOf(record), record]));
  const records = new Map<string, MailboxRecord>();
  const mailed: ClaimedSignup[] = [];
  const kept: { id: string; reason: string }[] = [];
  for (const { signup, isNew, mailbox, publication } of candidates) {
    const key = keyOf({ mailbox, publication });
    const record = known.get(key) ?? null;
    const reason = reasonAgainst(record, isNew ? signup.dueAt : null, now);
    if (reason !== null) kept.push({ id: signup.id, reason });
    else {
      mailed.push(signup);
      if (isNew) {
        const next = { mailbox, publication, mails: (record?.mails ?? 0) + 1, lastMailAt: now, suppressedAt: null };
        known.set(key, next);
        records.set(key, next);
      }
    }
  }
  return { mailed, kept, records: [...records.values()] };
}

/** @param askedAt - when the mail was asked for; null if it is tried again */
function reasonAgainst(record: MailboxRecord | null, askedAt: number | null, now: number): string | null {
  if (record === null) return null;
  const { mails, lastMailAt, suppressedAt } = record;
  if (suppressedAt !== null) return 'no confirmation mail: the owner of the mailbox has said that it was not them';
  const next = lastMailAt + waitAfter(mails);
  // A time in the future is that of a clock that was wrong.
  if (askedAt === null || askedAt >= next || lastMailAt > now + dayMs) return null;
  return `no confirmation mail: the mailbox has one already, and gets another if it is asked for after ${new Date(next).toISOString()}`;
}
