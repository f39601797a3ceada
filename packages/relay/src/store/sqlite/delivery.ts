/** Signups in the SQLite store on their way to the API: accepted, claimed for attempts, and settled. */
import { peopleOf, planClaim } from '../claim-plan.ts';
import { hasLeft } from '../conditions.ts';
import { type MailCandidate, mailCandidates } from '../mailbox-mails.ts';
import { earliest } from '../overview.ts';
import {
  type Candidate,
  claimableStates,
  firstEntry,
  newRow,
  openStatus,
  type OpenStatusRow,
  settledColumns,
  type SignupOfPerson,
  signupColumns,
  stored,
  toOpenStatus,
} from '../rows.ts';
import { signupId } from '../signup-identity.ts';
import {
  blockedMs,
  type Claim,
  type ClaimedSignup,
  claimMs,
  type ConsentRecord,
  type DeliveryStore,
  freshMs,
  heldMs,
  neverAttempted,
} from '../signup-store.ts';
import type { DeliveredCount } from './delivered-count.ts';
import { type SqliteValue, statementsOf, type StoreDatabase } from './driver.ts';
import { ofPerson } from './sql-parts.ts';

/** What delivery needs of the other parts of the store. */
interface DeliveryParts {
  addConsent(this: void, entry: ConsentRecord): void;
  readonly delivered: DeliveredCount;
  /** Runs in the transaction of a claim. */
  claimMails(this: void, candidates: readonly MailCandidate[], now: number): readonly ClaimedSignup[];
}

export function deliveryStore(db: StoreDatabase, { addConsent, delivered, claimMails }: DeliveryParts): DeliveryStore {
  const { reads, writes } = db;
  const { one, all, run, change, insert } = statementsOf(db);
  const insertSignup = insert('INSERT', 'signup', signupColumns);
  const candidates = candidatesIn(db);
  const signupsOfPerson = all<[person: string], SignupOfPerson>(
    `SELECT id, state, intent, content, due_at AS dueAt FROM signup WHERE ${ofPerson}`,
  );
  const remove = run<[id: string]>('DELETE FROM signup WHERE id = ?');
  const postpone = run<[id: string, until: number]>('UPDATE signup SET next_attempt_at = ?2 WHERE id = ?1');
  const markSent = run<[id: string, tried: number, batch: string | null, until: number | null]>(
    `UPDATE signup SET state = 'sent', attempts = attempts + 1, tried = ?2, batch = ?3, next_attempt_at = ?4 WHERE id = ?1`,
  );
  const beginBatch = run<[id: string, publicationId: string, now: number]>(
    'INSERT OR IGNORE INTO batch (id, publication, claimed_at) VALUES (?, ?, ?)',
  );
  const settle = change<[id: string, ...outcome: SqliteValue[]]>(
    `UPDATE signup SET state = ?2, tried = ?7 OR (tried AND state <> 'unconfirmed'), batch = NULL,
       next_attempt_at = CASE WHEN ${hasLeft} AND ?2 = 'delivered' THEN ?4 ELSE ?3 END, settled_at = ?4,
       last_error = CASE WHEN ${hasLeft} THEN last_error ELSE ?5 END, status = ?6
     WHERE id = ?1 AND (state = 'unconfirmed' OR (state = 'sent' AND ?2 <> 'unconfirmed'))`,
  );
  const release = run<[id: string]>(`UPDATE signup SET state = 'waiting', attempts = attempts - 1, batch = NULL,
       next_attempt_at = CASE WHEN attempts = 1 AND tried = 0 THEN 0 ELSE due_at END WHERE id = ? AND state = 'sent'`);
  const backlog = one<[form: string, limit: number], { readonly count: number }>(`SELECT count(*) AS count FROM (
       SELECT 1 FROM signup WHERE form = ? AND state = 'waiting' AND next_attempt_at = 0 LIMIT ?)`);
  const nextDue = one<[form: string, state: string], { readonly nextAttemptAt: number }>(
    `SELECT next_attempt_at AS nextAttemptAt FROM signup
     WHERE form = ? AND state = ? AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1`,
  );
  const openStatuses = all<[form: string, now: number, limit: number], OpenStatusRow>(
    `SELECT ${openStatus} FROM signup WHERE form = ? AND state = 'delivered' AND next_attempt_at <= ?
       AND submission IS NOT NULL ORDER BY next_attempt_at LIMIT ?`,
  );
  const settleStatus = change<[id: string, status: string | null, askAgainAt: number | null, hasLeft: number]>(
    `UPDATE signup SET status = ?2, next_attempt_at = ?3
     WHERE id = ?1 AND state = 'delivered' AND next_attempt_at IS NOT NULL AND coalesce(${hasLeft}, 0) = ?4`,
  );
  // 1: due, whatever the clock says.
  const requeueInterrupted = run<[]>(
    `UPDATE signup SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL AND state = 'sent' AND batch IS NULL`,
  );
  // A mail may be held for a day.
  const pullForward = change<[now: number, latest: number]>(
    `UPDATE signup SET next_attempt_at = ?1 WHERE next_attempt_at IS NOT NULL
       AND next_attempt_at > ?2 + CASE state WHEN 'unconfirmed' THEN ${heldMs} ELSE 0 END
       AND NOT (state = 'unconfirmed' AND tried)`,
  );
  /**
   * The file lock makes this process the only one: single attempts in flight were interrupted when the last process
   * ended. They are due again with the first claim, not when the file is opened, so that a relay starts on a full disk
   * too. Later, claims expire.
   */
  let hasRequeued = false;
  return {
    accept(signup) {
      const id = signupId(signup.receivedAt);
      const row = newRow(id, signup);
      const entry = firstEntry(row, signup);
      return writes(() => {
        insertSignup(row);
        if (entry) addConsent(entry);
        return id;
      })();
    },
    claim: writes((claim): readonly ClaimedSignup[] => {
      const { now, batch, mailsOf } = claim;
      if (!hasRequeued) requeueInterrupted();
      hasRequeued = true;
      const state = mailsOf ? 'unconfirmed' : 'waiting';
      const rows = candidates(claim, state);
      const signupsOfPeople = peopleOf(rows).flatMap((person) => signupsOfPerson(person));
      const { claimed, duplicates, blocked } = planClaim(rows, signupsOfPeople, state);
      for (const id of duplicates) remove(id);
      for (const id of blocked) postpone(id, now + blockedMs);
      if (mailsOf) return claimMails(mailCandidates(claimed, rows, mailsOf), now);
      for (const { id, tried } of claimed) markSent(id, Number(tried), batch?.id ?? null, batch ? null : now + claimMs);
      if (batch && claimed.length > 0) beginBatch(batch.id, batch.publicationId, now);
      return claimed;
    }),
    async settle(ids, outcome) {
      const { state, nextAttemptAt, settledAt, reason, status, tried } = settledColumns(outcome);
      const settled = writes(() =>
        ids.reduce((sum, id) => sum + settle(id, state, nextAttemptAt, settledAt, reason, status, tried), 0),
      )();
      await (state === 'delivered' ? delivered.changedBy(settled, (changed) => changed) : settled);
    },
    release: writes((ids) => ids.forEach((id) => release(id))),
    backlog: reads((forms, max) =>
      forms.reduce((count, form) => (count < max ? count + (backlog(form, max - count)?.count ?? 0) : max), 0),
    ),
    nextDueAt: reads((forms, state) =>
      earliest(
        claimableStates(state).flatMap((each) => forms.map((form) => nextDue(form, each)?.nextAttemptAt ?? null)),
      ),
    ),
    pullForward: writes((now, longestMs) => pullForward(now, now + longestMs)),
    openStatuses: reads((forms, now, limit) =>
      forms
        .flatMap((form) => openStatuses(form, now, limit).map(toOpenStatus))
        .toSorted((a, b) => a.settledAt - b.settledAt)
        .slice(0, limit),
    ),
    settleStatuses: writes((known) =>
      known.filter(
        ({ id, status, askAgainAt, hasLeft: left = false }) => settleStatus(id, status, askAgainAt, Number(left)) === 1,
      ),
    ),
  };
}

/** The signups that a claim may claim, in its order. */
function candidatesIn(db: StoreDatabase) {
  const { all } = statementsOf(db);
  // 0: never attempted.
  const fresh = all<[form: string, state: string, since: number, limit: number], Candidate>(
    `SELECT ${stored}, content FROM signup
     WHERE form = ? AND state = ? AND next_attempt_at = 0 AND due_at > ? ORDER BY due_at LIMIT ?`,
  );
  const due = all<[form: string, state: string, now: number, limit: number], Candidate>(
    `SELECT ${stored}, content FROM signup
     WHERE form = ? AND state = ? AND next_attempt_at <= ? ORDER BY next_attempt_at, due_at LIMIT ?`,
  );
  return ({ forms, limit, now, batch }: Claim, state: 'waiting' | 'unconfirmed'): readonly Candidate[] => {
    const first = forms.flatMap((form) => fresh(form, state, now - freshMs, limit)).toSorted(byDue);
    if (first.length >= limit) return first.slice(0, limit);
    const rest = claimableStates(state, batch !== undefined).flatMap((each) =>
      forms.flatMap((form) => due(form, each, batch ? neverAttempted : now, limit)),
    );
    const ids = new Set(first.map(({ id }) => id));
    return [...first, ...rest.filter(({ id }) => !ids.has(id)).toSorted(byAttempt)].slice(0, limit);
  };
}

function byDue(one: Candidate, other: Candidate): number {
  return one.dueAt - other.dueAt;
}

function byAttempt(one: Candidate, other: Candidate): number {
  return Number(one.nextAttemptAt) - Number(other.nextAttemptAt) || byDue(one, other);
}
