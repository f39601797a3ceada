/** Signups on their way to the API: claimed for attempts, and settled. */
import { peopleOf, planClaim } from '../claim-plan.ts';
import { hasLeft } from '../conditions.ts';
import { mailCandidates } from '../mailbox-mails.ts';
import {
  type Candidate,
  claimableStates,
  openStatus,
  type OpenStatusRow,
  settledColumns,
  type SignupOfPerson,
  toClaimed,
  toOpenStatus,
} from '../rows.ts';
import {
  blockedMs,
  type Claim,
  type ClaimedSignup,
  claimMs,
  type DeliveryOutcome,
  type DeliveryStore,
  heldMs,
  leftByMail,
} from '../signup-store.ts';
import { type Act, type Database, json, actsOf } from './act.ts';
import type { mailboxStore } from './mailboxes.ts';

/** What delivery needs of the other parts of the store. */
interface DeliveryParts {
  /** The signups that a claim may claim, in its order. */
  candidates(this: void, claim: Claim, state: 'waiting' | 'unconfirmed'): Act<readonly Candidate[]>;
  /** When the next signup of these forms and states is due; null if none is. */
  nextDue(this: void, forms: readonly string[], states: readonly string[]): Act<number | null>;
  readonly claimMails: ReturnType<typeof mailboxStore>['claimMails'];
}

export function deliveryStore(db: Database, { candidates, nextDue, claimMails }: DeliveryParts) {
  const { read, writeOne, alone, dialect } = db;
  const { table, among, unindexed, each } = dialect;
  const { one, all, run, change } = actsOf(db);
  const signup = table('signup');
  const state = unindexed('s.state');
  const signupsOfPeople = all<[people: readonly string[]], SignupOfPerson>(
    `SELECT s.id, s.state, s.intent, s.content, s.due_at AS "dueAt" FROM ${dialect.ofPeople('$1')}`,
  );
  const remove = run<[ids: readonly string[]]>(`DELETE FROM ${signup} WHERE ${among('id', '$1')}`);
  const postpone = run<[ids: readonly string[], until: number]>(
    `UPDATE ${signup} SET next_attempt_at = $2 WHERE ${among('id', '$1')}`,
  );
  const markSent = run<[ids: readonly string[], batch: string | null, until: number | null]>(
    `UPDATE ${signup} SET state = 'sent', attempts = attempts + 1, tried = (tried OR state = 'sent'), batch = $2,
       next_attempt_at = $3 WHERE ${among('id', '$1')}`,
  );
  const beginBatch = run<[id: string, publicationId: string, now: number]>(
    `INSERT INTO ${table('batch')} (id, publication, claimed_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
  );
  const columns = ['id', 'state', 'attempts', 'tried', 'next_attempt_at', 'settled_at', 'last_error', 'status'];
  const settle = change<[rows: string]>(
    `UPDATE ${signup} AS s SET state = o.state, tried = (o.tried OR (s.tried AND s.state <> 'unconfirmed')), batch = NULL,
       next_attempt_at = CASE WHEN s.${hasLeft} AND o.state = 'delivered' THEN o.settled_at ELSE o.next_attempt_at END,
       settled_at = o.settled_at, last_error = CASE WHEN s.${hasLeft} THEN s.last_error ELSE o.last_error END,
       status = o.status
     FROM ${dialect.rows('signup', '$1', columns)} AS o
     WHERE s.id = o.id AND ${state} = CASE o.attempts WHEN 0 THEN 'unconfirmed' ELSE 'sent' END`,
  );
  const release = run<[ids: readonly string[]]>(`UPDATE ${signup} AS s SET state = 'waiting', attempts = attempts - 1,
       batch = NULL, next_attempt_at = CASE WHEN attempts = 1 AND NOT tried THEN 0 ELSE due_at END
     WHERE ${among('id', '$1')} AND ${state} = 'sent'`);
  const backlog = one<[forms: readonly string[], limit: number], { readonly count: number | null }>(
    `SELECT CAST(sum((SELECT count(*) FROM (SELECT 1 FROM ${signup}
         WHERE form = f.value AND state = 'waiting' AND next_attempt_at = 0 ORDER BY due_at LIMIT $2) AS few)) AS bigint) AS count
     FROM ${each('$1', 'f')}`,
  );
  const openStatuses = all<[form: string, now: number, limit: number], OpenStatusRow>(
    `SELECT ${openStatus} FROM ${signup} WHERE form = $1 AND state = 'delivered' AND next_attempt_at <= $2
       AND submission IS NOT NULL ORDER BY next_attempt_at LIMIT $3`,
  );
  const known = dialect.rows('signup', '$1', ['id AS known', 'status', 'next_attempt_at', 'last_error']);
  const settleStatuses = all<[known: string], { readonly id: string }>(
    `UPDATE ${signup} AS s SET status = k.status, next_attempt_at = k.next_attempt_at FROM ${known} AS k
     WHERE s.id = k.known AND ${state} = 'delivered' AND s.next_attempt_at IS NOT NULL
       AND s.last_error IS NOT DISTINCT FROM k.last_error RETURNING id`,
  );
  // A mail may be held for a day.
  const pullForward = change<[now: number, latest: number]>(
    `UPDATE ${signup} SET next_attempt_at = $1 WHERE next_attempt_at IS NOT NULL
       AND next_attempt_at > CAST($2 AS bigint) + CASE state WHEN 'unconfirmed' THEN ${heldMs} ELSE 0 END
       AND NOT (state = 'unconfirmed' AND tried)`,
  );
  const methods: Omit<DeliveryStore, 'accept' | 'settle'> = {
    claim: alone(function* (claim): Act<readonly ClaimedSignup[]> {
      const { now, batch, mailsOf } = claim;
      const claims = mailsOf ? 'unconfirmed' : 'waiting';
      const rows = yield* candidates(claim, claims);
      if (rows.length === 0) return [];
      const plan = planClaim(rows, yield* signupsOfPeople(peopleOf(rows)), claims);
      if (plan.duplicates.length > 0) yield* remove(plan.duplicates);
      if (plan.blocked.length > 0) yield* postpone(plan.blocked, now + blockedMs);
      if (mailsOf) return yield* claimMails(mailCandidates(plan.claimed, mailsOf), now);
      if (plan.claimed.length === 0) return [];
      yield* markSent(
        plan.claimed.map(({ id }) => id),
        batch?.id ?? null,
        batch ? null : now + claimMs,
      );
      if (batch) yield* beginBatch(batch.id, batch.publicationId, now);
      return plan.claimed.map(toClaimed);
    }),
    release: writeOne(release),
    backlog: read(function* (forms, max) {
      return Math.min(max, (yield* backlog(forms, max))?.count ?? 0);
    }),
    nextDueAt: read((forms, of) => nextDue(forms, claimableStates(of))),
    pullForward: writeOne((now, longestMs) => pullForward(now, now + longestMs)),
    openStatuses: read(function* (forms, now, limit) {
      const rows: OpenStatusRow[] = [];
      for (const form of forms) rows.push(...(yield* openStatuses(form, now, limit)));
      return rows
        .map(toOpenStatus)
        .toSorted((a, b) => a.settledAt - b.settledAt)
        .slice(0, limit);
    }),
    settleStatuses: writeOne((answers) =>
      settleStatuses(
        json(
          answers.map(({ id, status, askAgainAt, hasLeft: left }) => {
            return { id, status, next_attempt_at: askAgainAt, last_error: left ? leftByMail : null };
          }),
        ),
      ),
    ),
  };
  /** Stores outcomes, each of some signups. */
  function* settled(outcomes: readonly Settlement[]): Act<void> {
    const rows = outcomes.flatMap(({ ids, outcome }) => ids.map((id) => ({ id, ...settledColumns(outcome) })));
    // In the order of ids, so that two relays do not wait for each other.
    const changed = yield* settle(json(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))));
    if (outcomes.some(({ outcome }) => outcome.state === 'delivered')) db.delivered(changed);
  }
  return { methods, settled };
}

/** An outcome, and the signups that have it. */
export interface Settlement {
  readonly ids: readonly string[];
  readonly outcome: DeliveryOutcome;
}
