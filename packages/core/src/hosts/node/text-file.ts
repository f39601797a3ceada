/** Finds out whether a file is text and in which encoding, and reads its text. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';

/** Bytes by which is decided what the file is. */
const sampleSize = 1 << 16;

/** What stands in other files, at which byte, and what to do with such a file. */
const otherFormats: readonly {
  readonly at?: number;
  readonly text: string;
  readonly name: string;
  readonly act: string;
}[] = [
  ...[
    { at: 30, text: 'mimetypeapplication/vnd.oasis.opendocument', name: 'an OpenDocument spreadsheet (.ods)' },
    { text: 'PK\x03\x04', name: 'an Excel workbook (.xlsx)' },
    { text: '\xd0\xcf\x11\xe0', name: 'an Excel workbook (.xls)' },
  ].map((format) => ({ ...format, act: 'In the spreadsheet, save the sheet as "CSV UTF-8", and import that file.' })),
  { text: '\x1f\x8b', name: 'compressed (gzip)', act: 'Unpack it first.' },
  { text: '%PDF', name: 'a PDF', act: 'Export the list as CSV where it comes from.' },
];

/** Characters that no value holds: control characters but tabs and line ends. */
// oxlint-disable-next-line no-control-regex -- these are looked for
const controls = /[\0-\x08\v\f\x0e-\x1f\x7f]/g;

/** Bytes that windows-1252 has no character for. Read as UTF-8, the file names their row and asks for its encoding. */
const noWindows1252 = /[\x81\x8d\x8f\x90\x9d]/;

/** A file of text. */
export interface TextFile {
  /** SHA-256 of its bytes. */
  readonly fingerprint: string;
  readonly encoding: string;
}

export const bytesOf = (file: FileHandle): AsyncIterable<Uint8Array> =>
  file.createReadStream({ start: 0, autoClose: false });

/**
 * Reads the bytes once, for the fingerprint and the encoding.
 *
 * @returns the text file, or a sentence that says which other file it is, and what to do
 */
export async function inspect(file: FileHandle, option: string | undefined): Promise<TextFile | string> {
  const hash = createHash('sha256');
  const strict = new TextDecoder('utf-8', { fatal: true });
  let sample = Buffer.alloc(0);
  let isUtf8 = true;
  for await (const chunk of bytesOf(file)) {
    hash.update(chunk);
    if (sample.length < sampleSize) sample = Buffer.concat([sample, chunk.subarray(0, sampleSize - sample.length)]);
    isUtf8 &&= decodes(strict, chunk, true);
  }
  const bytes = sample.toString('latin1');
  const other = otherFormats.find(({ at, text }) => bytes.startsWith(text, at));
  if (other) return `it is ${other.name}. ${other.act}`;
  if (/^(?:\xef\xbb\xbf)?\s*</.test(bytes))
    return 'it is a page (HTML or XML). Export the list as CSV where it comes from.';
  const encoding = option ?? wideEncodingOf(sample);
  const controlled = bytes.replaceAll(/[\v\f]/g, '').match(controls)?.length ?? 0;
  if (encoding === undefined && controlled > 2 + bytes.length / 20)
    return 'it is no text. Export the list as CSV where it comes from.';
  isUtf8 &&= decodes(strict, new Uint8Array(), false);
  const usual = isUtf8 || noWindows1252.test(bytes) ? 'utf-8' : 'windows-1252';
  return { fingerprint: hash.digest('hex'), encoding: encoding ?? usual };
}

/** UTF-16 by its byte order mark, or by NULs in every second byte: those of Latin characters, which all files have. */
function wideEncodingOf(sample: Buffer): string | undefined {
  const mark = sample.subarray(0, 2).toString('latin1');
  if (mark === '\xff\xfe') return 'utf-16le';
  if (mark === '\xfe\xff') return 'utf-16be';
  let [high, low] = [0, 0];
  for (let at = sample.indexOf(0); at >= 0; at = sample.indexOf(0, at + 1))
    if (at % 2 === 0) high += 1;
    else low += 1;
  const [least, most] = high < low ? [high, low] : [low, high];
  if (sample.length % 2 > 0 || most <= sample.length / 10 || least * 10 > most) return undefined;
  return low > high ? 'utf-16le' : 'utf-16be';
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
 * The text of the file, with `\n` for each line end and without control characters. A byte that is invalid in the
 * encoding is an error: a wrong letter in a name can't be corrected later.
 *
 * @param controlLines - gets the numbers of the lines that held control characters
 */
export async function* textOf(file: FileHandle, encoding: string, controlLines: Set<number>): AsyncGenerator<string> {
  let held = '';
  let line = 1;
  for await (const chunk of decoded(file, encoding)) {
    const text = held + chunk;
    held = text.endsWith('\r') ? '\r' : '';
    const whole = (held ? text.slice(0, -1) : text).replaceAll(/\r\n?/g, '\n');
    const clean = whole.replaceAll(controls, '');
    if (clean.length < whole.length)
      for (const { index } of whole.matchAll(controls)) controlLines.add(line + lineEndsIn(whole.slice(0, index)));
    line += lineEndsIn(whole);
    if (clean) yield clean;
  }
  if (held) yield '\n';
}

async function* decoded(file: FileHandle, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of bytesOf(file)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
