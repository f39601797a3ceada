/** Explains errors of SQLite and of the file system to the operator. */

/** Primary result codes (https://sqlite.org/rescode.html); extended codes carry them in their low byte. */
const explanations: Readonly<Record<number, string>> = {
  5: 'another program holds a lock on it; close that program',
  8: 'it is read-only; give the relay permission to write it',
  10: 'the disk reported an input or output error; check the disk, its quota and its free space',
  11: 'the file is damaged; restore it from a backup',
  13: 'the disk is full; make room on it',
  14: 'it cannot be opened; check that its folder exists and may be written',
  26: 'it is not an SQLite database; name another file',
};

/** Codes of the file system, as Node reports them. */
const fileExplanations: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist; create the folder',
  ENOTDIR: 'a part of its path is a file, not a folder; correct the path',
  EISDIR: 'it is a folder; name a file in it, for example with /relay.db at the end',
  EACCES: 'the relay may not write there; change the permissions or name another place',
  EPERM: 'the relay may not write there; change the permissions or name another place',
  EROFS: 'the file system is read-only; name another place',
  ENOSPC: 'the disk is full; make room on it',
  EDQUOT: 'the disk quota is used up; make room',
};

/** The primary result code of an SQLite error; null for any other error. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** Whether the error concerns the store as a whole – disk, lock, file – and not the one statement that met it. */
export function isStoreFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && code in explanations;
}

/** What went wrong and what to do, as the end of a sentence. */
export function explainError(error: unknown): string {
  const code = sqliteCode(error);
  if (code !== null) return explanations[code] ?? `SQLite reported error ${code}`;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return fileExplanations[error.code] ?? `the system reported ${error.code}`;
  }
  return error instanceof Error ? error.message : 'the reason is unknown';
}
