/** Data deletion requests in the store. They belong to the workspace, not to a publication. */
import type { Database } from './database.ts';
import { inserter } from './rows.ts';

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
