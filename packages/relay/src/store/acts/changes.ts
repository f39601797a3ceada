/** What operators and retention change. */
import { conditions, hasLeft, isIdle } from '../conditions.ts';
import { loadedRow, signupColumns } from '../rows.ts';
import { idFrom, mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import {
  discardableStates,
  type Retention,
  type SignupFilter,
  type SignupState,
  type SignupStore,
  type StoreChanges,
} from '../signup-store.ts';
import { type Act, type Bind, type Database, json, actsOf, type Value } from './act.ts';

/** Signups changed in one transaction, so that new ones do not wait for all of them. */
const batchSize = 500;

export function storeChanges(db: Database, addEntries: (entries: string) => Act<void>): StoreChanges {
  const { writeLong, dialect } = db;
  const { table, among } = dialect;
  const { all, run, change } = actsOf(db);
  const signup = table('signup');
  const columns = signupColumns.join(', ');
  const suppress = run<[hashes: readonly string[]]>(
    `INSERT INTO ${table('suppression')} (hash) SELECT value FROM ${dialect.each('$1', 'h')} WHERE true
     ON CONFLICT (hash) DO NOTHING`,
  );
  const load = all<[rows: string], { readonly state: SignupState }>(
    `INSERT INTO ${signup} (${columns}) SELECT ${columns} FROM ${dialect.rows('signup', '$1', signupColumns)} AS r
     WHERE true ON CONFLICT (id) DO NOTHING RETURNING state`,
  );
  const set = settingOf(db);
  const restored = change<[now: number]>(
    `UPDATE ${signup} SET tried = true, next_attempt_at = CASE WHEN next_attempt_at < $1 THEN $1 ELSE next_attempt_at END
     WHERE next_attempt_at IS NOT NULL AND state = 'waiting' AND NOT tried`,
  );
  // Counts as never attempted, unless an earlier attempt may have reached the API. A signup that needs confirmation and
  // was never attempted is not confirmed yet.
  const redrive = run<[ids: readonly string[], now: number]>(
    `UPDATE ${signup} SET
       state = CASE WHEN needs_confirmation = true AND attempts = 0 THEN 'unconfirmed' ELSE 'waiting' END,
       attempts = 0, next_attempt_at = CASE WHEN tried THEN CAST($2 AS bigint) ELSE 0 END,
       due_at = CASE WHEN due_at < $2 THEN due_at ELSE $2 END, settled_at = NULL,
       last_error = CASE WHEN ${hasLeft} THEN last_error END, status = NULL
     WHERE ${among('id', '$1')}`,
  );
  const discard = run<[ids: readonly string[]]>(`DELETE FROM ${signup} WHERE ${among('id', '$1')}`);
  const erasePerson = writeLong(erasePersonIn(db, suppress));
  const expired = expireIn(db);
  /**
   * Changes signups that match a filter, in batches, each after the last id of the batch before, so that one changed
   * back in the meantime is not changed again.
   */
  const inBatches = async (
    where: string,
    filter: SignupFilter,
    work: (ids: readonly string[]) => Act<void>,
  ): Promise<number> => {
    const batch = writeLong(function* (after: string) {
      const values: Value[] = [];
      const bind: Bind = (value) => `$${values.push(value)}`;
      const chosen = all<Value[], { readonly id: string }>(
        `SELECT id FROM ${signup} WHERE ${where} AND ${conditions(filter, bind, dialect)} AND id > ${bind(after)}
         ORDER BY id LIMIT ${bind(dialect.atOnce)} ${dialect.awaitLocked}`,
      );
      const ids = (yield* chosen(...values)).map(({ id }) => id);
      yield* work(ids);
      return ids;
    });
    let changed = 0;
    for (let after: string | undefined = idFrom(0); after !== undefined;) {
      const ids: readonly string[] = await batch(after);
      changed += ids.length;
      after = ids[dialect.atOnce - 1];
    }
    return changed;
  };
  return {
    redrive: (filter, now) => inBatches(dialect.redrivable, filter, (ids) => redrive(ids, now)),
    async discard(filter) {
      const count = await inBatches(dialect.ofStates(discardableStates), filter, discard);
      await db.clear();
      return count;
    },
    async erase(address, { keepConsent = false } = {}) {
      const counts = await erasePerson(address, keepConsent);
      await db.clear();
      return counts;
    },
    async expire(retention, at = Date.now()) {
      let count = await writeLong(expired.joinReview)();
      for (const expire of expired.by(retention))
        for (let changed = batchSize; changed === batchSize; count += changed) changed = await writeLong(expire)();
      await writeLong(set)('last erasure', String(at));
      await db.clear();
      return count;
    },
    restored: writeLong(restored),
    load: writeLong(function* (signups, consents, suppressions = []) {
      yield* addEntries(json(consents.map(({ status: _status, ...entry }) => entry)));
      yield* suppress(suppressions);
      const added = yield* load(json(signups.map((each) => loadedRow(each, Date.now()))));
      db.delivered(added.filter(({ state }) => state === 'delivered').length);
      return added.length;
    }),
  };
}

/** Sets the value of a name. */
const settingOf = (db: Database) =>
  actsOf(db).run<[name: string, value: string]>(`INSERT INTO ${db.dialect.table('setting')} (name, value)
    VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`);

/** Whether delivery is paused. */
export function pauseStore(db: Database): Pick<SignupStore, 'paused' | 'setPaused'> {
  const set = settingOf(db);
  const paused = actsOf(db).one<[], { readonly value: string }>(
    `SELECT value FROM ${db.dialect.table('setting')} WHERE name = 'paused'`,
  );
  return {
    paused: db.read(function* () {
      return (yield* paused())?.value === 'true';
    }),
    setPaused: db.writeOne((isPaused) => set('paused', String(isPaused))),
  };
}

/** Erases a person. @returns the numbers of signups and of entries of the ledger */
function erasePersonIn(db: Database, suppress: (hashes: readonly string[]) => Act<void>) {
  const { dialect } = db;
  const { table, unindexed } = dialect;
  const { all, run, change } = actsOf(db);
  const [signup, consent, mailbox] = [table('signup'), table('consent'), table('confirmation_mailbox')];
  const ofPerson = `content >= $1 AND content < $1 || '~'`;
  const eraseSignups = all<[person: string], { readonly state: string }>(
    `DELETE FROM ${signup} WHERE ${ofPerson} RETURNING state`,
  );
  const eraseConsents = change<[person: string]>(`DELETE FROM ${consent} WHERE person = $1`);
  const ofEntry = dialect.id(`e.value ->> 'id'`);
  const isOpen = `${unindexed('s.state')} = 'unconfirmed'`;
  // Other addresses of the mailbox may have signups that its next link has to show.
  const eraseMailbox = run<[mailbox: string]>(
    `DELETE FROM ${mailbox} AS m WHERE mailbox = $1 AND suppressed_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM ${dialect.entries} JOIN ${signup} AS s ON s.id = ${ofEntry} AND ${isOpen})`,
  );
  // The mail that covered them may have led to a signup that is erased: they are planned anew.
  const uncover = run<[mailbox: string]>(
    `UPDATE ${signup} AS s SET next_attempt_at = 1
     WHERE ${isOpen} AND ${unindexed('next_attempt_at')} IS NULL AND ${dialect.within(
       'id',
       `SELECT ${ofEntry} FROM ${mailbox} AS m, ${dialect.entries}
        WHERE m.mailbox = $1 AND e.value ->> 'mailedAt' IS NULL AND e.value ->> 'isDecided' IS NULL`,
     )}`,
  );
  // Also the signups whose content has expired, and of which only the consent ledger knows the person.
  const report = run<[person: string, now: number]>(
    `INSERT INTO ${table('webhook_message')} (destination, type, signup, form, at)
     SELECT d.name, 'signup.erased', s.id, s.form, CAST($2 AS bigint) FROM ${table('webhook_destination')} AS d
       CROSS JOIN (SELECT id, form FROM ${signup} WHERE ${ofPerson}
         UNION SELECT signup, form FROM ${consent} WHERE person = $1) AS s
     WHERE ${dialect.find}(d.types, 'signup.erased') > 0 ORDER BY s.id`,
  );
  return function* (address: string, keepConsent: boolean): Act<{ signups: number; consents: number }> {
    const person = personHash(address);
    yield* report(person, Date.now());
    yield* suppress([suppressionHash(address)]);
    // First the ledger: a signup takes its request along.
    const consents = keepConsent ? 0 : yield* eraseConsents(person);
    const gone = yield* eraseSignups(person);
    yield* eraseMailbox(mailboxHash(address));
    yield* uncover(mailboxHash(address));
    db.delivered(-gone.filter(({ state }) => state === 'delivered').length);
    return { signups: gone.length, consents };
  };
}

/** What expires, each in acts of a batch, which return how many rows they changed. */
function expireIn(db: Database) {
  const { dialect } = db;
  const { table, skipLocked } = dialect;
  const { change } = actsOf(db);
  const signup = table('signup');
  const remove = (name: string, key: string, condition: string, from = name) =>
    change<readonly Value[]>(
      `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${from} WHERE ${condition} LIMIT $2 ${skipLocked()})`,
    );
  const delivered = change<[before: number, limit: number]>(
    `UPDATE ${signup} SET submission = NULL, intent = NULL, content = NULL WHERE id IN (SELECT id FROM ${signup}
       WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < $1 ORDER BY settled_at LIMIT $2 ${skipLocked()})`,
  );
  const received = remove(signup, 'id', `state = $3 AND id < ${dialect.id('$1')}`, dialect.undelivered);
  const dead = remove(signup, 'id', `${isIdle} AND state = 'dead' AND settled_at < $1`);
  const messages = remove(table('webhook_message'), 'seq', 'next_attempt_at IS NULL AND at < $1');
  const mailboxes = remove(table('confirmation_mailbox'), 'mailbox, publication', 'last_mail_at < $1');
  const consents = remove(table('consent'), 'signup, kind', `signup < ${dialect.id('$1')} AND at < $3 ORDER BY signup`);
  const since = (before: number | null | undefined, expire: (before: number) => Act<number>): (() => Act<number>)[] =>
    before === null || before === undefined ? [] : [() => expire(before)];
  return {
    // Keeps the first of several duplicates; signups above the limit of an address share one intent.
    joinReview: change<[]>(`DELETE FROM ${signup} WHERE id IN (SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY coalesce(intent, content) ORDER BY id) AS place
         FROM ${signup} WHERE ${isIdle} AND state = 'review') AS few WHERE place > 1)`),
    by: (retention: Retention) => [
      ...since(retention.delivered, (before) => delivered(before, batchSize)),
      ...since(retention.review, (before) => received(idFrom(before), batchSize, 'review')),
      ...since(retention.unconfirmed, (before) => received(idFrom(before), batchSize, 'unconfirmed')),
      ...since(retention.dead, (before) => dead(before, batchSize)),
      ...since(retention.dead, (before) => messages(before, batchSize)),
      ...since(retention.mailboxes, (before) => mailboxes(before, batchSize)),
      ...since(retention.consent, (before) => consents(idFrom(before), batchSize, before)),
    ],
  };
}
