/** Files as spreadsheets, databases and scripts write them. */
import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readCsv, type CsvOptions } from '../../../src/hosts/node/csv.ts';
import type { SourceRow } from '../../../src/import/index.ts';
import { importEverything, fileOf } from './csv-files.ts';
import fc from 'fast-check';

async function read(content: string | Uint8Array, options: CsvOptions = {}) {
  const source = await readCsv(Readable.from([Buffer.from(content as string)]), { name: 'people.csv', ...options });
  const rows: SourceRow[] = [];
  for await (const row of source.rows) rows.push(row);
  return { source, rows };
}

/** The addresses and names of a file that has the columns `email` and `custom:Name`. */
async function peopleOf(content: string | Uint8Array) {
  const { rows } = await read(content, { others: 'ignore' });
  return rows.map(({ original }) => Object.values(original as Record<string, string>).slice(0, 2));
}

const people = [
  ['ada@example.com', 'Ada'],
  ['bo@example.com', 'Bo'],
];

describe('rows', () => {
  it.each([
    ['a header that ends in CRLF', 'email,Name\r\nada@example.com,Ada\nbo@example.com,Bo\n'],
    ['a header that ends in LF', 'email,Name\nada@example.com,Ada\r\nbo@example.com,Bo\r\n'],
    ['CR alone', 'email,Name\rada@example.com,Ada\rbo@example.com,Bo'],
    ['all of them', 'email,Name\rada@example.com,Ada\r\nbo@example.com,Bo\n'],
    ['carets', 'email^Name\nada@example.com^Ada\nbo@example.com^Bo\n'],
    ['tildes, and commas in a name of the header', 'email~Name\nada@example.com~Ada\nbo@example.com~Bo\n'],
    ['a title above the header', 'Members of 3 May\n\nemail,Name\nada@example.com,Ada\nbo@example.com,Bo\n'],
    [
      'facts above the header',
      'Meeting,Spring\nFrom,9:00\nemail,Name,Since\nada@example.com,Ada,9:01\nbo@example.com,Bo,\n',
    ],
    ['a title in a sheet', 'Members,\n,\nemail,Name\nada@example.com,Ada\nbo@example.com,Bo\n'],
  ])('are found in a file with %s', async (_, text) => {
    expect(await peopleOf(text)).toEqual(people);
  });

  it('are cut by the sign that cuts them alike, and not by the one that the header has most of', async () => {
    const text = 'Name, Vorname;E-Mail;Notiz, intern, alt\nByron, Ada;ada@example.com;\nCy, Bo;bo@example.com;x\n';
    const { rows } = await read(text, { others: 'ignore' });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com' },
      { email: 'bo@example.com' },
    ]);
  });

  it('are of one column where no sign cuts them', async () => {
    const { source, rows } = await read('E-Mail: Address\nada@example.com\nbo@example.com\n');
    expect(source.columns).toEqual(['E-Mail: Address']);
    expect(rows).toHaveLength(2);
  });

  it.each([
    ['in the middle', 'email,Name\nada@example.com,Ada\nbo@example.com,5" nail\n', 'line 3'],
    [
      'that opens a value',
      'email,Name\nada@example.com,"Ada\nbo@example.com,Bo\ncy@example.com,"Cy"\n',
      'lines 2 to 4',
    ],
    ['never closed', 'email,Name\r\n"two\r\nlines",x\r\nada@example.com,"Ada\r\nbo@example.com,Bo\r\n', 'line 4'],
    ['closed by another stray one', 'email,Name\na@b.example,"A\nbo@example.com,Bo\nc@d.example,"\n', 'row 2'],
  ])('end at a stray quotation mark %s, which is named before the first is given', async (_, text, where) => {
    const opened = readCsv(Readable.from([Buffer.from(text)]), { name: 'people.csv', others: 'ignore' });
    await expect(opened).rejects.toThrow(`people.csv, ${where}: `);
  });

  it('lose control characters, and their lines are told', async () => {
    const text = 'email,Name\nada@exa\0mple.com,"A\u001ad\na"\r\nbo@example.com,Bo\u0007\n';
    const { source, rows } = await read(text, { columns: { Name: 'custom:Name' } });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com', custom_fields: [{ name: 'Name', value: 'Ad\na' }] },
      { email: 'bo@example.com', custom_fields: [{ name: 'Name', value: 'Bo' }] },
    ]);
    expect(source.controlLines).toEqual([2, 4]);
  });

  it('have nothing where a database wrote that it has nothing', async () => {
    const { rows } = await read(
      'email,Name,unsubscribed_at\na@b.example,NULL,0000-00-00 00:00:00\nc@d.example,\\N,0000-00-00\ne@f.example,Null,NULL\n',
      { columns: { Name: 'custom:Name' }, others: 'ignore', nobodyLeftBy: ['Name'] },
    );
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'a@b.example' },
      { email: 'c@d.example' },
      { email: 'e@f.example', custom_fields: [{ name: 'Name', value: 'Null' }] },
    ]);
  });
});

it.each([
  ['one NUL in a small file', 'email,a\n\0@b.example,\n'],
  ['form feeds in a small file', 'email,"\f\v\f\v\f\v"\na@b.example,\n'],
])('%s is text', async (_, text) => {
  expect((await read(text, { others: 'ignore' })).rows).toHaveLength(1);
});

describe('what is no text', () => {
  const zip = (name: string): Buffer => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from(name)]);
  it.each([
    ['gzip', gzipSync('email\na@b.example\n'), 'it is compressed (gzip). Unpack it first.'],
    ['a PDF', Buffer.from('%PDF-1.7\n…'), 'it is a PDF.'],
    ['a sheet of LibreOffice', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), '(.ods)'],
    ['a sheet of Excel', zip('[Content_Types].xml'), '(.xlsx)'],
    ['a page that is called a sheet', Buffer.from('\ufeff\n<html><table>'), 'it is a page (HTML or XML).'],
    ['an image', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7) % 256)), 'it is no text.'],
  ])('%s is named', async (_, bytes, text) => {
    await expect(read(bytes)).rejects.toThrow(text);
  });

  it.each(['utf16le', 'utf16be'])('does not count UTF-16 without a mark: %s', async (encoding) => {
    const text = 'E-Mail;Имя\r\nada@example.com;Ада\r\nbo@example.com;Бо\r\n';
    const bytes = Buffer.from(text, 'utf16le');
    expect(await peopleOf(encoding === 'utf16le' ? bytes : bytes.swap16())).toEqual([
      ['ada@example.com', 'Ада'],
      ['bo@example.com', 'Бо'],
    ]);
  });
});

describe('the column of the addresses', () => {
  it.each([
    'Name,E-Mail-Adresse',
    'Nom,Courriel',
    'Kunde,Elektropost',
    'Nombre,Correo electrónico',
    'Name,Primary Email',
    'Person - Name,Person - Email - Work',
    'email,subscriber_email',
    '名前,メールアドレス',
  ])('is the one whose cells are addresses: %s', async (header) => {
    const { rows } = await read(`${header}\nAda,ada@example.com\nBo,not known\nCy,\nDi,di@example.com\n`, {
      others: 'ignore',
    });
    expect(rows[3]?.subscription).toEqual({ email: 'di@example.com' });
  });

  it('is asked for where two have addresses, unless one is called so', async () => {
    const rows = '\na@b.example,c@d.example\ne@f.example,g@h.example\n';
    await expect(read(`Privat,Arbeit${rows}`)).rejects.toThrow(
      'E-mail addresses stand in column "Privat", "Arbeit". Say which to import: columns: {"Privat":"email"} or columns: {"Arbeit":"email"}.',
    );
    expect((await read(`Privat,E-Mail${rows}`, { others: 'ignore' })).rows[0]?.subscription).toEqual({
      email: 'c@d.example',
    });
  });

  it('is asked for where few of its cells are addresses', async () => {
    await expect(read('Name,Note\nAda,call\nBo,bo@example.com\nCy,write\n')).rejects.toThrow('{"Note":"email"}');
  });
});

it('two columns of one name go by number, and can be mapped apart', async () => {
  const { source, rows } = await read('email,Name,Name,Name (2)\na@b.example,x,y,z\n', {
    columns: { Name: 'custom:One', 'Name (3)': 'custom:Two', 'Name (2)': null },
  });
  expect(source.columns).toEqual(['email', 'Name', 'Name (3)', 'Name (2)']);
  expect(rows[0]?.subscription).toEqual({
    email: 'a@b.example',
    custom_fields: [
      { name: 'One', value: 'x' },
      { name: 'Two', value: 'y' },
    ],
  });
});

it('each row of a file is accepted, rejected or still to be sent, in any dialect, however often it stops', async () => {
  await fc.assert(fc.asyncProperty(fileOf, importEverything), { numRuns: 150, seed: 66 });
});
