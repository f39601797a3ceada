/** Signups, consents and erased people in the PostgreSQL store, as operators list and export them. */
import { conditions } from '../conditions.ts';
import { type MailboxRow, type StoredRow, toMailbox, toStored } from '../rows.ts';
import { mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import type { ConsentRecord, StoreReads } from '../signup-store.ts';
import type { Statements } from './statements.ts';
import { mailboxesOf } from './mailboxes.ts';
import { consent, dialect, entries, firstId, numbered, ofPeople, signup, stored, suppression } from './sql-parts.ts';

export function recordReads({ readLong }: Statements): Omit<StoreReads, 'counts' | 'overview'> {
  const toSignups = (rows: readonly StoredRow[]) => rows.map(toStored);
  const toEntries = (rows: readonly ConsentRecord[]) => rows;
  const signupsOf = readLong(`SELECT ${stored} FROM ${ofPeople} ORDER BY s.id`, toSignups);
  const consentsOf = readLong(`${entries} WHERE c.person = $1 ORDER BY c.signup, c.kind DESC`, toEntries);
  const mailsOf = readLong(mailboxesOf, (rows: readonly MailboxRow[]) => rows.map(toMailbox));
  const isSuppressed = readLong(`SELECT FROM ${suppression} WHERE hash = $1`, ({ length }) => length > 0);
  // All entries of $2 signups: the next page starts after the last signup of this one.
  const consents = readLong(
    `${entries} WHERE c.signup IN (SELECT DISTINCT signup FROM ${consent} WHERE signup > $1 ORDER BY signup LIMIT $2)
      ORDER BY c.signup, c.kind DESC`,
    toEntries,
  );
  const suppressions = readLong(
    `SELECT hash FROM ${suppression} WHERE hash > $1 ORDER BY hash LIMIT $2`,
    (rows: readonly { readonly hash: string }[]) => rows.map(({ hash }) => hash),
  );
  return {
    list(filter, { after, limit }) {
      const { sql, values } = conditions(filter, dialect);
      const page = after === undefined ? '' : 'AND id < ?';
      const text = numbered(`SELECT ${stored} FROM ${signup} AS s WHERE ${sql} ${page} ORDER BY id DESC LIMIT ?`);
      return readLong(text, toSignups)(...values, ...(after === undefined ? [] : [after]), limit);
    },
    listConsents: ({ after = firstId, limit }) => consents(after, limit),
    suppressions: ({ after = '', limit }) => suppressions(after, limit),
    async person(address) {
      return {
        signups: await signupsOf([personHash(address)]),
        consents: await consentsOf(personHash(address)),
        mails: await mailsOf([mailboxHash(address)]),
        suppressed: await isSuppressed(suppressionHash(address)),
      };
    },
  };
}
