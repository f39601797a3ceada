/** Tables of the PostgreSQL store, and how it says what the databases say differently. */
import type { Dialect, Table } from '../acts/act.ts';
import { isHeld, isOneOf } from '../conditions.ts';

/** Schema of the tables. */
export const schema = 'newsletter_relay';

const table = (name: Table): string => `${schema}.${name}`;

export const signup = table('signup');
export const consent = table('consent');
export const scan = table('walk');
export const setting = table('setting');
export const message = table('webhook_message');
export const tally = `${schema}.tally`;
export const counter = `${schema}.counter`;

/** Rows given as JSON. */
export const rowsOf = (of: string, list: string): string => `json_populate_recordset(null::${of}, ${list}::text::json)`;

/** What is not delivered: the planner uses the index of that only if a statement repeats its condition. */
const isUndelivered = `state <> 'delivered'`;

/** Signups in review, and those whose mail is held. */
export const held = `(SELECT state, last_error FROM ${signup}
  WHERE ${isUndelivered} AND state IN ('review', 'unconfirmed') AND (state = 'review' OR (${isHeld}))) AS h`;

/** Of a list of ids, or of other texts. */
const listed = (column: string, list: string): string =>
  `${list}::${/(?:^|\.)(?:id|signup)$/.test(column) ? 'uuid' : 'text'}[]`;

export const dialect: Dialect = {
  table,
  find: 'strpos',
  among: (column, list) => `${column} = ANY(${listed(column, list)})`,
  // As an array, which the planner takes for a few.
  within: (column, query) => `${column} = ANY(ARRAY(${query}))`,
  each: (list, name) => `unnest(${list}::text[]) AS ${name}(value)`,
  rows: (name, list, columns) => `(SELECT ${columns.join(', ')} FROM ${rowsOf(table(name), list)})`,
  entries: 'json_array_elements(m.signups::json) AS e(value)',
  id: (text) => `(${text})::uuid`,
  unindexed: (column) => `(${column} || '')`,
  // One range of an index contains all signups of a person; '~' sorts after every character of a hash. OFFSET 0 keeps
  // the planner from reversing the join.
  ofPeople: (list) => `unnest(${list}::text[]) AS p(person) CROSS JOIN LATERAL (
    SELECT * FROM ${signup} WHERE content >= p.person AND content < p.person || '~' OFFSET 0) AS s`,
  // In the order of its index: for a few of many the planner would read the table.
  undelivered: `(SELECT id, state FROM ${signup} WHERE ${isUndelivered} ORDER BY state, id) AS u`,
  ofStates: (states) => `${isUndelivered} AND ${isOneOf(states)}`,
  redrivable: `${isUndelivered} AND state IN ('dead', 'review', 'unconfirmed') AND (state <> 'unconfirmed' OR (${isHeld}))`,
  atOnce: 1000,
  skipLocked: (ofTable) => `FOR UPDATE ${ofTable === undefined ? '' : `OF ${ofTable}`} SKIP LOCKED`,
  awaitLocked: 'FOR UPDATE',
};
