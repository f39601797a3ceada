/**
 * Reads a CSV file as the source of an import: row by row, in the usual encodings and dialects, with its columns mapped
 * to fields.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextDecoder } from 'node:util';
import { CsvError as ParseError, Parser } from 'csv-parse';
import { Table, type ColumnOptions } from '../../import/columns.ts';
import { TableError, type TableRemedy } from '../../import/headings.ts';
import type { ImportSource, SourceRow } from '../../import/source.ts';

/** Options of {@link readCsv}. */
export interface CsvOptions extends ColumnOptions {
  /**
   * Separator of cells. Default: that of a first line `sep=;`, or the one of comma, semicolon, tab and bar that the
   * header has most of.
   */
  readonly delimiter?: string | undefined;
  /**
   * A name that `TextDecoder` knows. Default: by the byte order mark (UTF-8 or UTF-16); else UTF-8 if every byte fits;
   * else windows-1252.
   */
  readonly encoding?: string | undefined;
  /** Name of the source in errors. Default: the name of the file, or `CSV`. */
  readonly name?: string | undefined;
}

/** A CSV file, ready to be imported. */
export interface CsvSource extends ImportSource {
  /** Numbered as a spreadsheet does: the header is row 1, empty rows count. Can be iterated once. */
  readonly rows: AsyncIterable<SourceRow>;
  /** The header. */
  readonly columns: readonly string[];
  /** SHA-256 of a file; undefined for a stream. */
  readonly fingerprint: string | undefined;
  /** Estimated number of rows, by the bytes read so far. */
  readonly total: () => number | undefined;
  /** Most rows that can be imported: all of them, or where the rows tell who wants mails, those of people who do. */
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
    const options = remedies.map((remedy) => {
      switch (remedy.option) {
        case 'columns':
          return `columns: { ${JSON.stringify(remedy.column)}: ${JSON.stringify(remedy.target)} }`;
        case 'leftBy':
          return `leftBy: ${JSON.stringify({ [remedy.column]: remedy.values })}`;
        case 'yesNo':
          return `yesNo: ${JSON.stringify(remedy.values)}`;
        case 'nobodyLeftBy':
          return `nobodyLeftBy: ${JSON.stringify(remedy.columns)}`;
        default:
          return `${remedy.option}: "${remedy.value}"`;
      }
    });
    super(options.length === 0 ? problem : `${problem}: ${options.join(' or ')}.`, { cause });
    this.problem = problem;
    this.remedies = remedies;
  }
}

/** Longest record, in characters; a longer one comes from a quotation mark that was never closed. */
const longestRecord = 1 << 20;

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
  let row = 1;
  const kept = new KeptRows();
  try {
    const { size } = await file.stat();
    const { fingerprint, encoding, lines } = await look(file, options.encoding, about);
    const parsed = (): Promise<Records> => records(bytesOf(file), encoding, options.delimiter);

    const first = await parsed();
    const { header: columns } = first;
    if (columns.length === 0)
      throw about('', 'the file is empty. Its first row must name the columns, "email" among them.');
    const table = new Table(columns, { fileName: path && name, ...options });
    let pass: Pick<Records, 'chunks' | 'estimate'> = first;
    if (table.needsRows) {
      for await (const chunk of first.chunks) {
        for (const cells of chunk) {
          row += 1;
          if (!isBlank(cells)) table.see(cells, row);
        }
        await kept.add(chunk);
      }
      const read = row - 1;
      pass = kept.isWhole ? { chunks: kept.chunks(), estimate: () => read } : await parsed();
    }
    row = 1;
    table.finish();

    const close = async (): Promise<void> => {
      await Promise.all([pass.chunks.return(), kept.close(), file.close()]);
    };
    return {
      columns,
      fingerprint: path === undefined ? undefined : fingerprint,
      total: () => pass.estimate(size),
      rows: rows(pass.chunks, columns, table, close, (cause, at) => explain(cause, at, about)),
      mostRows: table.needsRows ? table.wanted : lines - 1,
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

async function* rows(
  chunks: Records['chunks'],
  columns: readonly string[],
  table: Table,
  close: () => Promise<void>,
  explained: (cause: unknown, row: number) => unknown,
): AsyncGenerator<SourceRow> {
  let row = 1;
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

export const bytesOf = (file: FileHandle): AsyncIterable<Uint8Array> =>
  file.createReadStream({ start: 0, autoClose: false });

/** What the first bytes of other files are. */
const otherFormats = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], name: 'an Excel workbook (.xlsx)' },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], name: 'an Excel workbook (.xls)' },
] as const;

/** Reads the bytes once, for the fingerprint and the encoding. */
export async function look(
  file: FileHandle,
  option: string | undefined,
  about: About,
): Promise<{ readonly fingerprint: string; readonly encoding: string; readonly lines: number }> {
  const hash = createHash('sha256');
  const strict = new TextDecoder('utf-8', { fatal: true });
  let start: Uint8Array = new Uint8Array();
  let isUtf8 = true;
  let lines = 0;
  let endsLine = true;
  for await (const chunk of bytesOf(file)) {
    hash.update(chunk);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
    endsLine = bytes.at(-1) === 10;
    if (start.length < 4) start = new Uint8Array([...start, ...chunk.subarray(0, 4)]);
    isUtf8 &&= decodes(strict, chunk, true);
  }
  const begins = (bytes: readonly number[]): boolean => bytes.every((byte, at) => start[at] === byte);
  const other = otherFormats.find(({ bytes }) => begins(bytes));
  if (other)
    throw about('', `it is ${other.name}. In the spreadsheet, save the sheet as "CSV UTF-8", and import that file.`);
  const mark = begins([0xff, 0xfe]) ? 'utf-16le' : begins([0xfe, 0xff]) ? 'utf-16be' : undefined;
  isUtf8 &&= decodes(strict, new Uint8Array(), false);
  return {
    fingerprint: hash.digest('hex'),
    lines: endsLine ? lines : lines + 1,
    encoding: option ?? mark ?? (isUtf8 ? 'utf-8' : 'windows-1252'),
  };
}

function decodes(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): boolean {
  try {
    decoder.decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}

/**
 * The text of the bytes. A byte that is invalid in the encoding is an error: a wrong letter in a name can't be
 * corrected later.
 */
async function* decoded(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  const rest = decoder.decode();
  if (rest) yield rest;
}

/** Gives the records of each chunk of text together: a stream of single records takes time of its own. */
class ChunkParser extends Parser {
  #records: string[][] = [];

  override push(record: string[] | null): boolean {
    if (record) this.#records.push(record);
    return true;
  }

  /** @throws ParseError, after the records before it */
  async *chunks(text: AsyncIterable<string>): Records['chunks'] {
    this.on('error', () => undefined); // the callbacks have it
    for await (const chunk of text) yield* this.#parsed((done) => this.write(chunk, done));
    yield* this.#parsed((done) => this.end(done));
  }

  async *#parsed(act: (done: (error?: Error | null) => void) => void): Records['chunks'] {
    const error = await new Promise<Error | null | undefined>((resolve) => act(resolve));
    const records = this.#records;
    this.#records = [];
    if (records.length > 0) yield records;
    if (error) throw error;
  }

  /** Gives records again, before those of the next chunk. */
  unread(records: string[][]): void {
    this.#records = records;
  }
}

/** The records of a CSV. */
interface Records {
  /** Empty where the text is. */
  readonly header: readonly string[];
  /** Those below the header. */
  readonly chunks: AsyncGenerator<string[][], void>;
  /** Their number, by the bytes that were read so far. */
  estimate(size: number): number | undefined;
}

export async function records(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
  delimiterOption: string | undefined,
): Promise<Records> {
  const { delimiter, whole } = await withDelimiter(decoded(bytes, encoding), delimiterOption);
  const parser = new ChunkParser({ delimiter, relax_column_count: true, trim: true, max_record_size: longestRecord });
  const chunks = parser.chunks(whole);
  const [header = [], ...others] = (await chunks.next()).value ?? [];
  parser.unread(others);
  return {
    header,
    chunks,
    estimate: (size) =>
      parser.info.bytes === 0
        ? undefined
        : Math.max(0, Math.round((parser.info.records * size) / Math.min(size, parser.info.bytes)) - 1),
  };
}

const delimiters = [',', ';', '\t', '|'];

/** Chooses the delimiter by the header, which must lie within the first chunks, or by Excel's line that names it. */
async function withDelimiter(
  text: AsyncGenerator<string>,
  option: string | undefined,
): Promise<{ delimiter: string; whole: AsyncIterable<string> }> {
  let start = '';
  const named = /^\uFEFF?sep=(.)\r?\n/i;
  while (!/[\r\n]./.test(start) && start.length < longestRecord) {
    const next = await text.next();
    if (next.done) break;
    start += next.value;
  }
  const [line = '', separator] = named.exec(start) ?? [];
  start = start.slice(line.length);
  const header = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return {
    delimiter: option ?? separator ?? delimiters[counts.indexOf(Math.max(...counts))] ?? ',',
    whole: (async function* () {
      if (start) yield start;
      yield* text;
    })(),
  };
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
  if (cause instanceof ParseError)
    return about(
      `, at or after row ${row}`,
      `${meanings[cause.code] ?? `the text is no CSV (${cause.code})`}. Correct the file, or export it again.`,
    );
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

const meanings: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MB; most likely a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark before the next delimiter',
  INVALID_OPENING_QUOTE:
    'a quotation mark stands in the middle of a value; such a value must stand in quotation marks, and the mark be doubled',
};
