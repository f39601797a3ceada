/**
 * Store of the work that is accepted now and done later: jobs (bulk updates and imports) and data deletion requests.
 */
import { type Database, inserter } from './database.ts';

/** A job as stored; `params` and `error_log` are JSON. */
export type JobType = 'bulk' | 'status' | 'import';

export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly type: JobType;
  readonly params: string;
  readonly status: string;
  readonly failure_reason: string | null;
  readonly error_log: string;
  readonly created: number;
  readonly updated: number;
  readonly completed: number | null;
}

/** The queries about jobs. */
export type Jobs = ReturnType<typeof jobStore>;

export function jobStore(database: Database) {
  const insert = inserter<JobRow>(database, 'jobs', [
    'seq',
    'id',
    'publication_id',
    'type',
    'params',
    'status',
    'failure_reason',
    'error_log',
    'created',
    'updated',
    'completed',
  ]);
  const bySeq = database.prepare<JobRow>('SELECT * FROM jobs WHERE seq = ?');
  const updates = database.prepare<JobRow>(
    "SELECT * FROM jobs WHERE publication_id = ? AND type <> 'import' ORDER BY created, seq",
  );
  const update = database.prepare<JobRow>(
    "SELECT * FROM jobs WHERE id = ? AND publication_id = ? AND type <> 'import'",
  );
  const naming = database.prepare<JobRow>('SELECT * FROM jobs WHERE instr(params, ?) > 0');
  const setStatus = database.prepare('UPDATE jobs SET status = ?, updated = ? WHERE seq = ?');
  const finish = database.prepare(
    'UPDATE jobs SET status = ?, failure_reason = ?, error_log = ?, updated = ?, completed = ? WHERE seq = ?',
  );
  const setParams = database.prepare('UPDATE jobs SET params = ? WHERE seq = ?');
  return {
    insert,
    bySeq: (seq: number) => bySeq.get(seq),
    /** The bulk updates of a publication, oldest first. */
    updates: (publicationId: string) => updates.all(publicationId),
    update: (publicationId: string, id: string) => update.get(id, publicationId),
    /** Jobs whose parameters hold this text. */
    naming: (text: string) => naming.all(text),
    setStatus: (seq: number, status: string, now: number): void => setStatus.run(status, now, seq),
    finish: (seq: number, end: Pick<JobRow, 'status' | 'failure_reason' | 'error_log'>, now: number): void =>
      finish.run(end.status, end.failure_reason, end.error_log, now, now, seq),
    setParams: (seq: number, params: string): void => setParams.run(params, seq),
  };
}

/** A deletion request; times in milliseconds of the sandbox's clock. */
export interface DeletionRequestRow {
  readonly seq: number;
  readonly id: string;
  readonly email: string;
  readonly email_key: string;
  readonly status: string;
  readonly source: string;
  readonly requested_at: number;
  readonly scheduled_at: number;
  readonly completed_at: number | null;
}

/** The queries about deletion requests. */
export type DeletionRequests = ReturnType<typeof deletionRequestStore>;

export function deletionRequestStore(database: Database) {
  const one = (where: string) => database.prepare<DeletionRequestRow>(`SELECT * FROM deletion_requests WHERE ${where}`);
  const bySeq = one('seq = ?');
  const byId = one('id = ?');
  const open = one("email_key = ? AND status IN ('pending', 'processing')");
  const all = one('true ORDER BY requested_at, seq');
  const setStatus = database.prepare('UPDATE deletion_requests SET status = ?, completed_at = ? WHERE seq = ?');
  return {
    insert: inserter<DeletionRequestRow>(database, 'deletion_requests', [
      'seq',
      'id',
      'email',
      'email_key',
      'status',
      'source',
      'requested_at',
      'scheduled_at',
      'completed_at',
    ]),
    bySeq: (seq: number) => bySeq.get(seq),
    byId: (id: string) => byId.get(id),
    /** The request for this address that is not done yet. */
    open: (emailKey: string) => open.get(emailKey),
    all: () => all.all(),
    setStatus: (seq: number, status: string, completedAt: number | null): void =>
      setStatus.run(status, completedAt, seq),
  };
}
