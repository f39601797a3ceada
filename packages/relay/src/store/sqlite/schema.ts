/** The tables of the SQLite store. */
import { tablesOf } from '../acts/tables.ts';

/** The number of their version, `PRAGMA user_version`. */
export const tablesVersion = 14;

const countOne = (row: string): string => `INSERT INTO tally (form, state, count) VALUES (${row}.form, ${row}.state, 1)
      ON CONFLICT (form, state) DO UPDATE SET count = count + 1;`;
const uncountOld = `UPDATE tally SET count = count - 1 WHERE form = OLD.form AND state = OLD.state;`;

const options = 'STRICT, WITHOUT ROWID';

const tables = tablesOf({
  table: (name) => name,
  find: 'instr',
  uuid: 'text',
  number: 'integer',
  flag: 'integer NOT NULL DEFAULT 0',
  bytes: 'text',
  ordinal: 'integer PRIMARY KEY',
  newId: 'lower(hex(randomblob(16)))',
  options,
  trigger: (name, { event, on, when, statements }) =>
    `CREATE TRIGGER ${name} ${event} ON ${on} WHEN ${when} BEGIN ${statements} END;`,
  refuse: (why) => `SELECT RAISE(ABORT, '${why}');`,
});

/** Creates the tables. @param isFile - whether they are in a file, and not in a Durable Object */
export const createTables = (isFile: boolean): string => `${tables}
  -- What is due is in the index of that alone: every row of an index costs, on Workers money.
  CREATE INDEX signup_idle ON signup (state, form, id, due_at) WHERE next_attempt_at IS NULL AND state <> 'delivered';
  CREATE TABLE walk (publication text PRIMARY KEY, place text NOT NULL) ${options};
  -- Counters of rate limits.
  CREATE TABLE counter (key text PRIMARY KEY, points integer NOT NULL, until integer NOT NULL) ${options};
  CREATE TABLE probe (id integer PRIMARY KEY CHECK (id = 1), at integer NOT NULL, room blob NOT NULL) STRICT;
  ${isFile ? tally : ''}`;

/** The number of signups by form and state. A Durable Object counts anew: a row that is written there costs money. */
const tally = `
  CREATE TABLE tally (form text NOT NULL, state text NOT NULL, count integer NOT NULL, PRIMARY KEY (form, state)) ${options};
  CREATE TRIGGER tally_of_new AFTER INSERT ON signup BEGIN ${countOne('NEW')} END;
  CREATE TRIGGER tally_of_gone AFTER DELETE ON signup BEGIN ${uncountOld} END;
  CREATE TRIGGER tally_of_state AFTER UPDATE OF state ON signup WHEN NEW.state <> OLD.state
    BEGIN ${uncountOld} ${countOne('NEW')} END;
`;
