/** Signups, consents and erased people, as operators list and export them. */
import { conditions } from '../conditions.ts';
import {
  ledgerColumns,
  mailboxColumns,
  type MailboxRow,
  stored,
  type StoredRow,
  toMailbox,
  toStored,
} from '../rows.ts';
import { idFrom, mailboxHash, personHash, suppressionHash } from '../signup-identity.ts';
import type { ConsentRecord, StoreReads } from '../signup-store.ts';
import { type Bind, type Dialect, type ReadDatabase, actsOf, type Value } from './act.ts';

/** The records of the mailboxes with these hashes, one for each publication. */
export const mailboxesOf = ({ table, among }: Dialect): string =>
  `SELECT ${mailboxColumns} FROM ${table('confirmation_mailbox')} WHERE ${among('mailbox', '$1')} ORDER BY publication`;

export function recordReads(db: ReadDatabase): Omit<StoreReads, 'counts' | 'overview'> {
  const { dialect, inTime, readOne, readLong } = db;
  const { table, unindexed } = dialect;
  const { one, all } = actsOf(db);
  /** Entries of the ledger, each with the status that came of its signup. */
  const entries = `SELECT ${ledgerColumns.map((name) => `c.${name}`).join(', ')}, s.status FROM ${table('consent')} AS c
    LEFT JOIN ${table('signup')} AS s ON s.id = c.signup AND ${unindexed('s.state')} = 'delivered'`;
  const signupsOf = all<[people: readonly string[]], StoredRow>(`SELECT ${stored} FROM ${dialect.ofPeople('$1')}`);
  const consentsOf = all<[person: string], ConsentRecord>(`${entries} WHERE c.person = $1`);
  const mailsOf = all<[mailboxes: readonly string[]], MailboxRow>(mailboxesOf(dialect));
  const isSuppressed = one<[hash: string]>(`SELECT 1 FROM ${table('suppression')} WHERE hash = $1`);
  // All entries of so many signups: the next page starts after the last signup of this one.
  const consents = all<[after: string, limit: number], ConsentRecord>(
    `${entries} WHERE c.signup IN (SELECT DISTINCT signup FROM ${table('consent')} WHERE signup > ${dialect.id('$1')}
       ORDER BY signup LIMIT $2) ORDER BY c.signup`,
  );
  const suppressions = all<[after: string, limit: number], { readonly hash: string }>(
    `SELECT hash FROM ${table('suppression')} WHERE hash > $1 ORDER BY hash LIMIT $2`,
  );
  return {
    list: readOne(function* (filter, { after, limit }) {
      const values: Value[] = [];
      const bind: Bind = (value) => `$${values.push(value)}`;
      const isOlder = after === undefined ? '' : `AND id < ${bind(after)}`;
      // An index may have what the filter asks for: only the rows that are shown are read.
      const shown = `SELECT id FROM ${table('signup')}
        WHERE ${inTime} AND ${conditions(filter, bind, dialect)} ${isOlder} ORDER BY id DESC LIMIT ${bind(limit)}`;
      const page = all<Value[], StoredRow>(
        `SELECT ${stored} FROM ${table('signup')} AS s WHERE ${dialect.within('id', shown)} ORDER BY id DESC`,
      );
      return (yield* page(...values)).map(toStored);
    }),
    listConsents: readOne(function* ({ after = idFrom(0), limit }) {
      return (yield* consents(after, limit)).toSorted(byTime);
    }),
    suppressions: readOne(function* ({ after = '', limit }) {
      return (yield* suppressions(after, limit)).map(({ hash }) => hash);
    }),
    person: readLong(function* (address) {
      return {
        signups: (yield* signupsOf([personHash(address)])).map(toStored).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        consents: (yield* consentsOf(personHash(address))).toSorted(byTime),
        mails: (yield* mailsOf([mailboxHash(address)])).map(toMailbox),
        suppressed: (yield* isSuppressed(suppressionHash(address))) !== undefined,
      };
    }),
  };
}

/** Entries of one signup stay together. */
function byTime(one: ConsentRecord, other: ConsentRecord): number {
  return one.signup === other.signup ? one.at - other.at : one.signup < other.signup ? -1 : 1;
}
