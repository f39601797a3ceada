/**
 * How many confirmation mails a mailbox gets from a publication: one at once, and later ever fewer. Which of its
 * signups a mail names, which one covers, and which wait. Pure.
 */
import { fingerprint, mailboxHash, personHash } from './signup-identity.ts';
import type { ConsentRecord, Mailbox, MailboxRecord, MailboxSignup } from './records.ts';
import { type Candidate, toClaimed } from './rows.ts';
import { type ClaimedSignup, type Click, type DeliveryOutcome, neverAttempted } from './signup-store.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** How many days after its last mail a mailbox is forgotten, also one whose owner has said that it was not them. */
export const mailboxDays = 180;

/** Maximum number of signups in the record of a mailbox, and on the page of its links. */
export const mailboxSignups = 50;

/**
 * How long a mailbox that has got so many mails waits for the next one, in milliseconds: ten minutes after the first
 * mail, which may be lost; then a day, two, four …
 */
export function waitAfter(mails: number): number {
  if (mails === 0) return 0;
  return mails === 1 ? 10 * minuteMs : 2 ** (mails - 2) * dayMs;
}

/** The reason of a signup whose mail may have been sent. */
const unansweredMail = 'the mail server has not confirmed the mail';

/** What is stored before a mail may be sent: it counts as sent, and is tried once more after a day, and never again. */
export function mayBeSent({ tried }: Pick<ClaimedSignup, 'tried'>, at: number): DeliveryOutcome {
  return { state: 'unconfirmed', at, nextAttemptAt: tried ? null : at + dayMs, reason: unansweredMail, tried: true };
}

export function mailboxOf(address: string, publication: string): Mailbox {
  return { mailbox: mailboxHash(address), publication };
}

/** A claimed signup that may get a mail. */
export interface MailCandidate extends Mailbox {
  readonly signup: ClaimedSignup;
  /** Whether the mail server has not confirmed its mail, which counts as sent. */
  readonly isUnanswered: boolean;
  /** Whether it is due whatever the clock says: it is new, or an operator has redriven it. */
  readonly isDue: boolean;
}

/** @param publications - of the forms, by name */
export function mailCandidates(
  rows: readonly Candidate[],
  publications: Readonly<Record<string, string>>,
): readonly MailCandidate[] {
  return rows.map((row) => {
    const signup = toClaimed(row);
    return {
      ...mailboxOf(signup.submission.email, publications[row.form] ?? ''),
      signup,
      isUnanswered: row.reason === unansweredMail,
      isDue: row.nextAttemptAt === neverAttempted,
    };
  });
}

/** A signup that gets no mail now. */
export interface Unmailed {
  readonly id: string;
  /** When it is claimed again; null if it needs no mail of its own. */
  readonly until: number | null;
  /** For the operator: the same for all in this situation. Null if it waits for the click in another mail. */
  readonly reason: string | null;
}

/** Which candidates get a mail. */
export interface MailPlan {
  readonly mailed: readonly ClaimedSignup[];
  readonly kept: readonly Unmailed[];
  /** The records of the mailboxes that have changed. */
  readonly records: readonly MailboxRecord[];
}

/**
 * @param stored - what is stored about the mailboxes of the candidates
 * @param sent - ids of the open signups in these records whose mail was sent
 */
export function planMails(
  candidates: readonly MailCandidate[],
  stored: readonly MailboxRecord[],
  sent: ReadonlySet<string>,
  now: number,
): MailPlan {
  const keyOf = ({ mailbox, publication }: Mailbox): string => `${mailbox} ${publication}`;
  const known = new Map(stored.map((record) => [keyOf(record), record]));
  const changed = new Set<string>();
  const mailed: ClaimedSignup[] = [];
  const kept: Unmailed[] = [];
  for (const { signup, isUnanswered, isDue, ...mailbox } of candidates) {
    const key = keyOf(mailbox);
    const record = known.get(key) ?? { ...mailbox, mails: 0, lastMailAt: 0, suppressedAt: null, signups: [] };
    const { id, form } = signup;
    const own = record.signups.find((each) => each.id === id);
    const turn = turnOf(record, own, { ...signup, isUnanswered, isDue }, sent, now);
    if ('mails' in turn) mailed.push(signup);
    else kept.push({ id, ...turn });
    if ('until' in turn && own) continue;
    const entry = { id, form, mailedAt: 'mails' in turn ? now : null };
    const signups = [...record.signups.filter((each) => each !== own), entry].slice(-mailboxSignups);
    known.set(key, { ...record, ...('mails' in turn && { mails: turn.mails, lastMailAt: now }), signups });
    changed.add(key);
  }
  return { mailed, kept, records: [...known].flatMap(([key, record]) => (changed.has(key) ? [record] : [])) };
}

const suppressed =
  'no confirmation mail: the owner of the mailbox has said that it was not them, or a mail to it came back';
const waiting = 'no confirmation mail yet: the mailbox has one already, and gets the next when its wait is over';

/** @returns the number of mails with this one, or until when there is none */
function turnOf(
  { mails, lastMailAt, suppressedAt, signups }: MailboxRecord,
  own: MailboxSignup | undefined,
  { form, dueAt, isUnanswered, isDue }: ClaimedSignup & Pick<MailCandidate, 'isUnanswered' | 'isDue'>,
  sent: ReadonlySet<string>,
  now: number,
): { readonly mails: number } | Omit<Unmailed, 'id'> {
  if (suppressedAt !== null) return { until: null, reason: suppressed };
  const mailedAt = own?.mailedAt ?? null;
  // A time in the future is that of a clock that was wrong.
  const isKnown = (at: number): boolean => at <= now + dayMs;
  const isSince = (at: number | null): boolean => at !== null && at >= dueAt && isKnown(at);
  // The page of that mail's link shows it.
  const isCovered = signups.some((each) => each.form === form && isSince(each.mailedAt) && sent.has(each.id));
  if (own?.isDecided || (mailedAt === null && isCovered)) return { until: null, reason: null };
  // A mail that surely was not sent has its turn already, unless the mailbox was mailed since.
  const isUnsent = mailedAt !== null && !isUnanswered;
  const before = isUnsent ? Math.max(0, mails - 1) : mails;
  // One that has waited already is due at once where an operator says so.
  const hasTurn = (isUnsent && mailedAt === lastMailAt) || (isDue && own !== undefined);
  const until = hasTurn ? now : lastMailAt + waitAfter(before);
  return now >= until || !isKnown(lastMailAt)
    ? { mails: before + 1 }
    : { until, reason: isUnanswered ? unansweredMail : waiting };
}

/** Every signup that the page of a click showed. */
export function shownBy({ confirmed, superseded, left }: Click): readonly string[] {
  return [...confirmed.map(({ id }) => id), ...superseded, ...left];
}

/**
 * What a click writes. The mails of the mailbox begin anew. A signup that came after the page was opened is due now,
 * since the mail that covered it was clicked. A record without signups is not needed any more.
 *
 * @param records - of the mailbox, one for each publication
 */
export function planClick(click: Click, records: readonly MailboxRecord[]) {
  const { at, confirmed, superseded, left } = click;
  const shown = new Set(shownBy(click));
  const record = records.find(({ signups }) => signups.some(({ id }) => shown.has(id)));
  // Also those that are confirmed: their links show what else is open.
  const signups = (record?.signups ?? [])
    .filter(({ id }) => !superseded.includes(id))
    .map((each) => (shown.has(each.id) ? { ...each, mailedAt: null, isDecided: true as const } : each));
  const isNeeded = signups.some(({ id }) => confirmed.every((each) => each.id !== id));
  const mails = signups.filter(({ mailedAt }) => mailedAt !== null).length;
  const later = signups.filter(({ mailedAt, isDecided }) => mailedAt === null && !isDecided);
  return {
    rows: confirmed.map(({ id, form, submission, status }) => {
      const { content } = fingerprint({ form, submission, suspected: false, idempotencyKey: null });
      return { id, submission: JSON.stringify(submission), content, status };
    }),
    entries: confirmed.map(({ id, form, submission, consent }): ConsentRecord => {
      return { ...consent, signup: id, kind: 'confirmed', at, form, person: personHash(submission.email) };
    }),
    kept: [...left, ...later.map(({ id }) => id)].map((id): Unmailed => ({
      id,
      until: left.includes(id) ? null : at,
      reason: null,
    })),
    record: record && { ...record, mails, suppressedAt: null, signups: isNeeded ? signups : [] },
  };
}
