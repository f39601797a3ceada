/** Tables of the PostgreSQL store, and parts of SQL statements that several of its rooms share. */
import { type Dialect, oneOf } from '../conditions.ts';
import { ledgerColumns, stored as storedColumns } from '../rows.ts';
import { firstIdOf } from '../signup-identity.ts';

/** Schema of the tables. */
export const schema = 'newsletter_relay';

export const signup = `${schema}.signup`;
export const consent = `${schema}.consent`;
export const batch = `${schema}.batch`;
export const setting = `${schema}.setting`;
export const tally = `${schema}.tally`;
export const destination = `${schema}.webhook_destination`;
export const message = `${schema}.webhook_message`;
export const suppression = `${schema}.suppression`;
export const counter = `${schema}.counter`;
export const confirmationMailbox = `${schema}.confirmation_mailbox`;

/** Sorts before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/** The first id of signups that were received at this moment. */
export const idOf = (moment: number | null): string | null =>
  moment === null ? null : `${firstIdOf(moment)}-0000-0000-000000000000`;

/** The columns of a stored signup, of the table `s`. */
export const stored = storedColumns.replaceAll(/(^|,\s+)(?=\w)/g, '$1s.');

/** The columns of an entry of the ledger. */
export const entry = ledgerColumns.join(', ');

/** The conditions of filters in this database. */
export const dialect: Dialect = {
  find: 'strpos',
  ids: (ids) => oneOf('id', ids),
  // The planner uses the index of what is not delivered only if a statement repeats its condition.
  undelivered(states) {
    const { sql: condition, values } = oneOf('state', states);
    return { sql: `state <> 'delivered' AND ${condition}`, values };
  },
};

/** A statement with a `?` for each of its values, as PostgreSQL numbers them. */
export function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => `$${(count += 1)}`);
}

/** Rows given as JSON. */
export const rowsOf = (table: string, parameter: string): string =>
  `json_populate_recordset(null::${table}, ${parameter}::text::json)`;

/**
 * The signups of the people whose hashes are the first parameter. One range of an index contains all signups of a
 * person; '~' sorts after every character of a hash. OFFSET 0 keeps the planner from reversing the join.
 */
export const ofPeople = `unnest($1::text[]) AS p(person) CROSS JOIN LATERAL (
    SELECT * FROM ${signup} WHERE content >= p.person AND content < p.person || '~' OFFSET 0) AS s`;

/**
 * The state as an expression that no index matches, where rows are found by id: with old statistics the planner may
 * assume that states are rarer than ids.
 */
export const unindexedState = (table: string): string => `(${table}.state || '')`;

/** Entries of the ledger, each with the status that came of its signup. */
export const entries = `SELECT ${ledgerColumns.map((name) => `c.${name}`).join(', ')}, s.status FROM ${consent} AS c
  LEFT JOIN ${signup} AS s ON s.id = c.signup AND ${unindexedState('s')} = 'delivered'`;

/** Sets the value $2 of the name $1. */
export const setSetting = `INSERT INTO ${setting} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
