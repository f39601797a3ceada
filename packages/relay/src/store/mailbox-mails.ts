/**
 * How many confirmation mails a mailbox gets from a publication: one at once, and later ever fewer. Which of its signups
 * a mail names, which one covers, and which wait. Pure.
 */
import { mailboxHash } from './signup-identity.ts';
import type { Click, LinkedSignup, Mailbox, MailboxRecord, MailboxSignup } from './records.ts';
import { type Row, numberOrNull, toOpen } from './rows.ts';
import type { ClaimedSignup, StoredSignup } from './signup-store.ts';

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
    signups: JSON.parse(String(row['signups'])) as MailboxSignup[],
  };
}

/** The record of a signup among those of its mailbox, one of each publication. The configuration may have changed. */
export function recordOf(
  records: readonly MailboxRecord[],
  { id, form }: { readonly id: string; readonly form: string },
  publications: Readonly<Record<string, string>>,
): MailboxRecord | undefined {
  return (
    records.find(({ signups }) => signups.some((each) => each.id === id)) ??
    records.find(({ publication }) => publication === publications[form])
  );
}

/** The signups that the page of a link may show: its own, and those of its mailbox. */
export function idsBehind({ id }: { readonly id: string }, record: MailboxRecord | undefined): readonly string[] {
  return [...new Set([id, ...(record?.signups.map((each) => each.id) ?? [])])];
}

/** @param open - rows of those that are open */
export function toLinked(signup: StoredSignup, record: MailboxRecord | undefined, open: readonly Row[]): LinkedSignup {
  const mailbox = record ? { mailbox: record.mailbox, publication: record.publication } : null;
  return { signup, mailbox, open: open.map(toOpen) };
}

/** A claimed signup that may get a mail. */
export interface MailCandidate extends Mailbox {
  readonly signup: ClaimedSignup;
}

/** @param publications - of the forms, by name */
export function mailCandidates(
  claimed: readonly ClaimedSignup[],
  publications: Readonly<Record<string, string>>,
): readonly MailCandidate[] {
  return claimed.map((signup) => ({
    ...mailboxOf(signup.submission.email, publications[signup.form] ?? ''),
    signup,
  }));
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
  const changed = new Map<string, MailboxRecord>();
  const mailed: ClaimedSignup[] = [];
  const kept: Unmailed[] = [];
  for (const { signup, mailbox, publication } of candidates) {
    const key = keyOf({ mailbox, publication });
    const nothing = { mailbox, publication, mails: 0, lastMailAt: 0, suppressedAt: null, signups: [] };
    const record = known.get(key) ?? nothing;
    const { id, form } = signup;
    const own = record.signups.find((each) => each.id === id);
    const turn = turnOf(record, own, signup, sent, now);
    if ('mails' in turn) mailed.push(signup);
    else kept.push({ id, ...turn });
    if (own && !('mails' in turn)) continue;
    const others = record.signups.filter((each) => each !== own);
    const next = 'mails' in turn ? { ...record, mails: turn.mails, lastMailAt: now } : record;
    const entry = { id, form, mailedAt: 'mails' in turn ? now : null };
    known.set(key, { ...next, signups: [...others, entry].slice(-mailboxSignups) });
    changed.set(key, known.get(key) ?? next);
  }
  return { mailed, kept, records: [...changed.values()] };
}

const suppressed = 'no confirmation mail: the owner of the mailbox has said that it was not them';
const waiting = 'no confirmation mail yet: the mailbox has one already, and gets the next when its wait is over';

/** @returns the number of mails with this one, or until when there is none */
function turnOf(
  { mails, lastMailAt, suppressedAt, signups }: MailboxRecord,
  own: MailboxSignup | undefined,
  { form, dueAt, tried }: ClaimedSignup,
  sent: ReadonlySet<string>,
  now: number,
): { readonly mails: number } | Omit<Unmailed, 'id'> {
  if (suppressedAt !== null) return { until: null, reason: suppressed };
  const mailedAt = own?.mailedAt ?? null;
  // A time in the future is that of a clock that was wrong.
  const isKnown = (at: number): boolean => at <= now + dayMs;
  // The page of that mail's link shows it.
  const isCovered = signups.some(
    (each) =>
      each.form === form &&
      each.mailedAt !== null &&
      each.mailedAt >= dueAt &&
      isKnown(each.mailedAt) &&
      sent.has(each.id),
  );
  if (own?.left || (mailedAt === null && isCovered)) return { until: null, reason: null };
  // A mail that surely was not sent has its turn already, unless the mailbox was mailed since.
  const isUnsent = mailedAt !== null && !tried;
  const before = isUnsent ? Math.max(0, mails - 1) : mails;
  const until = isUnsent && mailedAt === lastMailAt ? now : lastMailAt + waitAfter(before);
  return now >= until || !isKnown(lastMailAt) ? { mails: before + 1 } : { until, reason: waiting };
}

/**
 * What a click makes of the record of its mailbox: the mails begin anew. A signup that came after the page was opened is
 * due now, since the mail that covered it was clicked; one that was left unticked needs no mail.
 */
export function afterClick(
  record: MailboxRecord,
  { at, confirmed, superseded, left }: Click,
): { readonly record: MailboxRecord; readonly kept: readonly Unmailed[] } {
  const gone = new Set([...confirmed.map(({ id }) => id), ...superseded]);
  const signups = record.signups
    .filter(({ id }) => !gone.has(id))
    .map((each) => (left.includes(each.id) ? { ...each, mailedAt: null, left: true as const } : each));
  const later = signups.filter((each) => each.mailedAt === null && each.left === undefined);
  return {
    record: { ...record, mails: 0, suppressedAt: null, signups },
    kept: later.map(({ id }) => ({ id, until: at, reason: null })),
  };
}
