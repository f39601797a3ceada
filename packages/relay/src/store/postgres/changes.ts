/** What operators and retention change in the PostgreSQL store. */
import { conditions, hasLeft, isHeld } from '../conditions.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { loadedRow, signupColumns } from '../rows.ts';
import { mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import type { StoreChanges } from '../signup-store.ts';
import { json } from './connections.ts';
import type { Statements } from './statements.ts';
import {
  confirmationMailbox,
  consent,
  destination,
  dialect,
  entry,
  firstId,
  idOf,
  message,
  numbered,
  rowsOf,
  setSetting,
  signup,
  suppression,
  tally,
  unindexedState,
} from './sql-parts.ts';

/** Maximum number of signups that an operator's command changes in one statement. */
const batchSize = 1000;

const chosen = (states: string, where: string): string =>
  `SELECT id FROM ${signup} WHERE state <> 'delivered' AND state IN (${states}) AND ${where} AND id > ? ORDER BY id LIMIT ? FOR UPDATE`;

// Counts as never attempted, unless an earlier attempt may have reached the API. A signup that needs confirmation and
// was never attempted is not confirmed yet.
const redrive = (where: string): string =>
  numbered(`WITH part AS (${chosen("'dead', 'review', 'unconfirmed'", `(state <> 'unconfirmed' OR ${isHeld}) AND ${where}`)})
    UPDATE ${signup} AS s SET state = CASE WHEN needs_confirmation AND attempts = 0 THEN 'unconfirmed' ELSE 'waiting' END,
      attempts = 0, next_attempt_at = CASE WHEN tried THEN ?::bigint ELSE 0 END, due_at = least(due_at, ?::bigint),
      settled_at = NULL, last_error = CASE WHEN ${hasLeft} THEN last_error END, status = NULL
    FROM part WHERE s.id = part.id RETURNING s.id`);

const discard = (where: string): string =>
  numbered(`WITH part AS (${chosen("'dead', 'review', 'unconfirmed'", where)})
    DELETE FROM ${signup} AS s USING part WHERE s.id = part.id RETURNING s.id`);

// Reports also the signups whose content has expired, and of which only the consent ledger knows the person.
const erase = `WITH changed AS (DELETE FROM ${signup} WHERE content >= $1 AND content < $1 || '~' RETURNING id, form),
  reported AS (INSERT INTO ${message} (destination, type, signup, form, at)
    SELECT d.name, 'signup.erased', s.id, s.form, $3::bigint FROM ${destination} AS d
      CROSS JOIN (SELECT id, form FROM changed UNION SELECT signup, form FROM ${consent} WHERE person = $1) AS s
    WHERE strpos(d.types, 'signup.erased') > 0 ORDER BY s.id),
  consents AS (DELETE FROM ${consent} WHERE person = $1 AND NOT $2 RETURNING 1),
  -- Other addresses of the mailbox may have signups that its next link has to show.
  mailed AS (DELETE FROM ${confirmationMailbox} WHERE mailbox = $5 AND suppressed_at IS NULL AND NOT EXISTS (
    SELECT FROM json_array_elements(signups::json) AS e JOIN ${signup} AS s ON s.id = (e ->> 'id')::uuid
    WHERE ${unindexedState('s')} = 'unconfirmed' AND NOT (s.content >= $1 AND s.content < $1 || '~'))),
  -- The mail that covered them may have led to a signup that is erased: they are planned anew.
  uncovered AS (UPDATE ${signup} AS s SET next_attempt_at = 1
    WHERE ${unindexedState('s')} = 'unconfirmed' AND next_attempt_at IS NULL AND NOT (s.content >= $1 AND s.content < $1 || '~')
      AND s.id IN (SELECT (e ->> 'id')::uuid FROM ${confirmationMailbox} AS m, json_array_elements(m.signups::json) AS e
        WHERE m.mailbox = $5 AND e ->> 'mailedAt' IS NULL AND e ->> 'isDecided' IS NULL)),
  suppressed AS (INSERT INTO ${suppression} (hash) VALUES ($4) ON CONFLICT (hash) DO NOTHING)
  SELECT (SELECT count(*) FROM changed) AS signups, (SELECT count(*) FROM consents) AS consents`;

// Keeps the first of several duplicates; signups above the limit of an address share one intent.
const joinReview = `DELETE FROM ${signup} WHERE id IN (SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY coalesce(intent, content) ORDER BY id) AS place
    FROM ${signup} WHERE state <> 'delivered' AND state = 'review') AS r WHERE place > 1) RETURNING id`;

/** Deletes rows in batches, each of which returns the rows it has deleted. */
const expire = (table: string, key: string, condition: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`;

const expireDelivered = `UPDATE ${signup} SET submission = NULL, intent = NULL, content = NULL WHERE id IN (
    SELECT id FROM ${signup} WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < $1 ORDER BY settled_at LIMIT $2
    FOR UPDATE SKIP LOCKED) RETURNING 1`;
const expireReceived = (state: string): string =>
  expire(signup, 'id', `state <> 'delivered' AND state = '${state}' AND id < $1 ORDER BY id`);
const expireDead = expire(signup, 'id', `state <> 'delivered' AND state = 'dead' AND settled_at < $1`);
const expireMessages = expire(message, 'seq', 'next_attempt_at IS NULL AND at < $1');
const expireMailboxes = expire(confirmationMailbox, 'mailbox, publication', 'last_mail_at < $1');
const expireConsent = expire(consent, 'signup, kind', 'signup < $1 AND at < $3 ORDER BY signup');

/** Joins the counts of connections that have ended; one of another connection at work is skipped. */
const joinCounts = `WITH ended AS (DELETE FROM ${tally} WHERE (connection, form, state) IN (
      SELECT connection, form, state FROM ${tally} WHERE connection <> 0 AND connection NOT IN (SELECT pid FROM pg_stat_activity)
      FOR UPDATE SKIP LOCKED) RETURNING form, state, count)
  INSERT INTO ${tally} AS t (connection, form, state, count) SELECT 0, form, state, sum(count) FROM ended GROUP BY form, state ORDER BY form, state
  ON CONFLICT (connection, form, state) DO UPDATE SET count = t.count + excluded.count`;

const columns = signupColumns.join(', ');
const load = `WITH added AS (INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${rowsOf(signup, '$1')}
    ON CONFLICT (id) DO NOTHING RETURNING 1),
  ledger AS (INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')} ON CONFLICT (signup, kind) DO NOTHING),
  suppressed AS (INSERT INTO ${suppression} (hash) SELECT unnest($3::text[]) ON CONFLICT (hash) DO NOTHING)
  SELECT count(*) AS count FROM added`;

const restored = `WITH changed AS (UPDATE ${signup} SET tried = true, next_attempt_at = greatest(next_attempt_at, $1)
    WHERE state <> 'delivered' AND state = 'waiting' AND NOT tried RETURNING 1) SELECT count(*) AS count FROM changed`;

export function storeChanges({ long, write }: Statements): StoreChanges {
  const set = write(setSetting);
  const count = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await long.query<{ readonly count: number }>(text, values))[0]?.count ?? 0;
  /**
   * Changes signups in batches, so that delivery does not wait for all of them: each after the last id of the batch
   * before, so that a signup changed back in the meantime is not changed again.
   */
  const inOrder = (text: string, values: (after: string) => readonly unknown[]): Promise<number> =>
    asStoreUnavailable('written', async () => {
      let changed = 0;
      for (let after = firstId; ;) {
        const rows = await long.query<{ readonly id: string }>(text, values(after));
        changed += rows.length;
        if (rows.length < batchSize) return changed;
        after = rows.reduce((last, { id }) => (id > last ? id : last), after);
      }
    });
  const inBatches = async (text: string, before: string | number | null, ...more: unknown[]): Promise<number> => {
    let expired = 0;
    for (let changed = before === null ? 0 : batchSize; changed === batchSize; expired += changed)
      changed = (await long.query(text, [before, batchSize, ...more])).length;
    return expired;
  };
  return {
    redrive(filter, now) {
      const { sql, values } = conditions(filter, dialect);
      return inOrder(redrive(sql), (after) => [...values, after, batchSize, now, now]);
    },
    discard(filter) {
      const { sql, values } = conditions(filter, dialect);
      return inOrder(discard(sql), (after) => [...values, after, batchSize]);
    },
    erase: (address, { keepConsent = false } = {}) =>
      asStoreUnavailable('written', async () => {
        const hashes = [suppressionHash(address), mailboxHash(address)];
        const [erased = { signups: 0, consents: 0 }] = await long.query<{ signups: number; consents: number }>(erase, [
          personHash(address),
          keepConsent,
          Date.now(),
          ...hashes,
        ]);
        return erased;
      }),
    expire: ({ delivered, review, dead, unconfirmed, consent: ledger, mailboxes = null }, at = Date.now()) =>
      asStoreUnavailable('written', async () => {
        const erased =
          (await long.query(joinReview)).length +
          (await inBatches(expireDelivered, delivered)) +
          (await inBatches(expireReceived('review'), idOf(review))) +
          (await inBatches(expireReceived('unconfirmed'), idOf(unconfirmed))) +
          (await inBatches(expireDead, dead)) +
          (await inBatches(expireMessages, dead)) +
          (await inBatches(expireMailboxes, mailboxes)) +
          (await inBatches(expireConsent, idOf(ledger), ledger));
        await long.query(joinCounts);
        await set('last erasure', String(at));
        return erased;
      }),
    restored: (now) => asStoreUnavailable('written', () => count(restored, [now])),
    load(signups, consents, suppressions = []) {
      const rows = signups.map((each) => loadedRow(each, Date.now()));
      return asStoreUnavailable('written', () => count(load, [json(rows), json(consents), suppressions]));
    },
  };
}
