/**
 * Reads a CSV file as the source of an import: row by row, in the usual encodings and dialects, with its columns mapped
 * to fields.
 */
import { Buffer } from 'node:buffer';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Table, type ColumnOptions } from '../../import/columns.ts';
import { TableError, type TableRemedy } from '../../import/headings.ts';
import type { ImportSource, SourceRow } from '../../import/source.ts';
import { isAddress } from '../../signup/address.ts';
import { BrokenRecord, records, type Records } from './csv-records.ts';
import { inspect, textOf } from './text-file.ts';

/** Options of {@link readCsv}. */
export interface CsvOptions extends ColumnOptions {
  /**
   * Separator of cells. Default: that of a first line `sep=;`, or the sign that cuts the first hundred rows into the
   * most equal number of cells.
   */
  readonly delimiter?: string | undefined;
  /**
   * A name that `TextDecoder` knows. Default: UTF-16 by its byte order mark or its NULs; else UTF-8 if every byte fits;
   * else windows-1252, if every byte is one of its characters.
   */
  readonly encoding?: string | undefined;
  /** Name of the source in errors. Default: the name of the file, or `CSV`. */
  readonly name?: string | undefined;
}

/** A CSV file, ready to be imported. */
export interface CsvSource extends ImportSource {
  /** Numbered as a spreadsheet does: the first row is 1, empty rows count. Can be iterated once. */
  readonly rows: AsyncIterable<SourceRow>;
  /** The header; the second column of one name has its number: `Name (2)`. */
  readonly columns: readonly string[];
  /** The number of its row: what stands above it is a title. */
  readonly headerRow: number;
  /** Lines of the text that held control characters; these are left out. */
  readonly controlLines: readonly number[];
  /** SHA-256 of a file; undefined for a stream. */
  readonly fingerprint: string | undefined;
  /** Number of filled rows. */
  readonly total: number;
  /** Most rows that can be imported: those of people who want mails, or may be asked again. */
  readonly mostRows: number;
  /** The service whose export it is, by its headings. */
  readonly service: string | undefined;
  /** Headings of the columns that say who wants mails. */
  readonly consentColumns: readonly string[];
  /** Headings of the columns that were left out, because a subscription has no field for them. */
  readonly unusedColumns: readonly string[];
  /** The encoding in which it is read. */
  readonly encoding: string;
  /** Closes the file. An import does so at its end; only a source that is given to none must be closed. */
  readonly close: () => Promise<void>;
}

/** Details of a {@link CsvError}. */
export interface CsvErrorDetails {
  /** Options that would each mend it, or a part of it. Default: none would. */
  readonly remedies?: readonly TableRemedy[] | undefined;
  readonly cause?: unknown;
}

/** The CSV can't be read; the text says where, and what to do. Of the rows it holds words of consent alone. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  /** The text without the options that would mend it, for programs that give these other names. */
  readonly problem: string;
  readonly remedies: readonly TableRemedy[];

  constructor(problem: string, { remedies = [], cause }: CsvErrorDetails = {}) {
    const options = remedies.map((remedy) => `${remedy.option}: ${JSON.stringify(valueOf(remedy))}`);
    super(options.length === 0 ? problem : `${problem}: ${options.join(' or ')}.`, { cause });
    this.problem = problem;
    this.remedies = remedies;
  }
}

/** What the option of a remedy is to be. */
function valueOf(remedy: TableRemedy): unknown {
  if ('columns' in remedy) return remedy.columns;
  if ('value' in remedy) return remedy.value;
  if (!('column' in remedy)) return remedy.values;
  return { [remedy.column]: 'values' in remedy ? remedy.values : remedy.target };
}

/**
 * Opens a CSV file or stream and reads its header. The file is read whole before its first row is given, because a
 * later row can say that a person of an earlier one has left. Its rows, and a stream, are kept in a temporary file for
 * that, which only the owner can read and which has no name; where there is no room for rows, they are parsed again.
 *
 * Empty cells set nothing. Cells of custom fields are read by the field's kind; one that does not fit comes out as a
 * rejected row. Custom fields are filled by columns named `custom:<display text>` or mapped there. Rows of people who
 * left by the words of the file come out as rejected, and no option brings them in.
 *
 * @throws CsvError where the file can't be read, or where it does not tell what to import; later, from `rows`, where
 *   the text is broken
 * @example
 * ```ts
 * const columns = { Mail: 'email', 'First Name': 'custom:First Name', Internal: null };
 * const source = await readCsv('people.csv', { columns });
 * ```
 */
export async function readCsv(
  from: string | URL | AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): Promise<CsvSource> {
  const path = typeof from === 'string' ? from : from instanceof URL ? fileURLToPath(from) : undefined;
  const name = options.name ?? (path === undefined ? 'CSV' : basename(path));
  const about = aboutFile(name);
  const opening = path === undefined ? unnamedCopy(from as AsyncIterable<Uint8Array>) : open(path);
  const file = await opening.catch((cause: unknown) => {
    throw explain(cause, 1, aboutFile(options.name ?? (typeof from === 'string' ? from : name)));
  });
  const kept = new KeptRows();
  let row = 1;
  try {
    const found = await inspect(file, options.encoding);
    if (typeof found === 'string') throw about('', found);
    const { fingerprint, encoding } = found;
    const controlLines = new Set<number>();
    const parsed = (): Promise<Records> => records(textOf(file, encoding, controlLines), options.delimiter);

    const first = await parsed();
    const { delimiter, headerRow } = first;
    const columns = numbered(first.header);
    if (columns.every((heading) => heading === ''))
      throw about('', 'the file is empty. Its first row must name the columns, "email" among them.');
    let table: Table | undefined;
    let total = 0;
    row = headerRow;
    for await (const chunk of first.chunks) {
      table ??= new Table(columns, { fileName: path && name, ...options }, chunk);
      for (const cells of chunk) {
        row += 1;
        if (isBlank(cells)) continue;
        total += 1;
        table.see(cells, row);
        if (holdsRows(cells, columns.length, table.address, delimiter))
          throw about(
            `, row ${row}`,
            'a value in quotation marks holds other rows: the mark that opens it, or one in it, is stray. Correct the file, or export it again.',
          );
      }
      await kept.add(chunk);
    }
    table ??= new Table(columns, { fileName: path && name, ...options });
    table.finish();

    const chunks = kept.isWhole ? kept.chunks() : (await parsed()).chunks;
    const close = async (): Promise<void> => {
      await Promise.all([chunks.return(), kept.close(), file.close()]);
    };
    return {
      columns,
      headerRow,
      controlLines: [...controlLines],
      fingerprint: path === undefined ? undefined : fingerprint,
      total,
      rows: rows(chunks, columns, headerRow, table, close, (cause, at) => explain(cause, at, about)),
      mostRows: table.wanted,
      service: table.consent.service?.name,
      consentColumns: table.consent.columns,
      unusedColumns: table.unused,
      encoding,
      close,
    };
  } catch (cause) {
    await Promise.all([kept.close(), file.close()]);
    throw explain(cause, row, about);
  }
}

/** Headings of which none is twice: the second of one name has its number. */
function numbered(header: readonly string[]): readonly string[] {
  const taken = new Set(header);
  return header.map((heading, at) => {
    if (heading === '' || header.indexOf(heading) === at) return heading;
    let number = 2;
    while (taken.has(`${heading} (${number})`)) number += 1;
    taken.add(`${heading} (${number})`);
    return `${heading} (${number})`;
  });
}

/** Whether a value over several lines has lines that are rows of the table. */
function holdsRows(cells: readonly string[], length: number, address: number, delimiter: string): boolean {
  return cells.some((cell) => {
    if (!cell.includes('\n')) return false;
    const lines = cell.split('\n').map((line) => line.split(delimiter));
    return lines.some((parts) => parts.length === length && length > 1 && isAddress(parts[address]?.trim() ?? ''));
  });
}

async function* rows(
  chunks: Records['chunks'],
  columns: readonly string[],
  headerRow: number,
  table: Table,
  close: () => Promise<void>,
  explained: (cause: unknown, row: number) => unknown,
): AsyncGenerator<SourceRow> {
  let row = headerRow;
  try {
    for await (const chunk of chunks)
      for (const cells of chunk) {
        row += 1;
        if (isBlank(cells)) continue;
        const original = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
        if (cells.slice(columns.length).some((cell) => cell !== '')) {
          yield {
            row,
            problem: `the row has ${cells.length} cells, the header ${columns.length}; a value that holds the delimiter must stand in quotation marks`,
            original,
          };
        } else yield { row, ...table.read(cells, row), original };
      }
  } catch (cause) {
    throw explained(cause, row + 1);
  } finally {
    await close();
  }
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

/** A file of the owner; its name is taken away where the system lets an open file go. */
async function unnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'newsletter-import-'));
  try {
    return await open(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function unnamedCopy(bytes: AsyncIterable<Uint8Array>): Promise<FileHandle> {
  const file = await unnamedFile();
  try {
    for await (const chunk of bytes) await file.write(chunk);
    return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

/** The rows of the first pass, in an unnamed file: to read them there takes a fraction of the time of parsing them. */
class KeptRows {
  /** False where there is no room for the file: then the rows have to be parsed again. */
  isWhole = true;
  #file: FileHandle | undefined;
  readonly #sizes: number[] = [];

  async add(rows: readonly string[][]): Promise<void> {
    if (!this.isWhole) return;
    const bytes = Buffer.from(JSON.stringify(rows));
    this.#sizes.push(bytes.length);
    try {
      this.#file ??= await unnamedFile();
      await this.#file.writeFile(bytes);
    } catch {
      this.isWhole = false;
    }
  }

  async *chunks(): Records['chunks'] {
    let position = 0;
    for (const size of this.#sizes) {
      const bytes = Buffer.allocUnsafe(size);
      await this.#file?.read(bytes, 0, size, position);
      position += size;
      yield JSON.parse(bytes.toString()) as string[][];
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** An error with the name of the source and the place in it. */
export type About = (where: string, sentence: string, details?: CsvErrorDetails) => CsvError;

/** Errors about a file of this name. */
export const aboutFile =
  (name: string): About =>
  (where, sentence, details) =>
    new CsvError(`${name}${where}: ${sentence}`, details);

export function explain(cause: unknown, row: number, about: About): unknown {
  if (cause instanceof CsvError) return cause;
  if (cause instanceof TableError) return about('', cause.message, { remedies: cause.remedies, cause });
  // The parser's own text repeats the row, so it is dropped, also as the cause.
  if (cause instanceof BrokenRecord)
    return about(`, ${cause.lines}`, `${cause.message}. Correct the file, or export it again.`, { cause });
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return about(
      `, at or after row ${row}`,
      'it is in an encoding that could not be recognised. Save it as "CSV UTF-8", or name its encoding, for example',
      { remedies: [{ option: 'encoding', value: 'iso-8859-2' }], cause },
    );
  }
  if (code === 'ERR_ENCODING_NOT_SUPPORTED')
    return about('', 'this encoding is not known. Name one of the Encoding Standard: "utf-8" or "windows-1252".', {
      cause,
    });
  if (code === 'ENOENT') return about('', 'there is no such file.', { cause });
  if (code === 'EISDIR') return about('', 'it is a folder.', { cause });
  return cause;
}
