/** The queue of webhook messages. */
import { toWebhookMessage, type WebhookMessageRow } from '../rows.ts';
import { type WebhookBacklog, webhookClaimMs, type WebhookMessage, type WebhookQueue } from '../webhook-queue.ts';
import { type Database, type ReadDatabase, actsOf } from './act.ts';

/** A destination as it is stored. */
interface DestinationRow {
  readonly name: string;
  readonly types: string;
  readonly held: string | null;
}

export function webhookQueue(db: Database): WebhookQueue {
  const { read, writeOne, write, writeLong, dialect } = db;
  const { one, all, run, change } = actsOf(db);
  const destination = dialect.table('webhook_destination');
  const message = dialect.table('webhook_message');
  /** No earlier message of the same signup waits: the order of its messages is kept. */
  const isFirstOfSignup = `NOT EXISTS (SELECT 1 FROM ${message} AS e
    WHERE e.destination = m.destination AND e.signup = m.signup AND e.next_attempt_at IS NOT NULL AND e.seq < m.seq)`;
  const destinations = all<[], DestinationRow>(`SELECT name, types, held FROM ${destination} ORDER BY name`);
  const setDestination = run<[name: string, types: string]>(`INSERT INTO ${destination} (name, types) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET types = excluded.types`);
  const removeDestination = run<[name: string]>(`DELETE FROM ${destination} WHERE name = $1`);
  const removeMessages = change<[name: string]>(`DELETE FROM ${message} WHERE destination = $1`);
  // None of the messages of one that is held is read, however many wait.
  const sending = one<[name: string]>(`SELECT 1 FROM ${destination} WHERE name = $1 AND held IS NULL`);
  const due = all<[destination: string, limit: number, now: number], WebhookMessageRow>(
    `SELECT m.seq, m.id, m.type, m.signup, m.form, m.at, m.reason, m.attempts, s.submission, s.status,
       s.received_at AS "receivedAt"
     FROM ${message} AS m LEFT JOIN ${dialect.table('signup')} AS s ON s.id = m.signup
     WHERE m.destination = $1 AND m.next_attempt_at <= $3 AND ${isFirstOfSignup}
     ORDER BY m.next_attempt_at, m.seq LIMIT $2 ${dialect.skipLocked('m')}`,
  );
  const markSent = run<[seq: number, until: number]>(
    `UPDATE ${message} SET attempts = attempts + 1, next_attempt_at = $2 WHERE seq = $1`,
  );
  const delivered = run<[seq: number]>(`DELETE FROM ${message} WHERE seq = $1`);
  const failed = run<[seq: number, nextAttemptAt: number | null, reason: string]>(
    `UPDATE ${message} SET next_attempt_at = $2, last_error = $3 WHERE seq = $1`,
  );
  const nextDue = one<[destination: string], { readonly nextAttemptAt: number }>(
    `SELECT m.next_attempt_at AS "nextAttemptAt" FROM ${message} AS m
     WHERE m.destination = $1 AND m.next_attempt_at IS NOT NULL AND ${isFirstOfSignup} ORDER BY m.next_attempt_at LIMIT 1`,
  );
  const pullForward = run<[destination: string, now: number, latest: number]>(
    `UPDATE ${message} SET next_attempt_at = $2 WHERE destination = $1 AND next_attempt_at > $3`,
  );
  const resume = change<[destination: string]>(
    `UPDATE ${destination} SET held = NULL, resumes = resumes + 1 WHERE name = $1`,
  );
  const countRedrive = run<[destination: string]>(`UPDATE ${destination} SET resumes = resumes + 1 WHERE name = $1`);
  const redrive = change<[destination: string]>(
    `UPDATE ${message} SET next_attempt_at = 0, attempts = 0 WHERE destination = $1 AND next_attempt_at IS NULL`,
  );
  const resumes = one<[destination: string], { readonly resumes: number }>(
    `SELECT resumes FROM ${destination} WHERE name = $1`,
  );
  return {
    setDestinations: writeLong(function* (wanted) {
      const stored = yield* destinations();
      // Most starts change nothing, and write nothing.
      const typesOf = new Map(stored.map(({ name, types }) => [name, types]));
      const names = new Set(wanted.map(({ name }) => name));
      for (const { name, types } of wanted)
        if (typesOf.get(name) !== types.join(' ')) yield* setDestination(name, types.join(' '));
      let deleted = 0;
      for (const { name } of stored) {
        if (names.has(name)) continue;
        yield* removeDestination(name);
        deleted += yield* removeMessages(name);
      }
      return { deleted, held: stored.flatMap(({ name, held }) => (names.has(name) && held !== null ? [name] : [])) };
    }),
    claim: write(function* (name, limit, now) {
      const messages: WebhookMessage[] = (yield* sending(name))
        ? (yield* due(name, limit, now)).map(toWebhookMessage)
        : [];
      for (const { seq } of messages) yield* markSent(seq, now + webhookClaimMs);
      return messages;
    }),
    settle: writeOne((seq, outcome) =>
      outcome.state === 'delivered'
        ? delivered(seq)
        : failed(seq, outcome.state === 'waiting' ? outcome.nextAttemptAt : null, outcome.reason),
    ),
    nextDueAt: read(function* (name) {
      return (yield* sending(name)) ? ((yield* nextDue(name))?.nextAttemptAt ?? null) : null;
    }),
    pullForward: writeOne((name, now, longestMs) => pullForward(name, now, now + longestMs)),
    hold: writeOne(run(`UPDATE ${destination} SET held = $2 WHERE name = $1`)),
    resume: writeLong(function* (name, now) {
      // What is in flight is due within the duration of a claim.
      yield* pullForward(name, now, now + webhookClaimMs);
      return (yield* resume(name)) > 0;
    }),
    redrive: writeLong(function* (name) {
      yield* countRedrive(name);
      return yield* redrive(name);
    }),
    resumes: read(function* (name) {
      return (yield* resumes(name))?.resumes ?? 0;
    }),
    ...webhookReads(db),
  };
}

/** What operators read of the queue. */
export function webhookReads(db: ReadDatabase): Pick<WebhookQueue, 'overview'> {
  const message = db.dialect.table('webhook_message');
  return {
    overview: db.readOne(
      actsOf(db).all<[], WebhookBacklog>(
        `SELECT d.name AS destination, d.held, count(m.next_attempt_at) AS waiting,
           count(m.seq) - count(m.next_attempt_at) AS dead,
           min(CASE WHEN m.next_attempt_at IS NOT NULL THEN m.at END) AS "oldestSince",
           (SELECT last_error FROM ${message} WHERE destination = d.name AND last_error IS NOT NULL
            ORDER BY seq DESC LIMIT 1) AS reason
         FROM ${db.dialect.table('webhook_destination')} AS d
           LEFT JOIN ${message} AS m ON m.destination = d.name AND ${db.inTime}
         GROUP BY d.name, d.held ORDER BY d.name`,
      ),
    ),
  };
}
