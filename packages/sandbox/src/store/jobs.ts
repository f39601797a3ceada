/** Jobs in the store: bulk updates, and the imports that no operation shows. */
import type { Database } from './database.ts';
import { inserter } from './rows.ts';

/** A job as stored; `params` and `error_log` are JSON. */
export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly type: string;
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
