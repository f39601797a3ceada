/** Reads a list of people whom an import must not bring in. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { AddressSet } from '../../import/address-set.ts';
import { Table } from '../../import/columns.ts';
import type { ConsentOptions } from '../../import/consent.ts';
import { TableError } from '../../import/headings.ts';
import { addressKey } from '../../signup/address.ts';
import { aboutFile, explain, type About } from './csv.ts';
import { records } from './csv-records.ts';
import { inspect, textOf } from './text-file.ts';

/** Hash functions of such lists, by the length of a hash in hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' };

const algorithmOf = (entry: string): string | undefined =>
  /^[\da-f]+$/i.test(entry) ? algorithms[entry.length] : undefined;

const isEntry = (cell: string): boolean => algorithmOf(cell) !== undefined || /\S@\S/.test(cell);

/** Whether most filled cells of a column are entries. */
function holdsEntries(rows: readonly (readonly string[])[], column: number): boolean {
  const filled = rows.flatMap((cells) => cells[column] || []);
  return filled.filter(isEntry).length * 2 > filled.length;
}

/** People whom an import must not bring in. */
export interface KeepOutList {
  /** Entries of the list. */
  readonly size: number;
  /** For the option `keepOut` of an import: the reason where the address is in the list. */
  readonly reasonFor: (address: string) => string | undefined;
}

/**
 * Reads a list of people whom an import must not bring in: addresses, or MD5, SHA-1 or SHA-256 hashes of them in lower
 * case, one a line or in a column of a CSV file. Of an export that says who has left, everybody
 * who left, bounced, complained or never asked for mails is in the list, and the others are not.
 *
 * @param answers - about who has left by the export, as for an import of it
 * @throws CsvError where an entry is neither; it names the row and does not repeat it. Also where words in a column
 *   tell some people from others, and no answer says how
 * @example
 * ```ts
 * const { reasonFor: keepOut } = await readKeepOut('unsubscribed.csv');
 * await importSubscriptions({ engine: client.engine, source: await readCsv('people.csv'), keepOut });
 * ```
 */
export async function readKeepOut(
  path: string,
  { leftBy = {}, nobodyLeftBy }: Pick<ConsentOptions, 'leftBy' | 'nobodyLeftBy'> = {},
): Promise<KeepOutList> {
  const name = basename(path);
  const about = aboutFile(name);
  const list = entryList(name, about);
  const file = await open(path).catch((cause: unknown) => {
    throw explain(cause, 1, aboutFile(path));
  });
  let row = 1;
  try {
    const found = await inspect(file, undefined);
    if (typeof found === 'string') throw about('', found);
    const rowsOf = () => records(textOf(file, found.encoding, new Set()), undefined);
    const { header, headerRow, chunks } = await rowsOf();
    const answers = {
      leftBy: Object.fromEntries(Object.entries(leftBy).filter(([column]) => header.includes(column))),
      nobodyLeftBy,
      fileName: name,
    };
    const isTable = !header.some(isEntry);
    if (!isTable) for (const cell of header.slice(0, 1)) list.add(cell, headerRow);
    row = headerRow;
    let table: Table | undefined;
    let at = isTable ? -1 : 0;
    for await (const chunk of chunks) {
      if (isTable && !table) {
        table = new Table(header, answers, chunk);
        at = table.address >= 0 ? table.address : header.findIndex((_, column) => holdsEntries(chunk, column));
      }
      for (const cells of chunk) {
        row += 1;
        if (table) table.see(cells, row);
        else if (cells[0]) list.add(cells[0], row);
      }
    }
    if (at < 0) throw new TableError('No column of the list holds addresses or hashes of them.');
    table?.consent.finish('others');
    if (table) {
      row = headerRow;
      const tells = table.consent.columns.length > 0;
      for await (const chunk of (await rowsOf()).chunks)
        for (const cells of chunk) {
          row += 1;
          const entry = cells[at];
          const hasLeft = table.consent.read(cells, entry)?.kind === 'left';
          if (entry && (hasLeft || !tells)) list.add(entry, row);
        }
    }
  } catch (cause) {
    throw explain(cause, row, about);
  } finally {
    await file.close();
  }
  return list;
}

/** An empty list, and how an entry is added. */
function entryList(name: string, about: About) {
  const addresses = new AddressSet();
  /** By the function that made them. */
  const hashes = new Map<string, Set<string>>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(entry: string, row: number): void {
      if (!isEntry(entry))
        throw about(
          `, row ${row}`,
          'it is no address and no MD5, SHA-1 or SHA-256 hash. Correct the list: nothing was imported.',
        );
      size += 1;
      const algorithm = algorithmOf(entry);
      if (algorithm === undefined) addresses.add(entry, row);
      else hashes.set(algorithm, (hashes.get(algorithm) ?? new Set()).add(entry.toLowerCase()));
    },
    reasonFor(this: void, address: string): string | undefined {
      const isHashed = ([algorithm, known]: readonly [string, ReadonlySet<string>]): boolean =>
        known.has(createHash(algorithm).update(addressKey(address)).digest('hex'));
      const isKept = addresses.rowOf(address) !== undefined || [...hashes].some(isHashed);
      return isKept ? `${name} says that this person stays out` : undefined;
    },
  };
}
