/** Opens the SQLite file: lock, owner check, migrations, and a check that a commit is synced to disk. */
import { accessSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileInUseError, lockExclusively } from '@newsletter-kit/core/node';
import type { KeptSubmission } from '@newsletter-kit/core/endpoint';
import { StartupError, StoreInUseError } from '../../startup-error.ts';
import { personHash } from '../signup-identity.ts';
import { explainSqliteError } from '../database-errors.ts';

/** `PRAGMA application_id` of the relay's files ("NKRL"): databases of other programs are refused. */
export const applicationId = 0x4e_4b_52_4c;

/** SQL function of the migration steps: the hash of the person of a submission in JSON, {@link personHash}. */
export const personOf = 'person_of';

/**
 * Converts a hash of an earlier version to the current format: the hash of the person, then 22 characters of the rest.
 * Some versions wrote the person's hash at full length, some none: those no longer match duplicates, but are still
 * found when the person is erased.
 */
const shortened = (column: string): string =>
  `${personOf}(submission) || substr(${column}, CASE length(${column}) WHEN 44 THEN 23 WHEN 86 THEN 44 ELSE 1 END, 22)`;

/** Step n brings a file from version n to version n + 1 (`PRAGMA user_version`). */
export const steps: readonly string[] = [
  `
  CREATE TABLE signup (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT NOT NULL,
    intent TEXT,
    content TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signup_by_intent ON signup (intent) WHERE intent IS NOT NULL;
  CREATE INDEX signup_by_content ON signup (content, received_at);
  CREATE INDEX signup_by_state ON signup (state, next_attempt_at);

  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, room BLOB NOT NULL) STRICT;
  `,
  // What is delivered can be erased, and one index serves all hashes. Some files of version 1 have a part of this
  // already.
  `
  CREATE TABLE signup_2 (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'review', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT,
    intent TEXT,
    content TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO signup_2 SELECT id, form, state, received_at, origin, submission, ${shortened('intent')}, ${shortened('content')},
    attempts, next_attempt_at, settled_at, last_error FROM signup;
  DROP TABLE signup;
  ALTER TABLE signup_2 RENAME TO signup;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (next_attempt_at, received_at) WHERE state = 'waiting';
  CREATE INDEX signup_open ON signup (state, id) WHERE state <> 'delivered';
  CREATE INDEX signup_to_erase ON signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // Attempts and batches are written down before they are made; consent has a ledger of its own.
  `
  CREATE TABLE signup_3 (
    id TEXT PRIMARY KEY,
    form TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead')),
    received_at INTEGER NOT NULL,
    origin TEXT,
    submission TEXT,
    intent TEXT,
    content TEXT,
    needs_confirmation INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    tried INTEGER NOT NULL DEFAULT 0,
    batch TEXT,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    last_error TEXT,
    trace TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO signup_3 (id, form, state, received_at, origin, submission, intent, content, attempts, tried, next_attempt_at, settled_at, last_error)
    SELECT id, form, state, received_at, origin, submission, intent, content, attempts, attempts > 0,
      CASE WHEN state <> 'waiting' THEN NULL WHEN attempts = 0 THEN 0 ELSE next_attempt_at END, settled_at, last_error FROM signup;
  DROP TABLE signup;
  ALTER TABLE signup_3 RENAME TO signup;
  CREATE INDEX signup_by_content ON signup (content) WHERE content IS NOT NULL;
  CREATE INDEX signup_due ON signup (form, state, next_attempt_at, received_at) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX signup_open ON signup (state, id, form, received_at) WHERE state <> 'delivered';
  CREATE INDEX signup_in_batch ON signup (batch) WHERE batch IS NOT NULL;
  CREATE INDEX signup_to_erase ON signup (settled_at) WHERE state = 'delivered' AND submission IS NOT NULL;

  CREATE TABLE batch (
    id TEXT PRIMARY KEY,
    publication TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    sent_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX batch_of_publication ON batch (publication, claimed_at, id);

  CREATE TABLE walk (publication TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE consent (
    signup TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('given', 'confirmed')),
    at INTEGER NOT NULL,
    form TEXT NOT NULL,
    person TEXT NOT NULL,
    sentence TEXT,
    version TEXT,
    page TEXT,
    visitor TEXT,
    PRIMARY KEY (signup, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX consent_by_person ON consent (person);
  CREATE TRIGGER consent_is_append_only BEFORE UPDATE ON consent
    BEGIN SELECT RAISE(ABORT, 'the consent ledger is append-only'); END;
  `,
];

/** An open store file. */
export interface OpenDatabase {
  readonly db: DatabaseSync;
  close(): void;
}

/** `synchronous=FULL`: each commit in WAL mode syncs the log before it returns. */
const full = 2;

/** @throws StartupError with one sentence that says what to do */
export function openDatabase(givenPath: string, maxPages: number | undefined): OpenDatabase {
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
    migrate(db, path);
  } catch (cause) {
    db?.close();
    unlock();
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The store ${path} cannot be opened: ${explainSqliteError(cause)}.`, { cause });
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
    throw new StartupError(`The store ${path} cannot be created: ${explainSqliteError(cause)}.`, { cause });
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
      throw new StartupError(`The lock file ${path}-lock cannot be used: ${explainSqliteError(cause)}.`, { cause });
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
