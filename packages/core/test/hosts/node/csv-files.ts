/** Files of any dialect with known rows, and imports of them that stop and go on. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect } from 'vitest';
import { readCsv } from '../../../src/hosts/node/csv.ts';
import { importSubscriptions, memoryJournal } from '../../../src/import/index.ts';
import { refusal, service } from '../../import/service.ts';

type LineEnd = '\n' | '\r\n' | '\r';

/** A value as it is meant, and how it is written. */
interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

interface Line {
  readonly kind: 'person' | 'twin' | 'no address' | 'too long' | 'blank';
  readonly cells: readonly Cell[];
  readonly end: LineEnd;
  /** A control character that a fault left in the line; none where empty. */
  readonly control: string;
}

interface File {
  readonly delimiter: string;
  readonly encoding: 'utf8' | 'utf8 with a mark' | 'utf16le' | 'utf16le with a mark' | 'utf16be with a mark' | 'latin1';
  readonly heading: string;
  readonly title: string;
  readonly headerEnd: LineEnd;
  readonly lines: readonly Line[];
  /** Rows of a call, and the calls that fail: 1 is the first of all runs. */
  readonly batch: number;
  readonly failing: readonly number[];
}

const ends = fc.constantFrom<LineEnd>('\n', '\r\n', '\r');

const cell = fc.record({
  text: fc.string({ unit: fc.constantFrom(...Array.from('abcäöß 019.-/()!?\'",;|\t^\n')), maxLength: 12 }),
  isQuoted: fc.boolean(),
});

const line = fc.record<Line>({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('person' as const) },
    { weight: 3, arbitrary: fc.constantFrom('twin' as const, 'no address' as const, 'too long' as const) },
    { weight: 1, arbitrary: fc.constant('blank' as const) },
  ),
  cells: fc.tuple(cell, cell),
  end: ends,
  control: fc.oneof({ weight: 30, arbitrary: fc.constant('') }, fc.constantFrom('\0', '\x1a', '\x7f')),
});

/** Any file. */
export const fileOf: fc.Arbitrary<File> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|', '^', '~'),
  encoding: fc.constantFrom(
    'utf8',
    'utf8 with a mark',
    'utf16le',
    'utf16le with a mark',
    'utf16be with a mark',
    'latin1',
  ),
  heading: fc.constantFrom('email', 'E-Mail', 'Courriel', 'Adresse électronique', 'Elektropost', 'E-mail; privat'),
  title: fc.constantFrom('', '', '', 'Members', ' '),
  headerEnd: ends,
  lines: fc.array(line, { minLength: 2, maxLength: 24 }),
  batch: fc.integer({ min: 1, max: 7 }),
  failing: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
});

/** The text of the file, and what becomes of each of its rows, by their numbers. */
function written({ delimiter, heading, title, headerEnd, lines }: File) {
  const quoted = ({ text, isQuoted }: Cell, end: LineEnd): string =>
    isQuoted || /["\n]/.test(text) || text.includes(delimiter) || text !== text.trim()
      ? `"${text.replaceAll('"', '""').replaceAll('\n', end)}"`
      : text;
  const head = [heading, 'custom:One', 'custom:Two'].map((text) => quoted({ text, isQuoted: false }, headerEnd));
  const above = title === '' ? '' : `${title}${headerEnd}`;
  const accepted: number[] = [];
  const rejected: number[] = [];
  let row = above.split(/\r\n?|\n/).length;
  let people = 0;
  const body = lines.map(({ kind, cells, end, control }, at) => {
    row += 1;
    if (kind === 'blank') return '\r\n'; // with a CR before it, LF alone would end the line above
    const isTwin = kind === 'twin' && people > 0;
    const isGood = kind === 'person' || (kind === 'twin' && people === 0);
    if (isGood) accepted.push(row);
    else rejected.push(row);
    if (isGood) people += 1;
    const address = isTwin ? 'READER1@example.com' : isGood ? `reader${people}@example.com` : `no address ${at}`;
    const more = kind === 'too long' ? ['x'] : [];
    const parts = [
      kind === 'too long' ? `long${at}@example.com` : address,
      ...cells.map((one) => quoted(one, end)),
      ...more,
    ];
    return `${control}${parts.join(delimiter)}${end}`;
  });
  return { text: `${above}${head.join(delimiter)}${headerEnd}${body.join('')}`, accepted, rejected };
}

function bytesOf(text: string, encoding: File['encoding']): Buffer {
  const mark = encoding.endsWith('mark') ? '\ufeff' : '';
  if (encoding === 'latin1') return Buffer.from(text, 'latin1');
  if (encoding.startsWith('utf8')) return Buffer.from(mark + text);
  const bytes = Buffer.from(mark + text, 'utf16le');
  return encoding.startsWith('utf16be') ? bytes.swap16() : bytes;
}

/** Imports the file in as many runs as it takes, and compares what became of each row. */
export async function importEverything(file: File): Promise<void> {
  const { text, accepted, rejected } = written(file);
  fc.pre(accepted.length > rejected.length);
  const { engine, sent } = service((_, call) => (file.failing.includes(call) ? refusal('Later.', 503) : undefined));
  const journal = memoryJournal();
  const took: number[] = [];
  for (let run = 1; ; run += 1) {
    const left: number[] = [];
    const source = await readCsv(Readable.from([bytesOf(text, file.encoding)]), {
      nobodyLeftBy: ['custom:One', 'custom:Two'],
    });
    const result = await importSubscriptions({
      engine,
      source,
      journal,
      batchSize: file.batch,
      concurrency: 1,
      onAccepted: ({ rows }) => void took.push(...rows),
      onRejected: ({ row }) => void left.push(row),
    });
    const waiting = accepted.filter((row) => !took.includes(row));
    expect(new Set([...took, ...left, ...waiting]).size).toBe(took.length + left.length + waiting.length);
    if (result.outcome === 'complete') {
      expect(left).toEqual(rejected);
      expect(result.accepted + result.rejected + result.duplicates).toBe(accepted.length + rejected.length);
      break;
    }
    expect(result.failed + took.length + waiting.length).toBeGreaterThan(0);
    expect(run).toBeLessThan(10);
  }
  expect(took.toSorted((one, other) => one - other)).toEqual(accepted);
  const mails = sent.flatMap(({ rows }) => rows.map(({ email }) => email));
  expect(new Set(mails)).toEqual(new Set(accepted.map((_, at) => `reader${at + 1}@example.com`)));
}
