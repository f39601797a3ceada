/** Opens the file, makes sure it is ours and of our version, and that a commit really syncs. */
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileInUseError, lockExclusively } from '@newsletter-kit/core/node';
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import { StartupError, StoreInUseError } from '../../startup-error.ts';
import { personHash } from '../fingerprint.ts';
import { meaning } from './failure.ts';
import { applicationId, personOf, steps } from './schema.ts';

/** An open store file. */
export interface OpenDatabase {
  readonly db: DatabaseSync;
  close(): void;
}

/** `synchronous=FULL`: each commit in WAL mode syncs the log before it returns. */
const full = 2;

/** @throws StartupError with one sentence that says what to do */
export function openDatabase(givenPath: string, maxPages: number | undefined): OpenDatabase {
  const path = ownFile(givenPath);
  const unlock = forThisRelayAlone(path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 2000 });
    checkOwner(db, path);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
    // Pages. The more of the log is taken over at once, the more of its pages are written only once, but the longer
    // whoever comes at that moment waits: some 8 ms for twice the default.
    db.exec('PRAGMA wal_autocheckpoint = 2000');
    // Four times the default, in KiB: every signup touches a page of the index of people, anywhere in it.
    db.exec('PRAGMA cache_size = -8000');
    // What is erased, or moves when its row grows, is overwritten in the file.
    db.exec('PRAGMA secure_delete = ON');
    if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
    checkDurability(db, path);
    migrate(db, path);
  } catch (cause) {
    db?.close();
    unlock();
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The store ${path} cannot be opened: ${meaning(cause)}.`, { cause });
  }
  const opened = db;
  return {
    db: opened,
    close() {
      opened.close();
      unlock();
    },
  };
}

/**
 * Creates the file readable for its owner only – it holds addresses – and gives the one path every process would find.
 */
function ownFile(givenPath: string): string {
  const path = resolve(givenPath);
  try {
    const real = existsSync(path) ? realpathSync(path) : path;
    for (const file of [real, `${real}-lock`]) {
      // Never opened when it exists: closing it again would drop the locks this process may hold on it (POSIX).
      if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600));
      else if (statSync(file).isDirectory()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
      else accessSync(file, constants.R_OK | constants.W_OK);
    }
    return realpathSync(real);
  } catch (cause) {
    throw new StartupError(`The store ${path} cannot be created: ${meaning(cause)}.`, { cause });
  }
}

/**
 * One relay per store, by a lock beside it, so that the store itself stays readable for backups and operators' tools.
 */
function forThisRelayAlone(path: string): () => void {
  try {
    return lockExclusively(path);
  } catch (cause) {
    if (!(cause instanceof FileInUseError))
      throw new StartupError(`The lock file ${path}-lock cannot be used: ${meaning(cause)}.`, { cause });
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

function migrate(db: DatabaseSync, path: string): void {
  const version = Number(pragma(db, 'user_version'));
  if (version > steps.length) {
    throw new StartupError(`The store ${path} was written by a newer relay (version ${version}): update this one.`);
  }
  if (version === steps.length) return;
  db.function(personOf, (submission) =>
    typeof submission === 'string' ? personHash((JSON.parse(submission) as KeptSubmission).email) : null,
  );
  db.exec('BEGIN IMMEDIATE');
  for (const step of steps.slice(version)) db.exec(step);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`);
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
