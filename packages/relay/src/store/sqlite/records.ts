/** Signups, consents and erased people in the SQLite store, as operators list and export them. */
import { conditions } from '../conditions.ts';
import { mailboxColumns, type MailboxRow, stored, type StoredRow, toMailbox, toStored } from '../rows.ts';
import { mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import type { ConsentRecord, MailboxRecord, StoreReads } from '../signup-store.ts';
import { type ReadDatabase, type SqliteValue, statementsOf } from './driver.ts';
import { dialect, entries, ofPerson } from './sql-parts.ts';

export function recordReads(db: ReadDatabase): Omit<StoreReads, 'counts' | 'overview'> {
  const { reads, inTime } = db;
  const { one, all } = statementsOf(db);
  const signupsOf = all<[person: string], StoredRow>(`SELECT ${stored} FROM signup WHERE ${ofPerson}`);
  const consentsOf = all<[person: string], ConsentRecord>(`${entries} WHERE c.person = ?`);
  const mailboxesOf = mailboxesIn(db);
  const isSuppressed = one<[hash: string]>('SELECT 1 FROM suppression WHERE hash = ?');
  // All entries of so many signups: the next page starts after the last signup of this one.
  const consents = all<[after: string, limit: number], ConsentRecord>(
    `${entries} WHERE c.signup IN (SELECT DISTINCT signup FROM consent WHERE signup > ? ORDER BY signup LIMIT ?)
     ORDER BY c.signup`,
  );
  const suppressions = all<[after: string, limit: number], { readonly hash: string }>(
    'SELECT hash FROM suppression WHERE hash > ? ORDER BY hash LIMIT ?',
  );
  return {
    list: reads((filter, { after, limit }) => {
      const { sql, values } = conditions(filter, dialect);
      const page = all<SqliteValue[], StoredRow>(
        `SELECT ${stored} FROM signup WHERE ${inTime} AND ${sql} ${after === undefined ? '' : 'AND id < ?'}
         ORDER BY id DESC LIMIT ?`,
      );
      return page(...values, ...(after === undefined ? [] : [after]), limit).map(toStored);
    }),
    listConsents: reads(({ after = '', limit }) => consents(after, limit)),
    suppressions: reads(({ after = '', limit }) => suppressions(after, limit).map(({ hash }) => hash)),
    person: reads((address) => ({
      signups: signupsOf(personHash(address))
        .map(toStored)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      consents: consentsOf(personHash(address)).toSorted((a, b) => a.at - b.at),
      mails: mailboxesOf(mailboxHash(address)),
      suppressed: isSuppressed(suppressionHash(address)) !== undefined,
    })),
  };
}

/** The records of the mailbox with a hash, one for each publication. */
export function mailboxesIn(db: ReadDatabase): (mailbox: string) => readonly MailboxRecord[] {
  const rows = statementsOf(db).all<[mailbox: string], MailboxRow>(
    `SELECT ${mailboxColumns} FROM confirmation_mailbox WHERE mailbox = ?`,
  );
  return (mailbox) => rows(mailbox).map(toMailbox);
}
