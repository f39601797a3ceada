/** Signups in the PostgreSQL store on their way to the API: accepted, claimed for attempts, and settled. */
import { peopleOf, planClaim } from '../claim-plan.ts';
import { hasLeft } from '../conditions.ts';
import { asStoreUnavailable, isStoreFailure } from '../database-errors.ts';
import { PostgresGroupCommit } from '../group-commit.ts';
import { mailCandidates } from '../mailbox-mails.ts';
import {
  type Candidate,
  claimableStates,
  firstEntry,
  newRow,
  openStatus,
  type OpenStatusRow,
  settledColumns,
  type SignupOfPerson,
  type SignupRow,
  signupColumns,
  toOpenStatus,
} from '../rows.ts';
import { signupId } from '../signup-identity.ts';
import {
  blockedMs,
  type Claim,
  type ClaimedSignup,
  claimMs,
  type ConsentRecord,
  type DeliveryOutcome,
  type DeliveryStore,
  freshMs,
  heldMs,
  type KnownStatus,
  leftByMail,
  neverAttempted,
} from '../signup-store.ts';
import { type Alone, json, type RunQuery } from './connections.ts';
import type { Statements } from './statements.ts';
import { claimMails } from './mailboxes.ts';
import { batch, consent, entry, ofPeople, rowsOf, signup, stored, unindexedState } from './sql-parts.ts';

/** Maximum number of signups written in one statement. */
const maxGroupSize = 500;

const columns = signupColumns.join(', ');

/** Inserts signups and entries of the ledger. */
export const insertSignups = `WITH kept AS (INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${rowsOf(signup, '$1')})
  INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')}`;

const settle = `UPDATE ${signup} AS s SET state = o.state, tried = o.tried OR (s.tried AND s.state <> 'unconfirmed'), batch = NULL,
    next_attempt_at = CASE WHEN s.${hasLeft} AND o.state = 'delivered' THEN o.settled_at ELSE o.next_attempt_at END,
    settled_at = o.settled_at, last_error = CASE WHEN s.${hasLeft} THEN s.last_error ELSE o.last_error END, status = o.status
  FROM (SELECT * FROM ${rowsOf(signup, '$1')} ORDER BY id) AS o
  WHERE s.id = o.id AND (${unindexedState('s')} = 'unconfirmed' OR (${unindexedState('s')} = 'sent' AND o.state <> 'unconfirmed'))`;

interface Arrival {
  readonly row: SignupRow;
  readonly consent: ConsentRecord | null;
}

interface Settlement {
  readonly ids: readonly string[];
  readonly outcome: DeliveryOutcome;
}

export function deliveryStore(
  { brief, read, write, changed }: Statements,
  alone: Alone,
): { readonly methods: DeliveryStore; done(this: void): Promise<unknown> } {
  const group = { maxItems: maxGroupSize, isSingleItemFailure: (error: unknown) => !isStoreFailure(error) };
  const arrivals = new PostgresGroupCommit<Arrival>({
    ...group,
    async commit(items) {
      const consents = items.map((each) => each.consent).filter((each) => each !== null);
      await brief.query(insertSignups, [json(items.map(({ row }) => row)), json(consents)]);
    },
  });
  const settlements = new PostgresGroupCommit<Settlement>({
    ...group,
    commit: async (items) => void (await brief.query(settle, [json(items.flatMap(settledRows))])),
  });
  // 0: never attempted.
  const backlog = read(
    `SELECT count(*) AS count FROM (SELECT FROM unnest($1::text[]) AS f(form) CROSS JOIN LATERAL (
      SELECT FROM ${signup} WHERE form = f.form AND state = 'waiting' AND next_attempt_at = 0 LIMIT $2) AS s LIMIT $2) AS counted`,
    ([row]: readonly { readonly count: number }[]) => row?.count ?? 0,
  );
  const nextDue = read(
    `SELECT min(s.next_attempt_at) AS "nextAttemptAt" FROM unnest($1::text[]) AS f(form) CROSS JOIN unnest($2::text[]) AS t(state)
      CROSS JOIN LATERAL (SELECT next_attempt_at FROM ${signup} WHERE form = f.form AND state = t.state AND next_attempt_at IS NOT NULL
        ORDER BY next_attempt_at LIMIT 1) AS s`,
    ([row]: readonly { readonly nextAttemptAt: number | null }[]) => row?.nextAttemptAt ?? null,
  );
  // A mail may be held for a day.
  const pullForward = changed(`UPDATE ${signup} SET next_attempt_at = $1 WHERE next_attempt_at IS NOT NULL
      AND next_attempt_at > $2::bigint + CASE state WHEN 'unconfirmed' THEN ${heldMs} ELSE 0 END
      AND NOT (state = 'unconfirmed' AND tried) RETURNING id`);
  const settleStatuses = read(
    `UPDATE ${signup} AS s SET status = k.status, next_attempt_at = k.next_attempt_at FROM ${rowsOf(signup, '$1')} AS k
      WHERE s.id = k.id AND ${unindexedState('s')} = 'delivered' AND s.next_attempt_at IS NOT NULL AND s.last_error IS NOT DISTINCT FROM k.last_error
      RETURNING s.id`,
    (rows: readonly { readonly id: string }[]) => rows,
    'written',
  );
  const methods: DeliveryStore = {
    async accept(given) {
      const id = signupId(given.receivedAt);
      const row = newRow(id, given);
      await asStoreUnavailable('written', () => arrivals.run({ row, consent: firstEntry(row, given) }));
      return id;
    },
    claim: (claim) => alone((query) => claimIn(query, claim)),
    settle: (ids, outcome) => asStoreUnavailable('written', () => settlements.run({ ids, outcome })),
    release: write(`UPDATE ${signup} AS s SET state = 'waiting', attempts = attempts - 1, batch = NULL,
        next_attempt_at = CASE WHEN attempts = 1 AND NOT tried THEN 0 ELSE due_at END
      WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'sent'`),
    backlog,
    nextDueAt: (forms, state) => nextDue(forms, claimableStates(state)),
    pullForward: (now, longestMs) => pullForward(now, now + longestMs),
    openStatuses: read(
      `SELECT s.* FROM unnest($1::text[]) AS f(form) CROSS JOIN LATERAL (SELECT ${openStatus} FROM ${signup}
        WHERE form = f.form AND state = 'delivered' AND next_attempt_at <= $2 AND submission IS NOT NULL
        ORDER BY next_attempt_at LIMIT $3) AS s ORDER BY "settledAt" LIMIT $3`,
      (rows: readonly OpenStatusRow[]) => rows.map(toOpenStatus),
    ),
    settleStatuses: (known) =>
      settleStatuses(
        json(
          known.map(({ id, hasLeft: left, ...each }) => ({
            id,
            last_error: left ? leftByMail : null,
            ...statusColumns(each),
          })),
        ),
      ),
  };
  return { methods, done: () => Promise.all([arrivals.done(), settlements.done()]) };
}

export const statusColumns = ({ status, askAgainAt }: KnownStatus) => ({ status, next_attempt_at: askAgainAt });

function settledRows({ ids, outcome }: Settlement) {
  const { nextAttemptAt, settledAt, reason, ...same } = settledColumns(outcome);
  const row = { ...same, next_attempt_at: nextAttemptAt, settled_at: settledAt, last_error: reason };
  return ids.map((id) => ({ id, ...row }));
}

/** The earliest signups of forms and states, by an index scan that never reads signups that are not due. */
const earliestOf = (forms: string, states: string, condition: string): string => `
  SELECT c.* FROM unnest(${forms}::text[]) AS f(form) CROSS JOIN unnest(${states}::text[]) AS t(state) CROSS JOIN LATERAL (
    SELECT id, state, next_attempt_at, due_at FROM ${signup}
    WHERE form = f.form AND state = t.state AND ${condition} ORDER BY next_attempt_at, due_at LIMIT $4) AS c`;

// 0: never attempted. Rows changed between selection and lock are skipped.
const candidates = `WITH chosen AS (
    SELECT 0 AS turn, * FROM (${earliestOf('$1', 'ARRAY[$2]', 'next_attempt_at = 0 AND due_at > $3')}) AS fresh
    UNION ALL
    SELECT 1, * FROM (${earliestOf('$1', '$5', 'next_attempt_at <= $6 AND NOT (next_attempt_at = 0 AND due_at > $3)')}) AS due
    ORDER BY 1, next_attempt_at, due_at, id LIMIT $4)
  SELECT ${stored}, s.content FROM chosen AS c
    JOIN ${signup} AS s ON s.id = c.id AND (s.state, s.next_attempt_at) IS NOT DISTINCT FROM (c.state, c.next_attempt_at)
  ORDER BY c.turn, c.next_attempt_at, c.due_at, c.id FOR UPDATE OF s SKIP LOCKED`;

const signupsOfPeople = `SELECT s.id, s.state, s.intent, s.content, s.due_at AS "dueAt" FROM ${ofPeople}`;

const markSent = `UPDATE ${signup} SET state = 'sent', attempts = attempts + 1, tried = tried OR state = 'sent', batch = $2, next_attempt_at = $3
  WHERE id = ANY($1::uuid[])`;

async function claimIn(
  query: RunQuery,
  { forms, limit, now, batch: into, mailsOf }: Claim,
): Promise<readonly ClaimedSignup[]> {
  const state = mailsOf ? 'unconfirmed' : 'waiting';
  const states = claimableStates(state, into !== undefined);
  const due = into ? neverAttempted : now;
  const rows = await query<Candidate>(candidates, [forms, state, now - freshMs, limit, states, due]);
  if (rows.length === 0) return [];
  const ofPeopleKnown = await query<SignupOfPerson>(signupsOfPeople, [peopleOf(rows)]);
  const { claimed, duplicates, blocked } = planClaim(rows, ofPeopleKnown, state);
  const ids = claimed.map(({ id }) => id);
  if (duplicates.length > 0) await query(`DELETE FROM ${signup} WHERE id = ANY($1::uuid[])`, [duplicates]);
  if (blocked.length > 0)
    await query(`UPDATE ${signup} SET next_attempt_at = $2 WHERE id = ANY($1::uuid[])`, [blocked, now + blockedMs]);
  if (mailsOf) return claimMails(query, mailCandidates(claimed, rows, mailsOf), now);
  if (ids.length > 0) await query(markSent, [ids, into?.id ?? null, into ? null : now + claimMs]);
  if (ids.length > 0 && into)
    await query(`INSERT INTO ${batch} (id, publication, claimed_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`, [
      into.id,
      into.publicationId,
      now,
    ]);
  return claimed;
}
