/**
 * Reads a CSV file as the source of an import: row by row, in the usual encodings and dialects, with its columns mapped
 * to fields.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { TextDecoder } from 'node:util';
import { CsvError as ParseError, parse, type Parser } from 'csv-parse';
import type { ImportSource, SourceRow } from '../../import/source.ts';
import { fieldValueReader, type FieldValueReader } from '../../import/field-value.ts';
import { customPrefix, headingReader, type HeadingMeaning, type HeadingTarget } from '../../import/headings.ts';
import { isRequestField, requestFields } from '../../import/request.ts';

/** Options of {@link readCsv}. */
export interface CsvOptions extends ColumnOptions {
  /** Separator of cells. Default: the one of comma, semicolon, tab and bar that the header has most of. */
  readonly delimiter?: string | undefined;
  /** A name that `TextDecoder` knows. Default: by the byte order mark (UTF-8 or UTF-16), else UTF-8. */
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
  /** Estimated number of rows, by the bytes read so far; undefined for a stream. */
  readonly total: () => number | undefined;
}

/** An option of {@link readCsv} that would mend an error, with its value. */
export type CsvRemedy =
  | { readonly option: 'columns'; readonly column: string; readonly target: ColumnTarget }
  | { readonly option: 'others' | 'encoding'; readonly value: string };

/** Details of a {@link CsvError}. */
export interface CsvErrorDetails {
  /** Options that would each mend it. Default: none would. */
  readonly remedies?: readonly CsvRemedy[] | undefined;
  readonly cause?: unknown;
}

/** The CSV can't be read; the text says where, and what to do. It holds no cell of a row below the header. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  /** The text without the options that would mend it, for programs that give these other names. */
  readonly problem: string;
  readonly remedies: readonly CsvRemedy[];

  constructor(problem: string, { remedies = [], cause }: CsvErrorDetails = {}) {
    const options = remedies.map((remedy) =>
      remedy.option === 'columns'
        ? `columns: { ${JSON.stringify(remedy.column)}: ${JSON.stringify(remedy.target)} }`
        : `${remedy.option}: "${remedy.value}"`,
    );
    super(options.length === 0 ? problem : `${problem}: ${options.join(' or ')}.`, { cause });
    this.problem = problem;
    this.remedies = remedies;
  }
}

/** Longest record, in characters; a longer one comes from a quotation mark that was never closed. */
const longestRecord = 1 << 20;

/**
 * Opens a CSV file or stream and reads its header. A path is read twice, first for its fingerprint.
 *
 * Empty cells set nothing. Cells of custom fields are read by the field's kind; one that does not fit comes out as a
 * rejected row. Custom fields are filled by columns named `custom:<display text>` or mapped there.
 *
 * @throws CsvError where the file can't be read, or where its header does not tell what to import; later, from `rows`,
 *   where the text is broken
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
  const about: About = (where, sentence, details) => new CsvError(`${name}${where}: ${sentence}`, details);
  let parser: Parser | undefined;
  const explained = (cause: unknown, row: number): unknown =>
    cause instanceof CsvError ? cause : explain(cause, row, about);

  try {
    const size = path === undefined ? undefined : (await stat(path)).size;
    const fingerprint = path === undefined ? undefined : await digest(path);
    const text = decoded(
      path === undefined ? (from as AsyncIterable<Uint8Array>) : createReadStream(path),
      options.encoding,
    );
    const { delimiter, whole } = await withDelimiter(text, options.delimiter);
    const parsing = parse({ delimiter, relax_column_count: true, trim: true, max_record_size: longestRecord });
    parser = parsing;
    pipeline(Readable.from(whole), parsing, () => undefined); // an error comes out of the iteration below
    const records = parsing[Symbol.asyncIterator]() as AsyncIterator<string[]>;
    const first = await records.next();
    if (first.done === true)
      throw about('', 'the file is empty. Its first row must name the columns, "email" among them.');
    const columns = first.value;
    const read = columnReader(columns, options);

    return {
      columns,
      fingerprint,
      total: () =>
        size === undefined || parsing.info.bytes === 0
          ? undefined
          : Math.max(0, Math.round((parsing.info.records * size) / Math.min(size, parsing.info.bytes)) - 1),
      rows: rows(records, columns, read, (cause, row) => explained(cause, row)),
    };
  } catch (cause) {
    parser?.destroy();
    throw explained(cause, 1);
  }
}

async function* rows(
  records: AsyncIterator<string[]>,
  columns: readonly string[],
  read: ReturnType<typeof columnReader>,
  explained: (cause: unknown, row: number) => unknown,
): AsyncGenerator<SourceRow> {
  let row = 1;
  try {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      row += 1;
      const cells = next.value;
      if (cells.every((cell) => cell === '')) continue;
      const original = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
      if (cells.slice(columns.length).some((cell) => cell !== '')) {
        yield {
          row,
          problem: `the row has ${cells.length} cells, the header ${columns.length}; a value that holds the delimiter must stand in quotation marks`,
          original,
        };
      } else yield { row, ...read(cells), original };
    }
  } catch (cause) {
    throw explained(cause, row + 1);
  } finally {
    await records.return?.();
  }
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

const marks = [
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;

/**
 * The text of the bytes. A byte that is invalid in the encoding is an error: a wrong letter in a name can't be
 * corrected later.
 */
async function* decoded(bytes: AsyncIterable<Uint8Array>, encoding: string | undefined): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let before = new Uint8Array();
  for await (const chunk of bytes) {
    if (decoder) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    before = new Uint8Array([...before, ...chunk]);
    if (before.length < 2) continue;
    const mark = marks.find(({ bytes: [a, b] }) => before[0] === a && before[1] === b);
    decoder = new TextDecoder(encoding ?? mark?.encoding ?? 'utf-8', { fatal: true });
    yield decoder.decode(before, { stream: true });
  }
  decoder ??= new TextDecoder(encoding ?? 'utf-8', { fatal: true });
  const rest = decoder.decode(before.length < 2 ? before : undefined);
  if (rest) yield rest;
}

const delimiters = [',', ';', '\t', '|'];

/** Chooses the delimiter by the header, which must lie within the first chunks. */
async function withDelimiter(
  text: AsyncGenerator<string>,
  option: string | undefined,
): Promise<{ delimiter: string; whole: AsyncIterable<string> }> {
  if (option !== undefined) return { delimiter: option, whole: text };
  let start = '';
  while (!/[\r\n]/.test(start) && start.length < longestRecord) {
    const next = await text.next();
    if (next.done) break;
    start += next.value;
  }
  const header = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
  return {
    delimiter,
    whole: (async function* () {
      if (start) yield start;
      yield* text;
    })(),
  };
}

/** An error with the name of the source and the place in it. */
type About = (where: string, sentence: string, details?: CsvErrorDetails) => CsvError;

function explain(cause: unknown, row: number, about: About): unknown {
  if (cause instanceof HeaderError) return about('', cause.message, { remedies: cause.remedies, cause });
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
      'it is not in the expected encoding. Save it as "CSV UTF-8", or name its encoding, for example',
      { remedies: [{ option: 'encoding', value: 'windows-1252' }], cause },
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

const meanings: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MB; most likely a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark before the next delimiter',
  INVALID_OPENING_QUOTE:
    'a quotation mark stands in the middle of a value; such a value must stand in quotation marks, and the mark be doubled',
};

/** A field of the API by its name, a custom field by its display text, or null for a column to leave out. */
export type ColumnTarget = HeadingTarget | null;

/** A custom field of the publication; the records of `customFields.list` are some. */
export interface ListedCustomField {
  readonly display?: string | null | undefined;
  readonly kind?: string | null | undefined;
}

/** How columns are mapped to fields. */
export interface ColumnOptions {
  /** The field that a column fills, by the column's heading. Headings that are names of the API need no entry. */
  readonly columns?: Readonly<Record<string, ColumnTarget>> | undefined;
  /**
   * The publication's custom fields. Their kinds decide how cells are read (without them, as texts), and a column with
   * the name of one fills it.
   */
  readonly customFields?: readonly ListedCustomField[] | undefined;
  /**
   * Columns that match no field: `refuse` throws an error that names them, `ignore` leaves them out, `custom` fills
   * custom fields of the same name. Default `refuse`.
   */
  readonly others?: 'refuse' | 'ignore' | 'custom' | undefined;
  /** Separator of the items of a list in one cell. Default `,`. */
  readonly listSeparator?: string | undefined;
}

/** The subscription in a row, or why the row can't be read. */
export type ReadCells = { readonly subscription: Readonly<Record<string, unknown>> } | { readonly problem: string };

interface CsvReader {
  readonly at: number;
  readonly column: string;
  readonly target: string;
  readonly custom: boolean;
  readonly value: FieldValueReader;
}

/** The header does not name the fields that are needed; the text says what to do. */
class HeaderError extends Error {
  override readonly name = 'HeaderError';
  readonly remedies: readonly CsvRemedy[];

  constructor(problem: string, ...remedies: readonly CsvRemedy[]) {
    super(problem);
    this.remedies = remedies;
  }
}

const columnRemedy = (column: string, target: ColumnTarget): CsvRemedy => ({ option: 'columns', column, target });

/**
 * Reads a header.
 *
 * @returns reads the cells of a row; empty cells are not set
 * @throws HeaderError
 */
export function columnReader(
  header: readonly string[],
  options: ColumnOptions,
): (cells: readonly string[]) => ReadCells {
  if (header.some((cell) => /\S@\S/.test(cell)))
    throw new HeaderError(
      'The first row looks like data, as it holds an e-mail address. Put a row above it that names the columns, "email" among them.',
    );
  const readers = readersOf(header, options);
  if (!readers.some(({ target, custom }) => target === 'email' && !custom)) {
    throw new HeaderError(
      `No column holds the e-mail address. The columns are ${list(header)}. Name one "email" in the header, or say which it is`,
      columnRemedy(header[0] ?? '', 'email'),
    );
  }
  return (row) => {
    const subscription: Record<string, unknown> = {};
    const custom: { name: string; value: unknown }[] = [];
    for (const reader of readers) {
      const text = row[reader.at] ?? '';
      if (text === '') continue;
      const value = reader.value.read(text);
      if (value === undefined) return { problem: `column "${reader.column}" must hold ${reader.value.expected}` };
      if (reader.custom) custom.push({ name: reader.target, value });
      else subscription[reader.target] = value;
    }
    if (custom.length > 0) subscription['custom_fields'] = custom;
    return { subscription };
  };
}

function readersOf(
  header: readonly string[],
  { columns = {}, customFields, others = 'refuse', listSeparator = ',' }: ColumnOptions,
): CsvReader[] {
  const missing = Object.keys(columns).filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new HeaderError(`The header has no column ${list(missing)}. Its columns are ${list(header)}.`);

  const kinds = new Map(customFields?.map(({ display, kind }) => [String(display), kind ?? 'string']));
  const meaningOf = headingReader([...kinds.keys()]);
  const unknown: string[] = [];
  const readers = header.flatMap((column, at): CsvReader[] => {
    const target: string | null | undefined = Object.hasOwn(columns, column)
      ? columns[column]
      : (targetOf(meaningOf(column), column) ?? (others === 'custom' ? (`custom:${column}` as const) : undefined));
    if (target === undefined && column !== '' && others === 'refuse') unknown.push(column);
    if (target === undefined || target === null || target === customPrefix) return [];
    if (target.startsWith(customPrefix)) {
      const name = (targetOf(meaningOf(target), column) ?? target).slice(customPrefix.length);
      if (customFields !== undefined && !kinds.has(name))
        throw new HeaderError(`The publication has no custom field "${name}". It has ${list([...kinds.keys()])}.`);
      return [
        {
          at,
          column,
          target: name,
          custom: true,
          value: fieldValueReader(kinds.get(name) ?? 'string', listSeparator),
        },
      ];
    }
    if (!isRequestField(target) || target === 'custom_fields')
      throw new HeaderError(
        `"${target}", which column "${column}" should fill, is no field of a subscription. A custom field is written "custom:${target}".`,
      );
    const { kind } = requestFields[target];
    return [
      {
        at,
        column,
        target,
        custom: false,
        value: fieldValueReader(kind === 'texts' ? 'list' : kind === 'boolean' ? kind : 'string', listSeparator),
      },
    ];
  });
  const [first] = unknown;
  if (first !== undefined) {
    throw new HeaderError(
      `No field is known for column ${list(unknown)}. Map each to a field or to nothing, or ignore or send all of them`,
      columnRemedy(first, `custom:${first}`),
      columnRemedy(first, null),
      { option: 'others', value: 'ignore' },
      { option: 'others', value: 'custom' },
    );
  }
  for (const [index, { target, custom, column }] of readers.entries()) {
    const before = readers.slice(0, index).find((other) => other.target === target && other.custom === custom);
    if (before !== undefined) {
      const field = `${custom ? customPrefix : ''}${target}`;
      throw new HeaderError(
        `Two columns fill "${field}": "${before.column}" and "${column}". Leave one out`,
        columnRemedy(before.column, null),
        columnRemedy(column, null),
      );
    }
  }
  return readers;
}

/** @throws HeaderError where it could be several custom fields */
function targetOf(meaning: HeadingMeaning | undefined, column: string): HeadingTarget | undefined {
  if (meaning === undefined || 'target' in meaning) return meaning?.target;
  throw new HeaderError(
    `Column "${column}" could be the custom field ${meaning.ambiguous.map((name) => `"${name}"`).join(' or ')}. Say which`,
    ...meaning.ambiguous.map((name) => columnRemedy(column, `custom:${name}`)),
  );
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}
