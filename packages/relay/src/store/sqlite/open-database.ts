/** Opens the SQLite store in a file: lock, owner check, tables, and a check that a commit is synced to disk. */
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileInUseError, lockExclusively } from '@newsletter-kit/core/files';
import { StartupError, StoreInUseError, StoreUnavailableError } from '../../errors.ts';
import { explainStoreError } from '../database-errors.ts';
import { hasTablesOf } from '../version.ts';
import type { SqliteDriver } from './driver.ts';
import { createTables, tablesVersion } from './schema.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

/** `PRAGMA application_id` of the relay's files ("NKRL"): databases of other programs are refused. */
export const applicationId = 0x4e_4b_52_4c;

/**
 * Opens or creates the store in a file.
 *
 * @param maxPages - maximum number of pages (4 KiB each) of the file. Default: unlimited
 * @throws StartupError if the file cannot be used, is in use, or belongs to another program
 */
export function openSqliteStore(givenPath: string, maxPages?: number): SqliteStore {
  const path = createPrivateFile(givenPath);
  const unlock = lockStore(path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 2000 });
    checkOwner(db, path);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
    // Pages; twice the default. Larger checkpoints write fewer pages twice, but delay a post by about 8 ms.
    db.exec('PRAGMA wal_autocheckpoint = 2000');
    // KiB; four times the default: every signup writes to a random page of the index of people.
    db.exec('PRAGMA cache_size = -8000');
    // Overwrites erased and moved rows in the file.
    db.exec('PRAGMA secure_delete = ON');
    if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
    checkDurability(db, path);
    prepareTables(db, path);
  } catch (cause) {
    db?.close();
    unlock();
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The store ${path} cannot be opened: ${explainStoreError(cause)}.`, { cause });
  }
  return sqliteStore(driverOf(db, path, unlock));
}

/** `synchronous=FULL`: each commit in WAL mode syncs the log before it returns. */
const full = 2;

function driverOf(db: DatabaseSync, path: string, unlock: () => void): SqliteDriver {
  const opened = [path, `${path}-wal`].map((file) => ({ file, inode: inodeOf(file) }));
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return {
    isFile: true,
    prepare: (text) => db.prepare(text),
    transaction(work) {
      try {
        begin.run();
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        // A full disk or an I/O error may have ended the transaction already.
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
    emptyLog: () => truncateLog(db),
    checkFiles() {
      const gone = opened.find(({ file, inode }) => inodeOf(file) !== inode);
      if (gone)
        throw new StoreUnavailableError(
          `The file ${gone.file} was deleted or replaced while the relay has it open, so that what it stored now would be lost with its process: copy what is left, and stop the relay with SIGTERM, not by force, before it starts again.`,
        );
    },
    close() {
      db.close();
      unlock();
    },
  };
}

/** Number of the file of this name; undefined if there is none. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Truncates the write-ahead log, which contains earlier versions of the erased pages. */
function truncateLog(db: DatabaseSync): void {
  let result;
  try {
    result = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  } catch (cause) {
    throw new StoreUnavailableError(
      `The signups are erased, but the log that may still hold them cannot be emptied: ${explainStoreError(cause)}.`,
      { cause },
    );
  }
  if (Number(result?.['busy']) === 0) return;
  throw new StoreUnavailableError(
    'The signups are erased, but another program is reading the store, so that its log still holds them: end that program and erase again.',
  );
}

/**
 * Creates the file with access for its owner only, because it contains addresses.
 *
 * @returns the canonical path, the same for every process
 */
function createPrivateFile(givenPath: string): string {
  const path = resolve(givenPath);
  try {
    const real = existsSync(path) ? realpathSync(path) : path;
    for (const file of [real, `${real}-lock`]) {
      // Does not open an existing file: closing it would release the locks of this process on it (POSIX).
      if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600));
      else if (statSync(file).isDirectory()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
      else accessSync(file, constants.R_OK | constants.W_OK);
    }
    return realpathSync(real);
  } catch (cause) {
    const verb = existsSync(path) ? 'opened' : 'created';
    throw new StartupError(`The store ${path} cannot be ${verb}: ${explainStoreError(cause)}.`, { cause });
  }
}

/**
 * Allows one relay per store, by a lock file beside it, so that backups and tools can still read the store.
 */
function lockStore(path: string): () => void {
  try {
    return lockExclusively(path);
  } catch (cause) {
    if (!(cause instanceof FileInUseError))
      throw new StartupError(`The lock file ${path}-lock cannot be used: ${explainStoreError(cause)}.`, { cause });
    throw new StoreInUseError(
      `Another relay is using the store ${path}: stop it, or give this one a file of its own in RELAY_STORE.`,
      { cause },
    );
  }
}

function checkOwner(db: DatabaseSync, path: string): void {
  const id = pragma(db, 'application_id');
  const tables = Number(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count']);
  if (id === applicationId || (id === 0 && tables === 0)) return;
  throw new StartupError(
    `The file ${path} is a database of another program: name a file of the relay's own in RELAY_STORE.`,
  );
}

function checkDurability(db: DatabaseSync, path: string): void {
  if (pragma(db, 'journal_mode') === 'wal' && pragma(db, 'synchronous') === full) return;
  throw new StartupError(
    `The store ${path} lies on a file system where a commit cannot be made durable (no write-ahead log): put it on a local disk.`,
  );
}

function prepareTables(db: DatabaseSync, path: string): void {
  if (hasTablesOf(tablesVersion, Number(pragma(db, 'user_version')), `The store ${path} was`)) return;
  db.exec(`BEGIN IMMEDIATE; ${createTables(true)}
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${tablesVersion}; COMMIT`);
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
