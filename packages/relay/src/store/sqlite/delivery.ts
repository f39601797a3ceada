/** Signups that arrive in the SQLite store, and those of them that a claim may claim. */
import { type Act, actsOf, type Database } from '../acts/act.ts';
import type { createSqliteGroupCommit } from '../group-commit.ts';
import { earliest } from '../overview.ts';
import { type Candidate, claimableStates, firstEntry, ledgerColumns, newRow, signupColumns, stored } from '../rows.ts';
import { signupId } from '../signup-identity.ts';
import { type Claim, freshMs, neverAttempted, type SignupStore } from '../signup-store.ts';
import type { SqliteDriver, SqliteValue } from './driver.ts';

/** Takes signups, without the detour of an act: there may be thousands in a second. */
export function acceptIn(
  { prepare }: Pick<SqliteDriver, 'prepare'>,
  commits: Pick<ReturnType<typeof createSqliteGroupCommit>, 'run'>,
): SignupStore['accept'] {
  const insert = <Name extends string>(verb: string, table: string, columns: readonly Name[]) => {
    const statement = prepare(
      `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    return (row: Readonly<Record<Name, SqliteValue>>) => statement.run(...columns.map((name) => row[name]));
  };
  const addSignup = insert('INSERT', 'signup', signupColumns);
  const addEntry = insert('INSERT OR IGNORE', 'consent', ledgerColumns);
  return (signup) => {
    const id = signupId(signup.receivedAt);
    const row = newRow(id, signup);
    const entry = firstEntry(row, signup);
    return commits.run(() => {
      addSignup(row);
      if (entry) addEntry(entry);
      return id;
    });
  };
}

/** The signups that a claim may claim, in its order. */
export function candidatesIn(db: Database) {
  const { all, run } = actsOf(db);
  // 0: never attempted.
  const fresh = all<[form: string, state: string, since: number, limit: number], Candidate>(
    `SELECT ${stored}, content FROM signup AS s
     WHERE form = $1 AND state = $2 AND next_attempt_at = 0 AND due_at > $3 ORDER BY due_at LIMIT $4`,
  );
  const due = all<[form: string, state: string, now: number, limit: number], Candidate>(
    `SELECT ${stored}, content FROM signup AS s
     WHERE form = $1 AND state = $2 AND next_attempt_at <= $3 ORDER BY next_attempt_at, due_at LIMIT $4`,
  );
  // 1: due, whatever the clock says.
  const requeueInterrupted = run<[]>(
    `UPDATE signup SET next_attempt_at = 1 WHERE next_attempt_at IS NOT NULL AND state = 'sent' AND batch IS NULL`,
  );
  /**
   * The file lock makes this process the only one: single attempts in flight were interrupted when the last process
   * ended. They are due again with the first claim, not when the file is opened, so that a relay starts on a full disk
   * too. Later, claims expire.
   */
  let hasRequeued = false;
  return function* ({ forms, limit, now, batch }: Claim, state: 'waiting' | 'unconfirmed'): Act<readonly Candidate[]> {
    if (!hasRequeued) yield* requeueInterrupted();
    hasRequeued = true;
    const first: Candidate[] = [];
    for (const form of forms) first.push(...(yield* fresh(form, state, now - freshMs, limit)));
    first.sort(byDue);
    if (first.length >= limit) return first.slice(0, limit);
    const ids = new Set(first.map(({ id }) => id));
    const rest: Candidate[] = [];
    for (const each of claimableStates(state, batch !== undefined))
      for (const form of forms) rest.push(...(yield* due(form, each, batch ? neverAttempted : now, limit)));
    return [...first, ...rest.filter(({ id }) => !ids.has(id)).toSorted(byAttempt)].slice(0, limit);
  };
}

/** Each form by itself: in a Durable Object a row of a list costs as much as one of a table. */
export function nextDueIn(db: Database) {
  const nextDue = actsOf(db).one<[form: string, state: string], { readonly nextAttemptAt: number }>(
    `SELECT next_attempt_at AS "nextAttemptAt" FROM signup
     WHERE form = $1 AND state = $2 AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at LIMIT 1`,
  );
  return function* (forms: readonly string[], states: readonly string[]): Act<number | null> {
    const moments: (number | null)[] = [];
    for (const state of states)
      for (const form of forms) moments.push((yield* nextDue(form, state))?.nextAttemptAt ?? null);
    return earliest(moments);
  };
}

function byDue(one: Candidate, other: Candidate): number {
  return one.dueAt - other.dueAt;
}

function byAttempt(one: Candidate, other: Candidate): number {
  return Number(one.nextAttemptAt) - Number(other.nextAttemptAt) || byDue(one, other);
}
