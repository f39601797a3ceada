/** Cuts the text of a CSV into its records, by the delimiter that cuts its first rows alike. */
import { CsvError as ParseError, Parser } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { isAddress } from '../../signup/address.ts';

/** Longest record, in characters; a longer one comes from a quotation mark that was never closed. */
const longestRecord = 1 << 20;

/** Characters and rows by which the delimiter is chosen. */
const sampleSize = 1 << 16;
const sampleRows = 100;

/** Lines in which a delimiter is looked for that few files have. */
const topLines = 10;

/** A text that is no CSV from some line on. Repeats nothing of it. */
export class BrokenRecord extends Error {
  /** The line in which the record begins, or from it to the one in which it breaks. */
  readonly lines: string;

  constructor(problem: string, first: number, last = first) {
    super(problem);
    this.lines = last > first ? `lines ${first} to ${last}` : `line ${first}`;
  }
}

/** The records of a CSV. */
export interface Records {
  readonly delimiter: string;
  /** The first row of at least two names, unless one with an address stands before it; else the first filled one. */
  readonly header: readonly string[];
  /** The number of its row. */
  readonly headerRow: number;
  /** Those below the header. */
  readonly chunks: AsyncGenerator<string[][], void>;
}

/** @throws BrokenRecord */
export async function records(text: AsyncGenerator<string>, option: string | undefined): Promise<Records> {
  let start = '';
  let isWhole = false;
  while (!isWhole && start.length < sampleSize) {
    const next = await text.next();
    if (next.done) isWhole = true;
    else start += next.value;
  }
  // Excel's line that names the delimiter is no row of the sheet.
  const [line = '', named] = /^sep=(.)[^\S\n]*\n/i.exec(start) ?? [];
  start = start.slice(line.length);
  const delimiter = option ?? named ?? delimiterOf(start, isWhole);
  const parser = new ChunkParser(delimiter, line === '' ? 0 : 1);
  const chunks = parser.chunks(joined(start, text));
  const first = (await chunks.next()).value ?? [];
  const at = headerIn(first);
  parser.unread(first.slice(at + 1));
  return { delimiter, header: first[at] ?? [], headerRow: at + 1, chunks };
}

async function* joined(start: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}

/**
 * What stands above a header is a title, or says something of the file. A header names the column of the first address,
 * and three quarters as many columns as that row fills, or more.
 */
function headerIn(rows: readonly string[][]): number {
  const filled = rows.map((cells) => cells.filter((cell) => cell !== '').length);
  const data = rows.findIndex((cells) => cells.some(isAddress));
  const above = filled.slice(0, data < 0 ? undefined : data);
  const at = rows[data]?.findIndex(isAddress) ?? 0;
  const named = above.findIndex((count, row) => count > 1 && count * 4 >= (filled[data] ?? 0) * 3 && rows[row]?.[at]);
  const header = named >= 0 ? named : above.findIndex((count) => count > 1);
  return Math.max(0, header >= 0 ? header : filled.findIndex((count) => count > 0));
}

/** Delimiters of most files: of two signs that cut alike, the earlier. */
const usual = [',', ';', '\t', '|'];

/** Cuts nothing: a text has no control characters. */
const none = '\0';

/**
 * The sign that cuts the first rows into the most equal number of cells above one, and leaves the most rows an address.
 * Signs are the {@link usual} ones, and where they cut most rows, those of the first lines but letters, digits, blanks
 * and the signs of addresses.
 */
function delimiterOf(sample: string, isWhole: boolean): string {
  const top = sample.split('\n', topLines).join('\n');
  const signs = top.replaceAll(/"[^"]*"/g, '').match(/[^\p{L}\p{M}\p{N}\s"'@._-]/gu) ?? [];
  const cuts = [...new Set([...usual, ...signs])].map((delimiter) => {
    const { rows, isBroken } = firstRows(sample, delimiter, isWhole);
    const times = new Map<number, number>();
    for (const { length } of rows) if (length > 1) times.set(length, (times.get(length) ?? 0) + 1);
    const addresses = rows.filter((cells) => cells.some(isAddress)).length / Math.max(1, rows.length);
    return { delimiter, isBroken, rows: rows.length, equal: Math.max(0, ...times.values()), addresses };
  });
  // Rows below a quotation mark that a delimiter makes a stray one are not cut alike.
  const most = Math.max(1, ...cuts.map(({ rows }) => rows));
  const [best] = cuts
    .map((cut) => ({ ...cut, share: cut.equal / (cut.isBroken ? most : Math.max(1, cut.rows)) }))
    .filter(({ delimiter, share }) => share > (usual.includes(delimiter) ? 0 : 0.5))
    .toSorted((one, other) => other.share + other.addresses - one.share - one.addresses);
  return best?.delimiter ?? none;
}

const dialect = {
  relax_column_count: true,
  trim: true,
  record_delimiter: '\n',
  max_record_size: longestRecord,
} as const;

/** The first filled rows of a text; of one that was cut, without its last row. */
function firstRows(text: string, delimiter: string, isWhole: boolean) {
  const rows: string[][] = [];
  const keep = (row: string[]): null => {
    rows.push(row);
    return null;
  };
  const options = { relax_quotes: true, skip_records_with_empty_values: true, to: sampleRows, on_record: keep };
  try {
    parse(text, { ...dialect, ...options, delimiter });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { rows, isBroken: true };
  }
  return { rows: isWhole || rows.length === sampleRows ? rows : rows.slice(0, -1), isBroken: false };
}

/** Gives the records of each chunk of text together: a stream of single records takes time of its own. */
class ChunkParser extends Parser {
  #records: string[][] = [];
  /** The line in which the next record begins. */
  #line: number;

  /** Lines before the text. */
  readonly #above: number;

  constructor(delimiter: string, above: number) {
    super({ ...dialect, delimiter });
    this.#above = above;
    this.#line = above + 1;
  }

  override push(record: string[] | null): boolean {
    if (record) this.#records.push(record);
    this.#line = this.#above + this.info.lines + 1;
    return true;
  }

  /** @throws BrokenRecord, after the records before it */
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
    // The parser's own text repeats the row, so it is dropped.
    if (error instanceof ParseError) {
      const last =
        error.code.startsWith('INVALID') || error.code.includes('CLOSING') ? this.#above + this.info.lines : 0;
      throw new BrokenRecord(meanings[error.code] ?? `the text is no CSV (${error.code})`, this.#line, last);
    }
    if (error) throw error;
  }

  /** Gives records again, before those of the next chunk. */
  unread(records: string[][]): void {
    this.#records = records;
  }
}

const meanings: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MB; most likely a quotation mark is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quotation mark before the next delimiter',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'something follows a closing quotation mark before the next delimiter',
  INVALID_OPENING_QUOTE:
    'a quotation mark stands in the middle of a value; such a value must stand in quotation marks, and the mark be doubled',
};
