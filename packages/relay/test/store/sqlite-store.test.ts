/** The SQLite store: conformance suite, disk, lock and file. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StartupError, StoreUnavailableError, type NewSignup, type SignupStore } from '../../src/index.ts';
import { applicationId, openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { openSqliteReader } from '../../src/store/sqlite/open-reader.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { openStoreThread } from '../../src/store/sqlite/store-thread.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { memoryDriver } from '../memory-store.ts';
import { newSignup } from '../new-signup.ts';
import { describeSignupStore } from './conformance.ts';
import { describeCounters } from './counter-conformance.ts';
import { describeMailboxes } from './mailbox-conformance.ts';
import { describeWebhookQueue } from './webhook-conformance.ts';

const ofPerson = (email: string, size = 0): NewSignup =>
  newSignup(email, { submission: { email, utm_content: 'x'.repeat(size) } });

const forms = ['default'];
const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };

const open = (path: string, maxPages?: number): SignupStore => {
  const store = openSqliteStore(path, maxPages);
  onTestFinished(() => store.close());
  return store;
};

describe('a signup store in an SQLite file', () => {
  const place = () => {
    const path = join(scratchFolder(), 'relay.db');
    return Promise.resolve({ open: () => Promise.resolve(openSqliteStore(path)) });
  };
  describeSignupStore(place);
  describeWebhookQueue(place);
  describeCounters(place);
  describeMailboxes(place);

  it('rejects writes on a full disk, loses no acknowledged signup, and recovers with free space', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const small = openSqliteStore(path, 40);
    const acknowledged: string[] = [];
    const fill = async (): Promise<never> => {
      for (;;) {
        const email = `p${acknowledged.length}@example.com`;
        await small.accept(ofPerson(email, 1000));
        acknowledged.push(email);
      }
    };
    await expect(fill()).rejects.toThrow(
      new StoreUnavailableError('The store cannot be written: the disk is full; free some space.'),
    );
    expect(acknowledged.length).toBeGreaterThan(10);
    await small.close();

    const roomy = open(path);
    await roomy.accept(ofPerson('after@example.com'));
    const kept = (await roomy.claim({ forms, limit: 1000, now: Date.now() })).map(({ submission }) => submission.email);
    expect(kept.sort()).toEqual([...acknowledged, 'after@example.com'].sort());
  });

  it('rejects all signups of a group that cannot be written, and stores none of them', async () => {
    const store = open(join(scratchFolder(), 'relay.db'), 30);
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => store.accept(ofPerson(`p${i}@example.com`, 1000))),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect((await store.counts()).waiting).toBe(0);
  });

  it('refuses to open a file that another relay has open, also through a link', () => {
    const folder = scratchFolder();
    const path = join(folder, 'relay.db');
    open(path);
    symlinkSync(path, join(folder, 'alias.db'));
    for (const name of [path, join(folder, 'alias.db')]) {
      expect(() => openSqliteStore(name)).toThrow(
        new StartupError(
          `Another relay is using the store ${path}: stop it, or give this one a file of its own in RELAY_STORE.`,
        ),
      );
    }
  });

  it('syncs each commit, and makes the file readable only by its owner', () => {
    const path = join(scratchFolder(), 'relay.db');
    open(path);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(`${path}-wal`).mode & 0o777).toString(8)).toBe('600');
  });

  it('writes the same amount to its log for a known address as for a new one', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const store = open(path);
    const receivedAt = Date.now();
    /** Accepts a signup. @returns the bytes by which the write-ahead log grew */
    const accept = async (email: string): Promise<number> => {
      const before = statSync(`${path}-wal`).size;
      await store.accept({ ...ofPerson(email), receivedAt });
      return statSync(`${path}-wal`).size - before;
    };
    await accept('same@example.com');
    const written = await accept('new@example.com');
    expect(written).toBeGreaterThan(0);
    expect(await accept('same@example.com')).toBe(written);
  });

  it('keeps the consent ledger append-only', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const store = open(path);
    const consent = { kind: 'given', sentence: 'Yes.', version: null, page: null, visitor: null } as const;
    await store.accept({ ...ofPerson('ada@example.com'), consent });
    const db = new DatabaseSync(path);
    onTestFinished(() => db.close());
    expect(() => db.exec("UPDATE consent SET sentence = 'No.'")).toThrow('the consent ledger is append-only');
  });

  it('runs no query whose duration grows with the number of signups', async () => {
    const prepared: string[] = [];
    const driver = memoryDriver();
    const prepare = (text: string) => (prepared.push(text), driver.prepare(text));
    // In a Durable Object, and in a file.
    sqliteStore({ ...driver, prepare, isFile: false });
    const store = sqliteStore({ ...driver, prepare });
    const ofEveryStart = [...new Set(prepared.splice(0))];
    /** The steps by which SQLite carries out a statement. */
    const plan = (text: string): string[] =>
      driver
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map((step) => String(step['detail']));
    const stepsOf = (texts: readonly string[], costly: RegExp): string[] =>
      texts.flatMap((text) => plan(text).flatMap((step) => (costly.test(step) ? [`${step}: ${text}`] : [])));

    // What operators and starts ask walks what is open, and never the delivered, which are counted once.
    const counted =
      /count\(\*\)|row_number|state = 'dead'|= 'sent' AND batch IS NULL|next_attempt_at > CAST|tried = true, next/;
    const walks = ofEveryStart.filter(
      (text) => counted.test(text) && !/FROM counter|FROM webhook|FROM batch|\btally\b/.test(text),
    );
    expect(
      stepsOf(
        walks,
        /^SCAN (?!signup USING (COVERING )?INDEX signup_(idle|due)|consent|batch|\(subquery|few$|f VIRTUAL)/,
      ),
    ).toEqual([expect.stringContaining("SELECT count(*) AS count FROM signup WHERE state = 'delivered'")]);
    // The index of what is due holds the waiting alone, in order: its first entries need no scan, nor is counting up to
    // a bound. The counters, whose windows are a day at most, are read once, at the start. Those of a
    // mailbox are sorted.
    const bounded = ofEveryStart.filter(
      (text) => !walks.includes(text) && !/FROM counter ORDER BY|webhook_|\btally\b|ORDER BY publication/.test(text),
    );
    expect(bounded.length).toBeGreaterThan(40);
    expect(
      stepsOf(bounded, /^SCAN (?!batch|b$|\w+ VIRTUAL TABLE|CONSTANT ROW|\(subquery|r$|o$|s$)|TEMP B-TREE/),
    ).toEqual([]);
    const confirm = ofEveryStart.find((text) => text.includes('+s.batch IN')) ?? '';
    expect(plan(confirm)).toContain('SEARCH s USING INDEX signup_by_content (content>? AND content<?)');
    // What is counted in the order of its states reads no row of a signup.
    const ofTally = ofEveryStart.filter((text) => /\) AS t WHERE/.test(text));
    expect(ofTally).toHaveLength(2);
    expect(stepsOf(ofTally, /\bs(ignup)? (?!USING (COVERING )?INDEX signup_(due|idle))/)).toEqual([]);
    // The due webhooks of a destination are found by an index, in order; nothing is read while it is held.
    const messages = ofEveryStart.filter((text) =>
      /m\.next_attempt_at (<=|IS NOT NULL AND NOT)|WHERE \(?seq/.test(text),
    );
    expect(messages).toHaveLength(6);
    expect(stepsOf(messages, /SCAN (m|e|s|webhook_message|signup)\b|TEMP B-TREE FOR ORDER/)).toEqual([]);

    // The newest are the last of the table; of those that a filter finds, only the rows that are shown are read.
    for (const [filter, page, found] of [
      [{}, { limit: 1 }, 'SCAN signup'],
      [{}, { limit: 1, after: 'x' }, 'SEARCH signup USING PRIMARY KEY (id<?)'],
      [{ states: ['dead', 'review'] }, { limit: 1 }, 'SEARCH signup USING INDEX signup_idle (state=?)'],
    ] as const) {
      await store.list(filter, page);
      const read = prepared.splice(0).map((text) => plan(text).filter((step) => step.startsWith('S')));
      expect(read).toEqual([['SEARCH s USING PRIMARY KEY (id=?)', found]]);
    }
    await store.redrive({ form: 'default' }, 1);
    expect(stepsOf(prepared, /^SCAN (?!signup USING (COVERING )?INDEX signup_(idle|due)|\(subquery)/)).toEqual([]);
  });

  it.each([
    ['one person is', async (store: SignupStore) => (await store.erase('ada.lovelace@example.com')).signups],
    ['the delivered of long ago are', (store: SignupStore) => store.expire({ ...keep, delivered: Date.now() + 1 })],
  ])('leaves no trace of an address in its files once %s erased', async (_case, erase) => {
    const path = join(scratchFolder(), 'relay.db');
    const store = open(path);
    const others = Array.from({ length: 200 }, (_, i) => ofPerson(`p${i}@example.com`, 100));
    await Promise.all(others.map((each) => store.accept(each)));
    const id = await store.accept(ofPerson('ada.lovelace@example.com', 100));
    await store.claim({ forms, limit: 1000, now: Date.now() });
    const failed = {
      state: 'waiting',
      at: Date.now(),
      nextAttemptAt: Date.now(),
      reason: 'the service answered 503 '.repeat(20),
      tried: false,
    } as const;
    await store.settle([id], failed); // The row grows, and moves within the file.
    await store.claim({ forms, limit: 1000, now: Date.now() });
    await store.settle([id], { state: 'delivered', at: Date.now() });
    const traces = () => [path, `${path}-wal`].map((file) => readFileSync(file).includes('lovelace'));
    expect(traces()).toContain(true);
    expect(await erase(store)).toBe(1);
    expect(traces()).toEqual([false, false]);
  });

  it('reports a program that keeps erased records in the log', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const store = open(path);
    await store.accept(ofPerson('ada@example.com'));
    const reader = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM signup').get();
    await expect(store.erase('ada@example.com')).rejects.toThrow(
      'its log still holds them: end that program and erase again',
    );
    reader.exec('COMMIT');
    expect(await store.erase('ada@example.com')).toEqual({ signups: 0, consents: 0 });
    expect(readFileSync(`${path}-wal`)).toHaveLength(0);
  });

  it.each([
    [
      'a folder that does not exist',
      (folder: string) => join(folder, 'none', 'relay.db'),
      'cannot be created: its folder does not exist; create the folder',
    ],
    ['a folder', (folder: string) => folder, 'cannot be opened: it is a folder; name a file in it'],
    [
      'a file that is no database',
      (folder: string) => written(folder, 'notes.txt', 'x'.repeat(5000)),
      'it is not an SQLite database; name another file',
    ],
    ['the database of another program', foreign, "name a file of the relay's own"],
    ['a store of a newer relay', ofVersion(99), 'was written by a newer relay (version 99): update this one'],
    [
      'a store of an unpublished relay',
      ofVersion(5),
      'was written by a relay before the first published one (version 5): export its signups with that relay',
    ],
  ])('says what to do when the path is %s', (_case, path, sentence) => {
    expect(() => openSqliteStore(path(scratchFolder()))).toThrow(sentence);
  });

  it.skipIf(process.getuid?.() === 0)('says what to do when it may not write there', () => {
    const folder = join(scratchFolder(), 'locked');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    expect(() => openSqliteStore(join(folder, 'relay.db'))).toThrow(
      'the relay may not write there; change the permissions or name another place',
    );
  });
});

function written(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function foreign(folder: string): string {
  const path = join(folder, 'other.db');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE customers (id INTEGER)');
  db.close();
  return path;
}

function ofVersion(version: number): (folder: string) => string {
  return (folder) => {
    const path = join(folder, 'relay.db');
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
    db.close();
    return path;
  };
}

it('answers operators while a writer waits for the lock of another program', async () => {
  const path = join(scratchFolder(), 'relay.db');
  const store = await openStoreThread(path);
  onTestFinished(() => store.close());
  await store.accept(newSignup('ada@example.com'));
  // What reads has started.
  expect((await store.counts()).waiting).toBe(1);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const ended: string[] = [];
  const note = (what: string) => () => void ended.push(what);
  const stored = store.accept(newSignup('bob@example.com')).then(note('stored'), note('not stored'));
  await Promise.all([
    store.overview(Date.now()).then(note('read')),
    store.list({}, { limit: 9 }).then(note('read')),
    store.person('ada@example.com').then(note('read')),
    store.webhooks.overview().then(note('read')),
  ]);
  other.exec('COMMIT');
  await stored;
  expect(ended.slice(0, 4)).toEqual(['read', 'read', 'read', 'read']);
});

it('takes signups when the thread that reads ends, and starts it anew for the next read', async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const store = await openStoreThread(join(scratchFolder(), 'relay.db'));
  onTestFinished(() => store.close());
  expect((await store.counts()).waiting).toBe(0);
  const [read] = await Promise.allSettled([store.overview(Date.now()), threads[1]?.terminate()]);
  if (read.status === 'rejected') expect(read.reason).toBeInstanceOf(StoreUnavailableError);
  await store.accept(newSignup('ada@example.com'));
  expect((await store.counts()).waiting).toBe(1);
  expect(threads).toHaveLength(3);
});

it('closes its threads once, and refuses what is asked afterwards', async () => {
  const store = await openStoreThread(join(scratchFolder(), 'relay.db'));
  await store.counts();
  const stored = store.accept(newSignup('ada@example.com'));
  await Promise.all([store.close(), store.close()]);
  await store.close();
  await stored;
  await expect(store.accept(newSignup('bob@example.com'))).rejects.toThrow(StoreUnavailableError);
});

it('ends a read of an operator that takes longer than a second, and answers the next one', async () => {
  const path = join(scratchFolder(), 'relay.db');
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  db.exec(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30000)
    INSERT INTO signup (id, form, state, received_at, due_at, submission, last_error)
    SELECT printf('00000000-03e8-7000-8000-%012d', n), 'default', 'dead', 1000, 1000, '{"email":"x@example.com"}', n FROM n`);
  db.close();
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => void vi.restoreAllMocks());
  let time = 0;
  const reader = openSqliteReader(path);
  onTestFinished(() => reader.close());
  // The clock has gone on by more than a second whenever it is asked.
  vi.mocked(performance.now).mockImplementation(() => (time += 2000));
  await expect(reader.list({ reason: 'none has it' }, { limit: 1 })).rejects.toThrow(
    new StoreUnavailableError(
      'The store cannot be read: the read took longer than a second, and was ended; ask for less, by form, state or time.',
    ),
  );
  vi.mocked(performance.now).mockImplementation(() => time);
  expect(await reader.list({ reason: '30000' }, { limit: 1 })).toHaveLength(1);
});
