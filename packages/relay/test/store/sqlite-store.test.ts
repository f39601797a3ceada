/** The SQLite store: conformance suite, disk, lock and file. */
import { expectOnePerson, spelledSignups } from './spelled-signups.ts';
import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StartupError, StoreUnavailableError, type NewSignup, type SignupStore } from '../../src/index.ts';
import { conditions } from '../../src/store/conditions.ts';
import { applicationId, openSqliteStore } from '../../src/store/sqlite/open-database.ts';
import { steps } from '../../src/store/sqlite/schema.ts';
import { openStoreThread } from '../../src/store/sqlite/store-thread.ts';
import { dialect, filtered, sql, scans, webhooks } from '../../src/store/sqlite/statements.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../../test/support/waits.ts';
import { newSignup } from '../new-signup.ts';
import { describeSignupStore } from './conformance.ts';
import { describeCounters } from './counter-conformance.ts';
import { describeMailboxes } from './mailbox-conformance.ts';
import { describeWebhookQueue } from './webhook-conformance.ts';

const ofPerson = (email: string, size = 0): NewSignup =>
  newSignup(email, { submission: { email, utm_content: 'x'.repeat(size) } });

const forms = ['default'];
const none = { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0 };
const keep = { delivered: null, review: null, dead: null, unconfirmed: null, consent: null };

const open = (path: string, maxPages?: number): SignupStore => {
  const store = openSqliteStore(path, { maxPages });
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
    const small = openSqliteStore(path, { maxPages: 40 });
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

  it('lets other programs read the file while it runs', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const store = open(path);
    await store.accept(ofPerson('ada@example.com'));
    const reader = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => reader.close());
    expect(reader.prepare('SELECT count(*) AS count FROM signup').get()).toEqual({ count: 1 });
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

  it('runs no query whose duration grows with the number of signups', () => {
    const path = join(scratchFolder(), 'relay.db');
    open(path);
    const db = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => db.close());
    const plan = (text: string): string[] =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map((step) => String(step['detail']));
    // The index of what is due holds the waiting alone, in order: its first entries need no scan, nor is counting up to
    // a bound.
    // The counters, whose windows are a day at most, are read once, at the start.
    for (const [name, text] of Object.entries(sql).filter(([each]) => each !== 'counters')) {
      expect(
        plan(text).filter((step) =>
          /^SCAN (?!signup USING COVERING INDEX signup_due|batch|json_each|CONSTANT ROW|\(subquery)|TEMP B-TREE/.test(
            step,
          ),
        ),
        name,
      ).toEqual([]);
    }
    expect(plan(sql.confirm)[0]).toBe('SEARCH signup USING INDEX signup_by_content (content>? AND content<?)');
    // The due webhooks of a destination are found by an index, in order.
    for (const name of ['due', 'nextDue', 'markSent', 'delivered', 'failed', 'expire'] as const)
      expect(
        plan(webhooks[name]).filter((step) => /SCAN (m|e|s|webhook_message|signup)\b|TEMP B-TREE FOR ORDER/.test(step)),
        name,
      ).toEqual([]);
    // Nothing is read of what waits for a destination that is held.
    for (const name of ['due', 'nextDue'] as const)
      expect(plan(webhooks[name])[0], name).toBe('SEARCH d USING PRIMARY KEY (name=?)');
    // The newest are the last of the table.
    const newest = (filter: string): string[] => plan(filtered.list(conditions({}, dialect).sql + filter));
    expect([newest(''), newest(' AND id < ?')]).toEqual([['SCAN signup'], ['SEARCH signup USING PRIMARY KEY (id<?)']]);
    // What operators ask walks what is open, and never the delivered.
    const ofOperators = {
      ...scans,
      redrive: filtered.redrive('form = ?'),
      dead: filtered.list(conditions({ states: ['dead', 'review'] }, dialect).sql),
    };
    for (const [name, text] of Object.entries(ofOperators)) {
      expect(
        plan(text).filter((step) => /^SCAN (?!signup USING (COVERING )?INDEX signup_(idle|due)|\(subquery)/.test(step)),
        name,
      ).toEqual([]);
    }
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

  it('counts millions of delivered signups only once', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const before = openSqliteStore(path);
    for (const name of ['ada', 'bob', 'eve']) await before.accept(ofPerson(`${name}@example.com`));
    for (const { id } of await before.claim({ forms, limit: 2, now: Date.now() }))
      await before.settle([id], { state: 'delivered', at: Date.now() });
    expect(await before.counts()).toEqual({ ...none, waiting: 1, delivered: 2 });
    await before.close();
    expect(await open(path).counts()).toEqual({ ...none, waiting: 1, delivered: 2 });
  });

  it('migrates a file of the first version, and finds the people in it', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const old = new DatabaseSync(path);
    old.exec(String(steps[0]));
    old.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
    const insert =
      old.prepare(`INSERT INTO signup (id, form, state, received_at, submission, intent, content, attempts, next_attempt_at, settled_at, last_error)
      VALUES (?, 'default', ?, 1000, ?, ?, ?, 2, ?, ?, ?)`);
    // As that version hashed: nothing of the hashes says whose they are.
    for (const [n, [name, state, due, settled, reason]] of (
      [
        ['ada', 'waiting', 1000, null, 'the service answered 503'],
        ['bob', 'delivered', null, 2000, null],
        ['eve', 'dead', null, 2000, 'refused'],
      ] as const
    ).entries()) {
      const hashed = (what: string): string => hash('sha256', `${what} ${name}`, 'base64url');
      insert.run(
        `00000000-03e8-7000-8000-00000000000${n}`,
        state,
        JSON.stringify({ email: `${name}@example.com` }),
        n === 0 ? null : hashed('intent'),
        hashed('content'),
        due,
        settled,
        reason,
      );
    }
    old.close();

    const store = open(path);
    expect(await store.counts()).toEqual({ ...none, waiting: 1, delivered: 1, dead: 1 });
    expect(await store.list({}, { limit: 10 })).toMatchObject([
      { state: 'dead', submission: { email: 'eve@example.com' }, attempts: 2, settledAt: 2000, reason: 'refused' },
      { state: 'delivered', submission: { email: 'bob@example.com' }, settledAt: 2000, reason: null },
      {
        state: 'waiting',
        submission: { email: 'ada@example.com' },
        receivedAt: 1000,
        dueAt: 1000,
        nextAttemptAt: 1000,
        reason: 'the service answered 503',
      },
    ]);
    expect(await store.claim({ forms, limit: 10, now: 1000 })).toMatchObject([
      { submission: { email: 'ada@example.com' }, attempts: 2, tried: true },
    ]);
    expect(await store.paused()).toBe(false);
    for (const address of ['ADA@example.com', 'bob@example.com'])
      expect(await store.erase(address)).toEqual({ signups: 1, consents: 0 });
    expect(await store.expire({ ...keep, delivered: 3000 })).toBe(0);
    expect(await store.counts()).toEqual({ ...none, dead: 1 });
  });

  it('migrates a file in which spellings of a domain were people of their own', async () => {
    const path = join(scratchFolder(), 'relay.db');
    const old = new DatabaseSync(path);
    for (const step of steps.slice(0, 5)) old.exec(String(step).replaceAll('person_of(', 'quote('));
    old.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 5`);
    for (const statement of spelledSignups()) old.exec(statement);
    old.close();
    const store = open(path);
    await expectOnePerson(store);
    expect(() => new DatabaseSync(path).exec(`UPDATE consent SET page = 'x'`)).toThrow('append-only');
  });

  it.each([
    [
      'a folder that does not exist',
      (folder: string) => join(folder, 'none', 'relay.db'),
      'its folder does not exist; create the folder',
    ],
    ['a folder', (folder: string) => folder, 'it is a folder; name a file in it'],
    [
      'a file that is no database',
      (folder: string) => written(folder, 'notes.txt', 'x'.repeat(5000)),
      'it is not an SQLite database; name another file',
    ],
    ['the database of another program', foreign, "name a file of the relay's own"],
    ['a store of a newer relay', newer, 'was written by a newer relay (version 99): update this one'],
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

function newer(folder: string): string {
  const path = join(folder, 'relay.db');
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 99`);
  db.close();
  return path;
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

it('counts by form and state what an earlier version stored, a large store while it takes signups', async () => {
  const path = join(scratchFolder(), 'relay.db');
  const before = openSqliteStore(path);
  const loaded = await Promise.all(
    Array.from({ length: 3 }, (_, n) => before.accept({ ...newSignup(`p${n}@example.com`), form: `form${n % 2}` })),
  );
  await before.close();
  const earlier = new DatabaseSync(path);
  // As a large store is after its migration.
  earlier.exec(`DELETE FROM tally; DELETE FROM setting WHERE name = 'tallied'`);
  earlier.close();
  const store = await openStoreThread(path);
  onTestFinished(() => store.close());
  await store.accept({ ...newSignup('new@example.com'), form: 'form1' });
  const [sent] = await store.claim({ forms: ['form0'], limit: 1, now: Date.now() });
  await store.settle([sent?.id ?? ''], { state: 'delivered', at: Date.now() });
  expect(loaded).toContain(sent?.id);
  const shown = {
    counts: { waiting: 3, sent: 0, delivered: 1 },
    due: 3,
    forms: [
      { form: 'form0', open: 1 },
      { form: 'form1', open: 2 },
    ],
  };
  expect(await store.overview(Date.now())).toMatchObject(shown);
  const settings = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => settings.close());
  const isTallied = settings.prepare(`SELECT value FROM setting WHERE name = 'tallied'`);
  await waitUntil('the counts are stored', () => isTallied.get() !== undefined);
  expect(await store.overview(Date.now())).toMatchObject(shown);
});
