/** Confirmation mails: who gets one, what its link shows, and what a click decides. */
import { hasLeft, isUnsent } from '../conditions.ts';
import { type MailCandidate, planClick, planMails, shownBy, type Unmailed } from '../mailbox-mails.ts';
import {
  ledgerColumns,
  type MailboxRow,
  type OpenRow,
  stored,
  type StoredRow,
  toMailbox,
  toOpen,
  toStored,
} from '../rows.ts';
import { mailboxHash } from '../signup-identity.ts';
import {
  type ClaimedSignup,
  claimMs,
  type Click,
  leftByMail,
  type MailboxRecord,
  type MailboxStore,
} from '../signup-store.ts';
import { type Act, type Database, json, actsOf } from './act.ts';
import { mailboxesOf } from './records.ts';

export function mailboxStore(db: Database) {
  const { read, write, alone, dialect } = db;
  const { table, among, unindexed, rows } = dialect;
  const { one, all, run } = actsOf(db);
  const signup = table('signup');
  const mailbox = table('confirmation_mailbox');
  const entry = ledgerColumns.join(', ');
  const isOpen = `${unindexed('s.state')} = 'unconfirmed'`;
  const mailboxes = all<[mailboxes: readonly string[]], MailboxRow>(mailboxesOf(dialect));
  const mailSent = all<[ids: readonly string[]], { readonly id: string }>(
    `SELECT id FROM ${signup} AS s WHERE ${among('id', '$1')} AND ${isOpen} AND next_attempt_at IS NULL`,
  );
  const stores = ['mailbox', 'publication', 'mails', 'last_mail_at', 'signups'];
  const keepMailboxes = run<[records: string]>(
    `INSERT INTO ${mailbox} (${stores.join(', ')})
       SELECT ${stores.join(', ')} FROM ${rows('confirmation_mailbox', '$1', stores)} AS r WHERE true
     ON CONFLICT (mailbox, publication) DO UPDATE
       SET mails = excluded.mails, last_mail_at = excluded.last_mail_at, signups = excluded.signups`,
  );
  const forgetMailbox = run<[mailbox: string, publication: string]>(
    `DELETE FROM ${mailbox} WHERE mailbox = $1 AND publication = $2`,
  );
  const suppressMailbox = run<[mailbox: string, publication: string, at: number]>(
    `INSERT INTO ${mailbox} (mailbox, publication, mails, last_mail_at, suppressed_at) VALUES ($1, $2, 1, $3, $3)
     ON CONFLICT (mailbox, publication) DO UPDATE SET suppressed_at = excluded.suppressed_at`,
  );
  const keepUnmailed = run<[kept: string]>(
    `UPDATE ${signup} AS s SET next_attempt_at = r.next_attempt_at, last_error = r.last_error
     FROM ${rows('signup', '$1', ['id', 'next_attempt_at', 'last_error'])} AS r WHERE s.id = r.id AND ${isOpen}`,
  );
  const beginMails = run<[ids: readonly string[], until: number]>(
    `UPDATE ${signup} SET next_attempt_at = $2, last_error = NULL WHERE ${among('id', '$1')}`,
  );
  const ofId = one<[id: string], StoredRow>(`SELECT ${stored} FROM ${signup} AS s WHERE id = $1`);
  const openSignups = all<[id: string, mailbox: string, text: string], OpenRow>(
    `SELECT s.id, s.form, s.received_at AS "receivedAt", s.submission, c.sentence, c.version
     FROM ${signup} AS s LEFT JOIN ${table('consent')} AS c ON c.signup = s.id AND c.kind <> 'confirmed'
     WHERE ${isOpen} AND ${dialect.within(
       's.id',
       `SELECT ${dialect.id('$1')} UNION ALL SELECT ${dialect.id(`e.value ->> 'id'`)}
          FROM ${mailbox} AS m, ${dialect.entries} WHERE m.mailbox = $2 AND ${dialect.find}(m.signups, $3) > 0`,
     )} ORDER BY s.id`,
  );
  const stillOpen = all<[ids: readonly string[]]>(
    `SELECT id FROM ${signup} AS s WHERE ${among('id', '$1')} AND ${isOpen} ORDER BY id ${dialect.awaitLocked}`,
  );
  const confirmed = ['id', 'submission', 'content', 'status'];
  const confirmSignups = run<[rows: string, at: number]>(
    `UPDATE ${signup} AS s SET state = 'waiting', due_at = $2, next_attempt_at = 0, last_error = NULL, tried = false,
       submission = r.submission, content = r.content, status = r.status
     FROM ${rows('signup', '$1', confirmed)} AS r WHERE s.id = r.id`,
  );
  const addEntries = run<[entries: string]>(
    `INSERT INTO ${table('consent')} (${entry}) SELECT ${entry} FROM ${rows('consent', '$1', ledgerColumns)} AS r
     WHERE true ON CONFLICT (signup, kind) DO NOTHING`,
  );
  const remove = run<[ids: readonly string[]]>(`DELETE FROM ${signup} AS s WHERE ${among('id', '$1')} AND ${isOpen}`);
  const markLeft = run<[id: string, at: number]>(`UPDATE ${signup} AS s SET last_error = '${leftByMail}',
       next_attempt_at = CASE state WHEN 'delivered' THEN $2 ELSE next_attempt_at END
     WHERE id = $1 AND ${unindexed('s.state')} <> 'unconfirmed' AND submission IS NOT NULL`);
  const removeUnsent = run<[id: string]>(`DELETE FROM ${signup} WHERE id = $1 AND ${hasLeft} AND ${isUnsent}`);

  function* setMailboxes(records: readonly MailboxRecord[], kept: readonly Unmailed[]): Act<void> {
    const columns = records.map(({ lastMailAt, signups, ...record }) => {
      return { ...record, last_mail_at: lastMailAt, signups: JSON.stringify(signups) };
    });
    if (columns.length > 0) yield* keepMailboxes(json(columns));
    const unmailed = kept.map(({ id, until, reason }) => ({ id, next_attempt_at: until, last_error: reason }));
    if (unmailed.length > 0) yield* keepUnmailed(json(unmailed));
  }

  const methods: MailboxStore = {
    linked: read(function* (id) {
      const row = yield* ofId(id);
      if (!row) return null;
      const linked = toStored(row);
      return {
        signup: linked,
        open: (yield* openSignups(id, mailboxHash(linked.submission?.email ?? ''), id)).map(toOpen),
      };
    }),
    confirmPerson: alone(function* (click: Click): Act<readonly string[]> {
      const shown = shownBy(click);
      if ((yield* stillOpen(shown)).length < shown.length) return [];
      const known = yield* mailboxes([mailboxHash(click.confirmed[0]?.submission.email ?? '')]);
      const { rows: waiting, entries, kept, record } = planClick(click, known.map(toMailbox));
      yield* confirmSignups(json(waiting), click.at);
      yield* addEntries(json(entries));
      if (click.superseded.length > 0) yield* remove(click.superseded);
      if (record) yield* forgetMailbox(record.mailbox, record.publication);
      yield* setMailboxes(record && record.signups.length > 0 ? [record] : [], kept);
      return waiting.map(({ id }) => id);
    }),
    stopMails: write(function* (id, { mailbox: hash, publication }, at) {
      if (id !== null) yield* remove([id]);
      yield* suppressMailbox(hash, publication, at);
    }),
    leave: write(function* (id, at) {
      yield* markLeft(id, at);
      yield* removeUnsent(id);
    }),
  };
  /** Of a claim. */
  function* claimMails(candidates: readonly MailCandidate[], now: number): Act<readonly ClaimedSignup[]> {
    if (candidates.length === 0) return [];
    const known = (yield* mailboxes(candidates.map((each) => each.mailbox))).map(toMailbox);
    const sent = yield* mailSent(known.flatMap(({ signups }) => signups.map(({ id }) => id)));
    const { mailed, kept, records } = planMails(candidates, known, new Set(sent.map(({ id }) => String(id))), now);
    yield* setMailboxes(records, kept);
    if (mailed.length > 0)
      yield* beginMails(
        mailed.map(({ id }) => id),
        now + claimMs,
      );
    return mailed;
  }
  return { methods, claimMails, addEntries };
}
