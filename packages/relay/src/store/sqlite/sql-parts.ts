/** Parts of SQL statements that several rooms of the SQLite store share. */
import { type Dialect, isHeld, oneOf } from '../conditions.ts';
import { ledgerColumns } from '../rows.ts';

/** Entries of the ledger, each with the status that came of its signup. */
export const entries = `SELECT ${ledgerColumns.map((name) => `c.${name}`).join(', ')}, s.status FROM consent AS c
  LEFT JOIN signup AS s ON s.id = c.signup AND s.state = 'delivered'`;

/**
 * All signups of the person with the hash ?1: one range of an index, which serves deduplication by key and content, and
 * erasure. A second index of hashes would cost more than the rest of the row. '~' sorts after every character of a
 * hash.
 */
export const ofPerson = `content >= ?1 AND content < ?1 || '~'`;

/** Repeats the condition of the partial index of signups that are neither delivered nor due by themselves. */
export const isIdle = `next_attempt_at IS NULL AND state <> 'delivered'`;

/** All that is not delivered, by the indexes of what is due and of what is not: there may be millions delivered. */
export const undelivered = `(SELECT id, state FROM signup WHERE next_attempt_at IS NOT NULL AND state <> 'delivered'
  UNION ALL SELECT id, state FROM signup WHERE ${isIdle})`;

/** Signups in review or dead, and those whose mail is held, by the same indexes: no row is read of one that is not. */
export const redrivable = (
  ofForms = '',
): string => `(SELECT id, state, last_error FROM signup WHERE ${isIdle} AND state IN ('dead', 'review')
  UNION ALL SELECT id, state, last_error FROM signup WHERE ${isHeld}
    AND id IN (SELECT id FROM signup WHERE next_attempt_at IS NOT NULL AND state = 'unconfirmed' ${ofForms}))`;

/** States in which nothing is due. */
const neverDue: ReadonlySet<string> = new Set(['dead', 'review']);

/** The conditions of filters in this database. */
export const dialect: Dialect = {
  find: 'instr',
  // One value for all of them: a Durable Object takes a hundred values per query.
  ids: (ids) => ({ sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] }),
  undelivered(states) {
    const { sql: condition, values } = oneOf('state', states);
    return states.some((state) => !neverDue.has(state))
      ? { sql: `id IN (SELECT id FROM ${undelivered} WHERE ${condition})`, values }
      : { sql: `${isIdle} AND ${condition}`, values };
  },
};
