/** The queue of webhook messages in SQLite. */
import {
  destinationChanges,
  type DestinationRow,
  toWebhookMessage,
  webhookColumns,
  type WebhookMessageRow,
} from '../rows.ts';
import { webhookClaimMs, type WebhookMessage, type WebhookQueue } from '../webhook-queue.ts';
import { type ReadDatabase, statementsOf, type StoreDatabase } from './driver.ts';

/** No earlier message of the same signup waits: the order of its messages is kept. */
const isFirstOfSignup = `NOT EXISTS (SELECT 1 FROM webhook_message AS e
  WHERE e.destination = m.destination AND e.signup = m.signup AND e.next_attempt_at IS NOT NULL AND e.seq < m.seq)`;

/** The messages of the destination ?1; none while it is held, however many wait. */
const ofSending = `webhook_destination AS d CROSS JOIN webhook_message AS m`;
const isSending = `d.name = ?1 AND d.held IS NULL AND m.destination = ?1`;

export function webhookQueue(db: StoreDatabase): WebhookQueue {
  const { reads, writes } = db;
  const { one, all, run, change } = statementsOf(db);
  const destinations = all<[], DestinationRow>('SELECT name, types, held FROM webhook_destination ORDER BY name');
  const setDestination = run<[name: string, types: string]>(`INSERT INTO webhook_destination (name, types) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET types = excluded.types`);
  const removeDestination = run<[name: string]>('DELETE FROM webhook_destination WHERE name = ?');
  const removeMessages = change<[name: string]>('DELETE FROM webhook_message WHERE destination = ?');
  const due = all<[destination: string, limit: number, now: number], WebhookMessageRow>(
    `SELECT m.seq, m.id, m.type, m.signup, m.form, m.at, m.reason, m.attempts, s.submission, s.status,
       s.received_at AS receivedAt
     FROM ${ofSending} LEFT JOIN signup AS s ON s.id = m.signup
     WHERE ${isSending} AND m.next_attempt_at <= ?3 AND ${isFirstOfSignup}
     ORDER BY m.next_attempt_at, m.seq LIMIT ?2`,
  );
  const markSent = run<[seq: number, until: number]>(
    'UPDATE webhook_message SET attempts = attempts + 1, next_attempt_at = ?2 WHERE seq = ?1',
  );
  const delivered = run<[seq: number]>('DELETE FROM webhook_message WHERE seq = ?');
  const failed = run<[seq: number, nextAttemptAt: number | null, reason: string]>(
    'UPDATE webhook_message SET next_attempt_at = ?2, last_error = ?3 WHERE seq = ?1',
  );
  const nextDue = one<[destination: string], { readonly nextAttemptAt: number }>(
    `SELECT m.next_attempt_at AS nextAttemptAt FROM ${ofSending}
     WHERE ${isSending} AND m.next_attempt_at IS NOT NULL AND ${isFirstOfSignup} ORDER BY m.next_attempt_at LIMIT 1`,
  );
  const pullForward = run<[destination: string, now: number, latest: number]>(
    'UPDATE webhook_message SET next_attempt_at = ?2 WHERE destination = ?1 AND next_attempt_at > ?3',
  );
  const resume = change<[destination: string]>(
    'UPDATE webhook_destination SET held = NULL, resumes = resumes + 1 WHERE name = ?',
  );
  const countRedrive = run<[destination: string]>(
    'UPDATE webhook_destination SET resumes = resumes + 1 WHERE name = ?',
  );
  const redrive = change<[destination: string]>(
    `UPDATE webhook_message SET next_attempt_at = 0, attempts = 0 WHERE destination = ? AND next_attempt_at IS NULL`,
  );
  const resumes = one<[destination: string], { readonly resumes: number }>(
    'SELECT resumes FROM webhook_destination WHERE name = ?',
  );
  return {
    async setDestinations(wanted) {
      const changes = () => destinationChanges(destinations(), wanted);
      const { set, removed, held } = await reads(changes)();
      // Most starts change nothing, and write nothing.
      if (set.length + removed.length === 0) return { deleted: 0, held };
      return writes(() => {
        const current = changes();
        for (const { name, types } of current.set) setDestination(name, types);
        for (const name of current.removed) removeDestination(name);
        return { deleted: current.removed.reduce((sum, name) => sum + removeMessages(name), 0), held };
      })();
    },
    claim: writes((destination, limit, now): readonly WebhookMessage[] => {
      const messages = due(destination, limit, now).map(toWebhookMessage);
      for (const { seq } of messages) markSent(seq, now + webhookClaimMs);
      return messages;
    }),
    settle: writes((seq, outcome) => {
      if (outcome.state === 'delivered') delivered(seq);
      else failed(seq, ...webhookColumns(outcome));
    }),
    nextDueAt: reads((destination) => nextDue(destination)?.nextAttemptAt ?? null),
    pullForward: writes((destination, now, longestMs) => pullForward(destination, now, now + longestMs)),
    hold: writes(run('UPDATE webhook_destination SET held = ?2 WHERE name = ?1')),
    resume: writes((destination, now) => {
      // What is in flight is due within the duration of a claim.
      pullForward(destination, now, now + webhookClaimMs);
      return resume(destination) > 0;
    }),
    redrive: writes((destination) => {
      countRedrive(destination);
      return redrive(destination);
    }),
    resumes: reads((destination) => resumes(destination)?.resumes ?? 0),
    ...webhookReads(db),
  };
}

/** What operators read of the queue. */
export function webhookReads({ prepare, reads, inTime }: ReadDatabase): Pick<WebhookQueue, 'overview'> {
  return {
    overview: reads(
      statementsOf({ prepare }).all(`SELECT d.name AS destination, d.held, count(m.next_attempt_at) AS waiting,
           count(m.seq) - count(m.next_attempt_at) AS dead,
           min(CASE WHEN m.next_attempt_at IS NOT NULL THEN m.at END) AS oldestSince,
           (SELECT last_error FROM webhook_message WHERE destination = d.name AND last_error IS NOT NULL
            ORDER BY seq DESC LIMIT 1) AS reason
         FROM webhook_destination AS d LEFT JOIN webhook_message AS m ON m.destination = d.name AND ${inTime}
         GROUP BY d.name, d.held ORDER BY d.name`),
    ),
  };
}
