/** Reads a list of people whom an import must not bring in. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { AddressSet } from '../../import/address-set.ts';
import { Table } from '../../import/columns.ts';
import { TableError } from '../../import/headings.ts';
import { addressKey } from '../../signup/address.ts';
import { bytesOf, CsvError, explain, look, records, type About } from './csv.ts';

/** Hash functions of such lists, by the length of a hash in hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' };

const algorithmOf = (entry: string): string | undefined =>
  /^[\da-f]+$/i.test(entry) ? algorithms[entry.length] : undefined;

/** People whom an import must not bring in. */
export interface KeepOutList {
  /** Entries of the list. */
  readonly size: number;
  /** For the option `keepOut` of an import: the reason where the address is in the list. */
  readonly reasonFor: (address: string) => string | undefined;
}

/**
 * Reads a list of people whom an import must not bring in: addresses, or MD5, SHA-1 or SHA-256 hashes of them in lower
 * case, one a line or in the column `email` or `hash` of a CSV file. Of an export that says who has left, everybody
 * who left, bounced, complained or never asked for mails is in the list, and the others are not.
 *
 * @throws CsvError where an entry is neither; it names the row and does not repeat it
 * @example
 * ```ts
 * const { reasonFor: keepOut } = await readKeepOut('unsubscribed.csv');
 * await importSubscriptions({ engine: client.engine, source: await readCsv('people.csv'), keepOut });
 * ```
 */
export async function readKeepOut(path: string): Promise<KeepOutList> {
  const name = basename(path);
  const about: About = (where, sentence, details) => new CsvError(`${name}${where}: ${sentence}`, details);
  const addresses = new AddressSet();
  const hashes = new Set<string>();
  const used = new Set<string>();
  let size = 0;
  const add = (entry: string, row: number): void => {
    const algorithm = algorithmOf(entry);
    if (algorithm === undefined && !/\S@\S/.test(entry))
      throw about(
        `, row ${row}`,
        'it is no address and no MD5, SHA-1 or SHA-256 hash. Correct the list: nothing was imported.',
      );
    size += 1;
    if (algorithm === undefined) addresses.add(entry, row);
    else {
      used.add(algorithm);
      hashes.add(entry.toLowerCase());
    }
  };

  const file = await open(path).catch((cause: unknown) => {
    throw explain(cause, 1, about);
  });
  let row = 1;
  try {
    const { encoding } = await look(file, undefined, about);
    const rowsOf = () => records(bytesOf(file), encoding, undefined);
    const pass = await rowsOf();
    const header = (await pass.next()) ?? [];
    const isEntry = (cell: string): boolean => algorithmOf(cell) !== undefined || /\S@\S/.test(cell);
    const table = header.some(isEntry) ? undefined : new Table(header, { others: 'ignore', fileName: name });
    const at = table
      ? Math.max(
          table.address,
          header.findIndex((cell) => /^(?:e-?mail[ _]?)?(?:hash|md5|sha-?1|sha-?256)$/i.test(cell)),
        )
      : 0;
    if (at < 0) throw new TableError('No column of the list is named "email" or "hash".');
    if (!table) for (const cell of header.slice(0, 1)) add(cell, row);
    for (let cells = await pass.next(); cells; cells = await pass.next()) {
      row += 1;
      if (table?.needsRows) table.see(cells, row);
      else if (cells[at]) add(cells[at], row);
    }
    pass.close();
    if (table?.needsRows) {
      table.consent.finish();
      const again = await rowsOf();
      await again.next();
      row = 1;
      const tells = table.consent.columns.length > 0;
      for (let cells = await again.next(); cells; cells = await again.next()) {
        row += 1;
        const hasLeft = table.consent.read(cells, cells[at])?.kind === 'left';
        if (cells[at] && (hasLeft || !tells)) add(cells[at], row);
      }
      again.close();
    }
  } catch (cause) {
    throw explain(cause, row, about);
  } finally {
    await file.close();
  }

  return {
    size,
    reasonFor(address) {
      const key = addressKey(address);
      const isKept =
        addresses.rowOf(address) !== undefined ||
        [...used].some((algorithm) => hashes.has(createHash(algorithm).update(key).digest('hex')));
      return isKept ? `${name} says that this person stays out` : undefined;
    },
  };
}
