/**
 * Store of the work that is accepted now and done later: jobs (bulk updates and imports) and data deletion requests.
 */
import { type Database, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

export type JobType = 'bulk' | 'status' | 'import';
export type JobRow = Row<'jobs'> & { readonly type: JobType };

/** The queries about jobs. */
export function jobStore(database: Database) {
  const { one, all, run } = statementsOf(database);
  return {
    bySeq: one<JobRow, [seq: number]>('SELECT * FROM jobs WHERE seq = ?'),
    /** The bulk updates of a publication, oldest first. */
    updates: all<JobRow, [publicationId: string]>(
      "SELECT * FROM jobs WHERE publication_id = ? AND type <> 'import' ORDER BY created, seq",
    ),
    update: one<JobRow, [publicationId: string, id: string]>(
      "SELECT * FROM jobs WHERE publication_id = ?1 AND id = ?2 AND type <> 'import'",
    ),
    /** Jobs whose parameters hold this text. */
    naming: all<JobRow, [text: string]>('SELECT * FROM jobs WHERE instr(params, ?) > 0'),
    setStatus: run<[seq: number, status: string, now: number]>(
      'UPDATE jobs SET status = ?2, updated = ?3 WHERE seq = ?1',
    ),
    finish: run<[seq: number, status: string, failureReason: string | null, errorLog: string, now: number]>(
      'UPDATE jobs SET status = ?2, failure_reason = ?3, error_log = ?4, updated = ?5, completed = ?5 WHERE seq = ?1',
    ),
    setParams: run<[seq: number, params: string]>('UPDATE jobs SET params = ?2 WHERE seq = ?1'),
  };
}

export type DeletionRequestRow = Row<'deletion_requests'>;

/** The queries about deletion requests. */
export function deletionRequestStore(database: Database) {
  const { one, all, run } = statementsOf(database);
  const from = 'SELECT * FROM deletion_requests';
  return {
    bySeq: one<DeletionRequestRow, [seq: number]>(`${from} WHERE seq = ?`),
    byId: one<DeletionRequestRow, [id: string]>(`${from} WHERE id = ?`),
    /** The request for this address that is not done yet. */
    open: one<DeletionRequestRow, [emailKey: string]>(
      `${from} WHERE email_key = ? AND status IN ('pending', 'processing')`,
    ),
    all: all<DeletionRequestRow>(`${from} ORDER BY requested_at, seq`),
    setStatus: run<[seq: number, status: string, completedAt: number | null]>(
      'UPDATE deletion_requests SET status = ?2, completed_at = ?3 WHERE seq = ?1',
    ),
  };
}
