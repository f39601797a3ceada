/** How the SQLite store says what the databases say differently. */
import type { Dialect, ReadDatabase } from '../acts/act.ts';
import { type Counts, storedCounts } from '../acts/overview.ts';
import { isHeld, isIdle, isOneOf } from '../conditions.ts';

/** All that is not delivered, by the indexes of what is due and of what is not: there may be millions delivered. */
const undelivered = `(SELECT id, state FROM signup WHERE next_attempt_at IS NOT NULL AND state <> 'delivered'
  UNION ALL SELECT id, state FROM signup WHERE ${isIdle})`;

/** Signups in review or dead, and those whose mail is held, by the same indexes: no row is read of one that is not. */
export const redrivable = (
  ofForms = '',
): string => `(SELECT id, state, last_error FROM signup WHERE ${isIdle} AND state IN ('dead', 'review')
  UNION ALL SELECT id, state, last_error FROM signup WHERE ${isHeld}
    AND id IN (SELECT id FROM signup WHERE next_attempt_at IS NOT NULL AND state = 'unconfirmed' ${ofForms}))`;

/** States in which nothing is due. */
const neverDue: ReadonlySet<string> = new Set(['dead', 'review']);

export const dialect: Dialect = {
  table: (name) => name,
  find: 'instr',
  // One value for all of them: a Durable Object takes a hundred values per query.
  among: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  within: (column, query) => `${column} IN (${query})`,
  each: (list, name) => `json_each(${list}) AS ${name}`,
  rows(_table, list, columns) {
    const values = columns.map((column) => {
      const [name, as = name] = column.split(' AS ');
      return `value ->> '${name}' AS ${as}`;
    });
    return `(SELECT ${values.join(', ')} FROM json_each(${list}))`;
  },
  entries: 'json_each(m.signups) AS e',
  id: (text) => text,
  unindexed: (column) => `+${column}`,
  // '~' sorts after every character of a hash.
  ofPeople: (list) =>
    `json_each(${list}) AS p CROSS JOIN signup AS s ON s.content >= p.value AND s.content < p.value || '~'`,
  undelivered,
  ofStates: (states) =>
    states.some((state) => !neverDue.has(state))
      ? `id IN (SELECT id FROM ${undelivered} WHERE ${isOneOf(states)})`
      : `${isIdle} AND ${isOneOf(states)}`,
  redrivable: `id IN (SELECT id FROM ${redrivable()})`,
  // In one transaction: what finds them walks all of them.
  atOnce: 1_000_000_000,
  skipLocked: () => '',
  awaitLocked: '',
};

/** The counts of a file. */
export function tallied(db: ReadDatabase): Counts {
  const ofForms = `AND ${db.inTime} AND form IN (SELECT form FROM tally WHERE state = 'unconfirmed' AND count > 0)`;
  return storedCounts(db, 'tally', redrivable(ofForms));
}
