/** Signups that arrive in the PostgreSQL store, outcomes, and what a claim may claim: many of them in one statement. */
import { type Act, actsOf, type Database, json } from '../acts/act.ts';
import { deliveryStore, type Settlement } from '../acts/delivery.ts';
import type { mailboxStore } from '../acts/mailboxes.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { createPostgresGroupCommit } from '../group-commit.ts';
import {
  type Candidate,
  claimableStates,
  firstEntry,
  ledgerColumns,
  newRow,
  type SignupRow,
  signupColumns,
  stored,
} from '../rows.ts';
import { signupId } from '../signup-identity.ts';
import { type Claim, type ConsentRecord, type DeliveryStore, freshMs, neverAttempted } from '../signup-store.ts';
import type { Connections } from './connections.ts';
import { carryOut } from './database.ts';
import { consent, rowsOf, signup } from './sql-parts.ts';

const columns = signupColumns.join(', ');
const entry = ledgerColumns.join(', ');

/** Inserts signups and entries of the ledger. */
export const insertSignups = `WITH kept AS (INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${rowsOf(signup, '$1')})
  INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')}`;

interface Arrival {
  readonly row: SignupRow;
  readonly consent: ConsentRecord | null;
}

export function groupedDelivery(
  db: Database,
  { query }: Pick<Connections, 'query'>,
  { claimMails }: Pick<ReturnType<typeof mailboxStore>, 'claimMails'>,
): { readonly methods: DeliveryStore; done(this: void): Promise<unknown> } {
  const { methods, settled } = deliveryStore(db, {
    candidates: candidatesIn(db),
    nextDue: nextDueIn(db),
    claimMails,
  });
  const arrivals = createPostgresGroupCommit<Arrival>(async (items) => {
    const consents = items.map((each) => each.consent).filter((each) => each !== null);
    await query(insertSignups, [json(items.map(({ row }) => row)), json(consents)]);
  });
  const settlements = createPostgresGroupCommit<Settlement>((items) => carryOut(settled(items), query));
  return {
    methods: {
      ...methods,
      async accept(given) {
        const id = signupId(given.receivedAt);
        const row = newRow(id, given);
        await asStoreUnavailable('written', () => arrivals.run({ row, consent: firstEntry(row, given) }));
        return id;
      },
      settle: (ids, outcome) => asStoreUnavailable('written', () => settlements.run({ ids, outcome })),
    },
    done: () => Promise.all([arrivals.done(), settlements.done()]),
  };
}

/** The earliest signups of forms and states, by an index scan that never reads signups that are not due. */
const earliestOf = (forms: string, states: string, condition: string): string => `
  SELECT c.* FROM unnest(${forms}::text[]) AS f(form) CROSS JOIN unnest(${states}::text[]) AS t(state) CROSS JOIN LATERAL (
    SELECT id, state, next_attempt_at, due_at FROM ${signup}
    WHERE form = f.form AND state = t.state AND ${condition} ORDER BY next_attempt_at, due_at LIMIT $4) AS c`;

/** The signups that a claim may claim, in its order. */
function candidatesIn(db: Database) {
  // 0: never attempted. Rows changed between selection and lock are skipped.
  const candidates = actsOf(db).all<
    [forms: readonly string[], state: string, since: number, limit: number, states: readonly string[], due: number],
    Candidate
  >(`WITH chosen AS (
      SELECT 0 AS turn, * FROM (${earliestOf('$1', 'ARRAY[$2]', 'next_attempt_at = 0 AND due_at > $3')}) AS fresh
      UNION ALL
      SELECT 1, * FROM (${earliestOf('$1', '$5', 'next_attempt_at <= $6 AND NOT (next_attempt_at = 0 AND due_at > $3)')}) AS due
      ORDER BY 1, next_attempt_at, due_at, id LIMIT $4)
    SELECT ${stored}, s.content FROM chosen AS c
      JOIN ${signup} AS s ON s.id = c.id AND (s.state, s.next_attempt_at) IS NOT DISTINCT FROM (c.state, c.next_attempt_at)
    ORDER BY c.turn, c.next_attempt_at, c.due_at, c.id FOR UPDATE OF s SKIP LOCKED`);
  return ({ forms, limit, now, batch }: Claim, state: 'waiting' | 'unconfirmed'): Act<readonly Candidate[]> =>
    candidates(
      forms,
      state,
      now - freshMs,
      limit,
      claimableStates(state, batch !== undefined),
      batch ? neverAttempted : now,
    );
}

function nextDueIn(db: Database) {
  const nextDue = actsOf(db).one<[forms: readonly string[], states: readonly string[]], { readonly at: number | null }>(
    `SELECT min((SELECT next_attempt_at FROM ${signup} WHERE form = f.form AND state = t.state
        AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1)) AS at
      FROM unnest($1::text[]) AS f(form) CROSS JOIN unnest($2::text[]) AS t(state)`,
  );
  return function* (forms: readonly string[], states: readonly string[]): Act<number | null> {
    return (yield* nextDue(forms, states))?.at ?? null;
  };
}
