/** Confirmation mails in the PostgreSQL store: who gets one, what its link shows, and what a click decides. */
import { hasLeft, isUnsent } from '../conditions.ts';
import { asStoreUnavailable } from '../database-errors.ts';
import { type MailCandidate, planClick, planMails, shownBy, type Unmailed } from '../mailbox-mails.ts';
import { mailboxColumns, type MailboxRow, type OpenRow, type StoredRow, toMailbox, toOpen, toStored } from '../rows.ts';
import { mailboxHash } from '../signup-identity.ts';
import {
  type ClaimedSignup,
  claimMs,
  type Click,
  leftByMail,
  type MailboxRecord,
  type MailboxStore,
} from '../signup-store.ts';
import { type Alone, json, type RunQuery } from './connections.ts';
import type { Statements } from './statements.ts';
import { confirmationMailbox, consent, entry, rowsOf, signup, stored, unindexedState } from './sql-parts.ts';

export const mailboxesOf = `SELECT ${mailboxColumns} FROM ${confirmationMailbox} WHERE mailbox = ANY($1::text[]) ORDER BY publication`;

const openSignups = `SELECT s.id, s.form, s.received_at AS "receivedAt", s.submission, c.sentence, c.version
  FROM ${signup} AS s LEFT JOIN ${consent} AS c ON c.signup = s.id AND c.kind <> 'confirmed'
  WHERE ${unindexedState('s')} = 'unconfirmed' AND s.id = ANY(ARRAY(SELECT $1::uuid UNION SELECT (e ->> 'id')::uuid
    FROM ${confirmationMailbox} AS m, json_array_elements(m.signups::json) AS e WHERE m.mailbox = $2 AND strpos(m.signups, $1::uuid::text) > 0))
  ORDER BY s.id`;

const confirmSignups = `WITH confirmed AS (UPDATE ${signup} AS s SET state = 'waiting', due_at = $3, next_attempt_at = 0, last_error = NULL,
      tried = false, submission = r.submission, content = r.content, status = r.status
    FROM ${rowsOf(signup, '$1')} AS r WHERE s.id = r.id),
  superseded AS (DELETE FROM ${signup} WHERE id = ANY($4::uuid[])),
  forgotten AS (DELETE FROM ${confirmationMailbox} WHERE mailbox = $5 AND publication = $6)
  INSERT INTO ${consent} (${entry}) SELECT ${entry} FROM ${rowsOf(consent, '$2')} ON CONFLICT (signup, kind) DO NOTHING`;

export function mailboxStore({ brief, write }: Statements, alone: Alone): MailboxStore {
  const stopMails = write(`WITH removed AS (DELETE FROM ${signup} WHERE id = $1 AND state = 'unconfirmed')
      INSERT INTO ${confirmationMailbox} (mailbox, publication, mails, last_mail_at, suppressed_at) VALUES ($2, $3, 1, $4, $4)
      ON CONFLICT (mailbox, publication) DO UPDATE SET suppressed_at = excluded.suppressed_at`);
  return {
    linked: (id) =>
      asStoreUnavailable('read', async () => {
        const rows = await brief.query<StoredRow>(`SELECT ${stored} FROM ${signup} AS s WHERE id = $1`, [id]);
        const [linked] = rows.map(toStored);
        const mailbox = mailboxHash(linked?.submission?.email ?? '');
        return linked
          ? { signup: linked, open: (await brief.query<OpenRow>(openSignups, [id, mailbox])).map(toOpen) }
          : null;
      }),
    confirmPerson: (click) => alone((query) => confirmIn(query, click)),
    stopMails: (id, { mailbox, publication }, at) => stopMails(id, mailbox, publication, at),
    leave: (id, at) =>
      asStoreUnavailable('written', () =>
        brief.transaction(async (query) => {
          await query(
            `UPDATE ${signup} AS s SET last_error = '${leftByMail}', next_attempt_at = CASE state WHEN 'delivered' THEN $2 ELSE next_attempt_at END
              WHERE id = $1 AND ${unindexedState('s')} <> 'unconfirmed' AND submission IS NOT NULL`,
            [id, at],
          );
          await query(`DELETE FROM ${signup} WHERE id = $1 AND ${hasLeft} AND ${isUnsent}`, [id]);
        }),
      ),
  };
}

async function confirmIn(query: RunQuery, click: Click): Promise<readonly string[]> {
  const shown = shownBy(click);
  const open = await query(
    `SELECT FROM ${signup} AS s WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'unconfirmed' ORDER BY id FOR UPDATE`,
    [shown],
  );
  if (open.length < shown.length) return [];
  const mailbox = mailboxHash(click.confirmed[0]?.submission.email ?? '');
  const mailboxes = (await query<MailboxRow>(mailboxesOf, [[mailbox]])).map(toMailbox);
  const { rows, entries, kept, record } = planClick(click, mailboxes);
  const { at, superseded } = click;
  await query(confirmSignups, [json(rows), json(entries), at, superseded, record?.mailbox, record?.publication]);
  await setMailboxes(query, record && record.signups.length > 0 ? [record] : [], kept);
  return rows.map(({ id }) => id);
}

/** Runs in the transaction of a claim. */
export async function claimMails(
  query: RunQuery,
  candidates: readonly MailCandidate[],
  now: number,
): Promise<readonly ClaimedSignup[]> {
  if (candidates.length === 0) return [];
  const known = (await query<MailboxRow>(mailboxesOf, [candidates.map(({ mailbox }) => mailbox)])).map(toMailbox);
  const ids = known.flatMap(({ signups }) => signups.map(({ id }) => id));
  const sent = await query<{ readonly id: string }>(
    `SELECT id FROM ${signup} AS s WHERE id = ANY($1::uuid[]) AND ${unindexedState('s')} = 'unconfirmed' AND next_attempt_at IS NULL`,
    [ids],
  );
  const { mailed, kept, records } = planMails(candidates, known, new Set(sent.map(({ id }) => id)), now);
  await setMailboxes(query, records, kept);
  if (mailed.length > 0)
    await query(`UPDATE ${signup} SET next_attempt_at = $2, last_error = NULL WHERE id = ANY($1::uuid[])`, [
      mailed.map(({ id }) => id),
      now + claimMs,
    ]);
  return mailed;
}

async function setMailboxes(
  query: RunQuery,
  records: readonly MailboxRecord[],
  kept: readonly Unmailed[],
): Promise<void> {
  const columns = records.map(({ lastMailAt, signups, ...record }) => ({
    ...record,
    last_mail_at: lastMailAt,
    signups: JSON.stringify(signups),
  }));
  const waiting = kept.map(({ id, until, reason }) => ({ id, next_attempt_at: until, last_error: reason }));
  await query(
    `WITH kept AS (UPDATE ${signup} AS s SET next_attempt_at = r.next_attempt_at, last_error = r.last_error
        FROM ${rowsOf(signup, '$2')} AS r WHERE s.id = r.id AND ${unindexedState('s')} = 'unconfirmed')
      INSERT INTO ${confirmationMailbox} (mailbox, publication, mails, last_mail_at, signups)
        SELECT mailbox, publication, mails, last_mail_at, signups FROM ${rowsOf(confirmationMailbox, '$1')}
      ON CONFLICT (mailbox, publication) DO UPDATE SET mails = excluded.mails, last_mail_at = excluded.last_mail_at, signups = excluded.signups`,
    [json(columns), json(waiting)],
  );
}
