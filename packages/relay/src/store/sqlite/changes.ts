/** What operators and retention change in the SQLite store; what is erased goes from its write-ahead log too. */
import { conditions, hasLeft } from '../conditions.ts';
import { loadedRow, signupColumns } from '../rows.ts';
import { firstIdOf, mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import type { ConsentRecord, Retention, SignupFilter, StoreChanges } from '../signup-store.ts';
import type { DeliveredCount } from './delivered-count.ts';
import { type SqliteValue, statementsOf, type StoreDatabase } from './driver.ts';
import { dialect, isIdle, ofPerson, redrivable, undelivered } from './sql-parts.ts';

/** Signups erased in one transaction. */
const batchSize = 500;

export function storeChanges(
  db: StoreDatabase,
  delivered: DeliveredCount,
  addConsent: (entry: ConsentRecord) => void,
): StoreChanges {
  const { writes } = db;
  const { run, change, insert } = statementsOf(db);
  const suppress = run<[hash: string]>('INSERT OR IGNORE INTO suppression (hash) VALUES (?)');
  const loadSignup = insert('INSERT OR IGNORE', 'signup', signupColumns);
  const erased = run<[at: string]>(`INSERT OR REPLACE INTO setting (name, value) VALUES ('last erasure', ?)`);
  const restored = change<[now: number]>(`UPDATE signup SET tried = 1, next_attempt_at = max(next_attempt_at, ?)
     WHERE next_attempt_at IS NOT NULL AND state = 'waiting' AND tried = 0`);
  const erasePerson = erasePersonIn(db, suppress);
  const expired = expireIn(db);
  /** Changes the signups that match a filter. */
  const filtered = (text: (where: string) => string, first: readonly SqliteValue[], filter: SignupFilter): number => {
    const { sql, values } = conditions(filter, dialect);
    return change<SqliteValue[]>(text(sql))(...first, ...values);
  };
  return {
    // Counts as never attempted, unless an earlier attempt may have reached the API. A signup that needs confirmation
    // and was never attempted is not confirmed yet.
    redrive: writes((filter, now) =>
      filtered(
        (where) => `UPDATE signup SET
          state = CASE WHEN needs_confirmation = 1 AND attempts = 0 THEN 'unconfirmed' ELSE 'waiting' END,
          attempts = 0, next_attempt_at = CASE WHEN tried = 1 THEN ? ELSE 0 END, due_at = min(due_at, ?),
          settled_at = NULL, last_error = CASE WHEN ${hasLeft} THEN last_error END, status = NULL
        WHERE id IN (SELECT id FROM ${redrivable()}) AND ${where}`,
        [now, now],
        filter,
      ),
    ),
    async discard(filter) {
      const count = await writes(filtered)(
        (where) => `DELETE FROM signup WHERE ${where}
          AND id IN (SELECT id FROM ${undelivered} WHERE state IN ('dead', 'review', 'unconfirmed'))`,
        [],
        filter,
      );
      db.emptyLog();
      return count;
    },
    async erase(address, { keepConsent = false } = {}) {
      const { states, consents } = await delivered.changedBy(
        writes(erasePerson)(address, keepConsent),
        (gone) => -gone.states.filter((state) => state === 'delivered').length,
      );
      db.emptyLog();
      return { signups: states.length, consents };
    },
    async expire(retention, at = Date.now()) {
      let count = await writes(expired.joinReview)();
      for (const expire of expired.by(retention)) {
        // In batches, so that new signups do not wait for one long transaction.
        for (let changed = batchSize; changed === batchSize; count += changed) changed = await writes(expire)();
      }
      await writes(erased)(String(at));
      db.emptyLog();
      return count;
    },
    restored: writes(restored),
    async load(signups, consents, suppressions = []) {
      const rows = signups.map((signup) => loadedRow(signup, Date.now()));
      const added = writes(() => {
        consents.forEach(addConsent);
        suppressions.forEach((hash) => suppress(hash));
        return rows.filter((row) => loadSignup(row) === 1);
      })();
      const ofDelivered = await delivered.changedBy(
        added,
        (loaded) => loaded.filter(({ state }) => state === 'delivered').length,
      );
      return ofDelivered.length;
    },
  };
}

/** Erases a person in one transaction. @returns the states of their signups, and the number of entries of the ledger */
function erasePersonIn(db: StoreDatabase, suppress: (hash: string) => void) {
  const { all, run, change } = statementsOf(db);
  const eraseSignups = all<[person: string], { readonly state: string }>(
    `DELETE FROM signup WHERE ${ofPerson} RETURNING state`,
  );
  const eraseConsents = change<[person: string]>('DELETE FROM consent WHERE person = ?');
  // Other addresses of the mailbox may have signups that its next link has to show.
  const eraseMailbox = run<[mailbox: string]>(
    `DELETE FROM confirmation_mailbox WHERE mailbox = ? AND suppressed_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM json_each(signups) JOIN signup AS s ON s.id = json_each.value ->> 'id' AND +s.state = 'unconfirmed')`,
  );
  // The mail that covered them may have led to a signup that is erased: they are planned anew.
  const uncover = run<[mailbox: string]>(
    `UPDATE signup SET next_attempt_at = 1 WHERE +state = 'unconfirmed' AND +next_attempt_at IS NULL AND id IN (
       SELECT json_each.value ->> 'id' FROM confirmation_mailbox AS m, json_each(m.signups)
       WHERE m.mailbox = ? AND json_each.value ->> 'mailedAt' IS NULL AND json_each.value ->> 'isDecided' IS NULL)`,
  );
  // Also the signups whose content has expired, and of which only the consent ledger knows the person.
  const report = run<[person: string, now: number]>(`INSERT INTO webhook_message (destination, type, signup, form, at)
     SELECT d.name, 'signup.erased', s.id, s.form, ?2 FROM webhook_destination AS d CROSS JOIN (
       SELECT id, form FROM signup WHERE ${ofPerson} UNION SELECT signup, form FROM consent WHERE person = ?1) AS s
     WHERE instr(d.types, 'signup.erased') > 0 ORDER BY s.id`);
  return (address: string, keepConsent: boolean): { readonly states: readonly string[]; readonly consents: number } => {
    const person = personHash(address);
    report(person, Date.now());
    suppress(suppressionHash(address));
    // First the ledger: a signup takes its request along.
    const consents = keepConsent ? 0 : eraseConsents(person);
    const states = eraseSignups(person).map(({ state }) => state);
    eraseMailbox(mailboxHash(address));
    uncover(mailboxHash(address));
    return { states, consents };
  };
}

/** What expires, each in statements of a batch, which return how many rows they changed. */
function expireIn(db: StoreDatabase) {
  const { change } = statementsOf(db);
  type Expire = [before: number, limit: number];
  const delivered = change<Expire>(
    `UPDATE signup SET submission = NULL, intent = NULL, content = NULL WHERE id IN (SELECT id FROM signup
       WHERE state = 'delivered' AND submission IS NOT NULL AND settled_at < ? ORDER BY settled_at LIMIT ?)`,
  );
  const received = change<[beforeId: string, limit: number, state: string]>(
    `DELETE FROM signup WHERE id IN (SELECT id FROM ${undelivered} WHERE state = ?3 AND id < ?1 LIMIT ?2)`,
  );
  const dead = change<Expire>(`DELETE FROM signup WHERE id IN (
       SELECT id FROM signup WHERE ${isIdle} AND state = 'dead' AND settled_at < ? LIMIT ?)`);
  const messages = change<Expire>(`DELETE FROM webhook_message WHERE seq IN (
       SELECT seq FROM webhook_message WHERE next_attempt_at IS NULL AND at < ? LIMIT ?)`);
  const mailboxes = change<Expire>(`DELETE FROM confirmation_mailbox WHERE (mailbox, publication) IN (
       SELECT mailbox, publication FROM confirmation_mailbox WHERE last_mail_at < ? LIMIT ?)`);
  const consents = change<[before: number, beforeId: string, limit: number]>(
    `DELETE FROM consent WHERE at < ?1 AND signup IN (
       SELECT signup FROM consent WHERE signup < ?2 AND at < ?1 LIMIT ?3)`,
  );
  const since = (before: number | null | undefined, expire: (before: number) => number): (() => number)[] =>
    before === null || before === undefined ? [] : [() => expire(before)];
  return {
    // Keeps the first of several duplicates; signups above the limit of an address share one intent.
    joinReview: change<[]>(`DELETE FROM signup WHERE id IN (SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY coalesce(intent, content) ORDER BY id) AS place
         FROM signup WHERE ${isIdle} AND state = 'review') WHERE place > 1)`),
    by: (retention: Retention) => [
      ...since(retention.delivered, (before) => delivered(before, batchSize)),
      ...since(retention.review, (before) => received(firstIdOf(before), batchSize, 'review')),
      ...since(retention.unconfirmed, (before) => received(firstIdOf(before), batchSize, 'unconfirmed')),
      ...since(retention.dead, (before) => dead(before, batchSize)),
      ...since(retention.dead, (before) => messages(before, batchSize)),
      ...since(retention.mailboxes, (before) => mailboxes(before, batchSize)),
      ...since(retention.consent, (before) => consents(before, firstIdOf(before), batchSize)),
    ],
  };
}
