/** The queue of webhook messages in PostgreSQL. */
import { asStoreUnavailable } from '../database-errors.ts';
import {
  destinationChanges,
  type DestinationRow,
  toWebhookMessage,
  webhookColumns,
  type WebhookMessageRow,
} from '../rows.ts';
import { type WebhookBacklog, webhookClaimMs, type WebhookQueue } from '../webhook-queue.ts';
import { json } from './connections.ts';
import type { Statements } from './statements.ts';
import { destination, message, rowsOf, signup } from './sql-parts.ts';

/** No earlier message of the same signup waits: the order of its messages is kept. */
const isFirstOfSignup = `NOT EXISTS (SELECT FROM ${message} AS e
  WHERE e.destination = m.destination AND e.signup = m.signup AND e.next_attempt_at IS NOT NULL AND e.seq < m.seq)`;

/** Not held. Does not depend on the message: PostgreSQL checks it first, and reads none of one that is held. */
const isSending = `(SELECT held IS NULL FROM ${destination} WHERE name = $1)`;

export function webhookQueue({ brief, long, read, readLong, write, changed }: Statements): WebhookQueue {
  // Rows that another relay claims at the same time are skipped.
  const claim = read(
    `WITH due AS (SELECT m.seq FROM ${message} AS m
        WHERE m.destination = $1 AND m.next_attempt_at <= $3 AND ${isFirstOfSignup} AND ${isSending}
        ORDER BY m.next_attempt_at, m.seq LIMIT $2 FOR UPDATE OF m SKIP LOCKED),
      sent AS (UPDATE ${message} AS t SET attempts = attempts + 1, next_attempt_at = $4 FROM due WHERE t.seq = due.seq RETURNING t.*)
      SELECT m.seq, m.id, m.type, m.signup, m.form, m.at, m.reason, m.attempts - 1 AS attempts, s.submission,
        s.status, s.received_at AS "receivedAt"
      FROM sent AS m LEFT JOIN ${signup} AS s ON s.id = m.signup ORDER BY m.seq`,
    (rows: readonly WebhookMessageRow[]) => rows.map(toWebhookMessage),
    'written',
  );
  const delivered = write(`DELETE FROM ${message} WHERE seq = $1`);
  const failed = write(`UPDATE ${message} SET next_attempt_at = $2, last_error = $3 WHERE seq = $1`);
  const pullForward = write(
    `UPDATE ${message} SET next_attempt_at = $2 WHERE destination = $1 AND next_attempt_at > $3`,
  );
  // What is in flight is due within the duration of a claim.
  const resume = changed(
    `WITH due AS (UPDATE ${message} SET next_attempt_at = $2 WHERE destination = $1 AND next_attempt_at > $3)
      UPDATE ${destination} SET held = NULL, resumes = resumes + 1 WHERE name = $1 RETURNING name`,
    long,
  );
  return {
    setDestinations: (wanted) =>
      asStoreUnavailable('written', async () => {
        const known = await brief.query<DestinationRow>(`SELECT name, types, held FROM ${destination} ORDER BY name`);
        const { set, removed, held } = destinationChanges(known, wanted);
        if (set.length > 0)
          await brief.query(
            `INSERT INTO ${destination} (name, types) SELECT name, types FROM ${rowsOf(destination, '$1')}
              ON CONFLICT (name) DO UPDATE SET types = excluded.types`,
            [json(set)],
          );
        if (removed.length === 0) return { deleted: 0, held };
        const deleted = await long.query(
          `WITH removed AS (DELETE FROM ${destination} WHERE name = ANY($1::text[]))
            DELETE FROM ${message} WHERE destination = ANY($1::text[]) RETURNING seq`,
          [removed],
        );
        return { deleted: deleted.length, held };
      }),
    claim: (name, limit, now) => claim(name, limit, now, now + webhookClaimMs),
    settle: (seq, outcome) =>
      outcome.state === 'delivered' ? delivered(seq) : failed(seq, ...webhookColumns(outcome)),
    nextDueAt: read(
      `SELECT m.next_attempt_at AS "nextAttemptAt" FROM ${message} AS m
        WHERE m.destination = $1 AND m.next_attempt_at IS NOT NULL AND ${isFirstOfSignup} AND ${isSending}
        ORDER BY m.next_attempt_at LIMIT 1`,
      ([row]: readonly { readonly nextAttemptAt: number }[]) => row?.nextAttemptAt ?? null,
    ),
    pullForward: (name, now, longestMs) => pullForward(name, now, now + longestMs),
    hold: write(`UPDATE ${destination} SET held = $2 WHERE name = $1`),
    resume: async (name, now) => (await resume(name, now, now + webhookClaimMs)) > 0,
    redrive: changed(
      `WITH counted AS (UPDATE ${destination} SET resumes = resumes + 1 WHERE name = $1)
        UPDATE ${message} SET next_attempt_at = 0, attempts = 0 WHERE destination = $1 AND next_attempt_at IS NULL RETURNING seq`,
      long,
    ),
    resumes: read(
      `SELECT resumes FROM ${destination} WHERE name = $1`,
      ([row]: readonly { readonly resumes: number }[]) => row?.resumes ?? 0,
    ),
    overview: readLong(
      `SELECT d.name AS destination, d.held, count(m.next_attempt_at) AS waiting,
          count(m.seq) - count(m.next_attempt_at) AS dead,
          min(m.at) FILTER (WHERE m.next_attempt_at IS NOT NULL) AS "oldestSince",
          (SELECT last_error FROM ${message} WHERE destination = d.name AND last_error IS NOT NULL
           ORDER BY seq DESC LIMIT 1) AS reason
        FROM ${destination} AS d LEFT JOIN ${message} AS m ON m.destination = d.name
        GROUP BY d.name, d.held ORDER BY d.name`,
      (rows: readonly WebhookBacklog[]) => rows,
    ),
  };
}
