/**
 * The tables in PostgreSQL, as steps from each version to the next. A released step never changes; a new one is added.
 */

/** Holds our tables. */
export const schema = 'newsletter_relay';

/** Holds pg-boss's. */
export const queueSchema = 'newsletter_relay_queue';

/** Holds the counters of the limits. */
export const counterTable = 'counter';

/** Hashes, identifiers and times sort by their bytes, as in every other store. */
const bytes = 'COLLATE "C"';

/** Step n brings the tables from version n to version n + 1. */
export const steps: readonly string[] = [
  `
  CREATE TABLE ${schema}.signup (
    id uuid PRIMARY KEY,
    form text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at bigint NOT NULL,
    origin text,
    submission text,
    intent text ${bytes},
    content text ${bytes},
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at bigint,
    settled_at bigint,
    last_error text
  );
  CREATE INDEX signup_by_intent ON ${schema}.signup (intent) WHERE intent IS NOT NULL;
  CREATE INDEX signup_by_content ON ${schema}.signup (content, received_at) WHERE content IS NOT NULL;
  CREATE INDEX signup_open ON ${schema}.signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON ${schema}.signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;
  `,
  // As rate-limiter-flexible wants it. Not in the write-ahead log: a counter is not worth a sync.
  `CREATE UNLOGGED TABLE ${schema}.${counterTable} (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
];
