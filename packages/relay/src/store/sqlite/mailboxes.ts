/** Confirmation mails in the SQLite store: who gets one, what its link shows, and what a click decides. */
import { hasLeft, isUnsent } from '../conditions.ts';
import { type MailCandidate, planClick, planMails, shownBy } from '../mailbox-mails.ts';
import { type OpenRow, stored, type StoredRow, toOpen, toStored } from '../rows.ts';
import { mailboxHash } from '../signup-identity.ts';
import {
  type ClaimedSignup,
  claimMs,
  type ConsentRecord,
  leftByMail,
  type MailboxRecord,
  type MailboxStore,
} from '../signup-store.ts';
import { statementsOf, type StoreDatabase } from './driver.ts';
import { mailboxesIn } from './records.ts';

export function mailboxStore(db: StoreDatabase, addConsent: (entry: ConsentRecord) => void) {
  const { reads, writes } = db;
  const { one, all, run, insert } = statementsOf(db);
  const mailboxesOf = mailboxesIn(db);
  const mailSent = all<[ids: string], { readonly id: string }>(`SELECT id FROM signup
     WHERE id IN (SELECT value FROM json_each(?)) AND +state = 'unconfirmed' AND next_attempt_at IS NULL`);
  const replaceMailbox = insert('INSERT OR REPLACE', 'confirmation_mailbox', [
    'mailbox',
    'publication',
    'mails',
    'last_mail_at',
    'suppressed_at',
    'signups',
  ]);
  const forgetMailbox = run<[mailbox: string, publication: string]>(
    'DELETE FROM confirmation_mailbox WHERE mailbox = ? AND publication = ?',
  );
  const suppressMailbox = run<[mailbox: string, publication: string, at: number]>(
    `INSERT INTO confirmation_mailbox (mailbox, publication, mails, last_mail_at, suppressed_at)
     VALUES (?1, ?2, 1, ?3, ?3) ON CONFLICT (mailbox, publication) DO UPDATE SET suppressed_at = excluded.suppressed_at`,
  );
  const keepUnmailed = run<[id: string, until: number | null, reason: string | null]>(
    `UPDATE signup SET next_attempt_at = ?2, last_error = ?3 WHERE id = ?1 AND state = 'unconfirmed'`,
  );
  const beginMail = run<[id: string, until: number]>(
    'UPDATE signup SET next_attempt_at = ?2, last_error = NULL WHERE id = ?1',
  );
  const ofId = one<[id: string], StoredRow>(`SELECT ${stored} FROM signup WHERE id = ?`);
  const openSignups = all<[id: string, mailbox: string], OpenRow>(
    `SELECT s.id, s.form, s.received_at AS receivedAt, s.submission, c.sentence, c.version
     FROM signup AS s LEFT JOIN consent AS c ON c.signup = s.id AND c.kind <> 'confirmed'
     WHERE +s.state = 'unconfirmed' AND s.id IN (SELECT ?1 UNION ALL SELECT json_each.value ->> 'id'
       FROM confirmation_mailbox AS m, json_each(m.signups) WHERE m.mailbox = ?2 AND instr(m.signups, ?1) > 0)
     ORDER BY s.id`,
  );
  const isOpen = one<[id: string]>(`SELECT 1 FROM signup WHERE id = ? AND state = 'unconfirmed'`);
  const confirmPerson = run<[id: string, submission: string, content: string, status: string | null, at: number]>(
    `UPDATE signup SET state = 'waiting', due_at = ?5, next_attempt_at = 0, last_error = NULL, tried = 0,
       submission = ?2, content = ?3, status = ?4 WHERE id = ?1`,
  );
  const removeUnconfirmed = run<[id: string | null]>(`DELETE FROM signup WHERE id = ? AND state = 'unconfirmed'`);
  const markLeft = run<[id: string, at: number]>(`UPDATE signup SET last_error = '${leftByMail}',
       next_attempt_at = CASE state WHEN 'delivered' THEN ?2 ELSE next_attempt_at END
     WHERE id = ?1 AND state <> 'unconfirmed' AND submission IS NOT NULL`);
  const removeUnsent = run<[id: string]>(`DELETE FROM signup WHERE id = ? AND ${hasLeft} AND ${isUnsent}`);

  const setMailbox = ({ lastMailAt, suppressedAt, signups, ...record }: MailboxRecord): void => {
    if (signups.length === 0) forgetMailbox(record.mailbox, record.publication);
    else
      replaceMailbox({
        ...record,
        last_mail_at: lastMailAt,
        suppressed_at: suppressedAt,
        signups: JSON.stringify(signups),
      });
  };

  const methods: MailboxStore = {
    linked: reads((id) => {
      const [signup] = [ofId(id)].flatMap((row) => (row ? [toStored(row)] : []));
      return signup ? { signup, open: openSignups(id, mailboxHash(signup.submission?.email ?? '')).map(toOpen) } : null;
    }),
    confirmPerson: writes((click): readonly string[] => {
      if (shownBy(click).some((id) => isOpen(id) === undefined)) return [];
      const mailboxes = mailboxesOf(mailboxHash(click.confirmed[0]?.submission.email ?? ''));
      const { rows, entries, kept, record } = planClick(click, mailboxes);
      for (const { id, submission, content, status } of rows) confirmPerson(id, submission, content, status, click.at);
      for (const entry of entries) addConsent(entry);
      for (const id of click.superseded) removeUnconfirmed(id);
      for (const { id, until, reason } of kept) keepUnmailed(id, until, reason);
      if (record) setMailbox(record);
      return rows.map(({ id }) => id);
    }),
    stopMails: writes((id, { mailbox, publication }, at) => {
      removeUnconfirmed(id);
      suppressMailbox(mailbox, publication, at);
    }),
    leave: writes((id, at) => {
      markLeft(id, at);
      removeUnsent(id);
    }),
  };
  /** Runs in the transaction of a claim. */
  const claimMails = (candidates: readonly MailCandidate[], now: number): readonly ClaimedSignup[] => {
    const known = candidates.flatMap(({ mailbox }) => mailboxesOf(mailbox));
    const ids = known.flatMap(({ signups }) => signups.map(({ id }) => id));
    const sent = new Set(mailSent(JSON.stringify(ids)).map(({ id }) => id));
    const { mailed, kept, records } = planMails(candidates, known, sent, now);
    for (const record of records) setMailbox(record);
    for (const { id, until, reason } of kept) keepUnmailed(id, until, reason);
    for (const { id } of mailed) beginMail(id, now + claimMs);
    return mailed;
  };
  return { methods, claimMails };
}
