/** The tables, as steps from each version of the file to the next. A released step never changes; a new one is added. */

/** Marks a file as ours (`PRAGMA application_id`, "NKRL"), so that a path to somebody else's database is refused. */
export const applicationId = 0x4e_4b_52_4c;

/** Step n brings a file from version n to version n + 1 (`PRAGMA user_version`). */
export const steps: readonly string[] = [
  `
  CREATE TABLE signup (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT,
    intent TEXT,
    content TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (next_attempt_at, received_at) WHERE state = 'waiting';
  CREATE INDEX signup_open ON signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, room BLOB NOT NULL) STRICT;
  `,
];
