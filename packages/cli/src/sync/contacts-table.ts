/** Checks the contacts table: its columns and the rights of the database user. */
import type pg from 'pg';
import { quote, UsageError } from '@newsletter-kit/core/command-line';
import { columnsOf, writtenColumns, type SyncConfig } from './config.ts';
import { columnsQuery, identifier, qualified, type Column } from './statements.ts';

/**
 * Reads the columns of the contacts table.
 *
 * @throws UsageError that names missing or unsuitable columns
 */
export async function readColumns(client: pg.Client, config: SyncConfig): Promise<ReadonlyMap<string, Column>> {
  const { contacts, mapping } = config;
  const { rows } = await client.query<Column>(columnsQuery, [qualified(contacts.table)]);
  if (rows.length === 0)
    throw new UsageError(
      `There is no table ${quote(contacts.table)} in the database: correct "contacts.table", upper and lower case as in PostgreSQL, with its schema in front where it is not on the search path.`,
    );
  const columns = new Map(rows.map((column) => [column.name, column]));
  const problems: string[] = [];
  for (const name of [contacts.id, contacts.email, ...columnsOf(mapping)]) {
    const column = columns.get(name);
    if (!column)
      problems.push(
        `Table ${quote(contacts.table)} has no column ${quote(name)}. It has: ${[...columns.keys()].join(', ')}.`,
      );
    else if (!column.readable)
      problems.push(`The database user can't read column ${quote(name)}: grant it SELECT on ${contacts.table}.`);
  }
  for (const name of writtenColumns(mapping))
    if (columns.get(name)?.generated)
      problems.push(`PostgreSQL computes column ${quote(name)} itself: let its field go to_subscription.`);
  for (const { contact, separator } of mapping.fields)
    if (separator !== undefined && columns.get(contact)?.kind === 'list')
      problems.push(`Column ${quote(contact)} is an array and needs no "separator": remove it.`);
  if (problems.length > 0) throw new UsageError(problems);
  return columns;
}

/** @throws UsageError that names the missing rights to write contacts */
export function checkWritable({ contacts, mapping }: SyncConfig, columns: ReadonlyMap<string, Column>): void {
  const { newSubscription, contactMissing, addressChangedInNewsletter } = mapping.situations ?? {};
  const creates = newSubscription !== 'leave' || contactMissing === 'create_contact';
  const written = [...writtenColumns(mapping), contacts.email].map((name) => columns.get(name));
  const updated = addressChangedInNewsletter === 'report' ? written.slice(0, -1) : written;
  const problems = [
    ...missingRight(
      'UPDATE',
      updated.filter((column) => column?.updatable === false),
    ),
    ...missingRight('INSERT', creates ? written.filter((column) => column?.insertable === false) : []),
  ];
  if (problems.length > 0) throw new UsageError(problems);

  function missingRight(right: string, lacking: readonly (Column | undefined)[]): readonly string[] {
    if (lacking.length === 0) return [];
    const names = lacking.map((column) => identifier(column?.name ?? '')).join(', ');
    return [
      `The database user can't write all columns: GRANT ${right} (${names}) ON ${qualified(contacts.table)} to it.`,
    ];
  }
}
