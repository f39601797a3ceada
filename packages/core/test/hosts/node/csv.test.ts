import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CsvError, readCsv, type CsvOptions, type CsvSource } from '../../../src/hosts/node/csv.ts';
import type { SourceRow } from '../../../src/import/index.ts';
import { listsOpenFiles, openFiles } from '../../../../../test/support/open-files.ts';
import { scratchFolder } from '../../../../../test/support/scratch-folder.ts';

async function read(content: string | Uint8Array, options?: CsvOptions, cut = 7) {
  const bytes = Buffer.from(content as string);
  const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, index) =>
    bytes.subarray(index * cut, (index + 1) * cut),
  );
  const rows: SourceRow[] = [];
  for await (const row of (await readCsv(Readable.from(chunks), options)).rows) rows.push(row);
  return rows;
}

const customFields = [
  { display: 'Topics', kind: 'list' },
  { display: 'Age', kind: 'integer' },
  { display: 'Height', kind: 'double' },
  { display: 'Member', kind: 'boolean' },
  { display: 'Born', kind: 'date' },
  { display: 'Seen', kind: 'datetime' },
  { display: 'Nick', kind: 'string' },
];

describe('a CSV', () => {
  it('becomes subscriptions by the names of its columns, and keeps the original row', async () => {
    const rows = await read(
      'E-Mail,UTM Source,custom:First Name,newsletter_list_ids,send_welcome_email\nada@example.com,fair,Ada,"nl_list_1, nl_list_2",no\nbo@example.com,,,,\n',
    );
    expect(rows).toEqual([
      {
        row: 2,
        subscription: {
          email: 'ada@example.com',
          utm_source: 'fair',
          send_welcome_email: false,
          newsletter_list_ids: ['nl_list_1', 'nl_list_2'],
          custom_fields: [{ name: 'First Name', value: 'Ada' }],
        },
        original: {
          'E-Mail': 'ada@example.com',
          'UTM Source': 'fair',
          'custom:First Name': 'Ada',
          newsletter_list_ids: 'nl_list_1, nl_list_2',
          send_welcome_email: 'no',
        },
      },
      { row: 3, subscription: { email: 'bo@example.com' }, original: expect.objectContaining({ 'UTM Source': '' }) },
    ]);
  });

  it('reads custom fields by their kind, and names a column with a value of another kind', async () => {
    const header = 'email,topics,Age,Height,Member,Born,Seen,Nick\n';
    const [row] = await read(`${header}a@b.example,"ai, design",42,1.8,Yes,2000-02-29,2026-01-31T12:00:00Z,42\n`, {
      customFields,
    });
    expect(row?.subscription).toEqual({
      email: 'a@b.example',
      custom_fields: [
        { name: 'Topics', value: ['ai', 'design'] },
        { name: 'Age', value: 42 },
        { name: 'Height', value: 1.8 },
        { name: 'Member', value: true },
        { name: 'Born', value: '2000-02-29' },
        { name: 'Seen', value: '2026-01-31T12:00:00Z' },
        { name: 'Nick', value: '42' },
      ],
    });
    const wrong = await read(
      `${header}a@b.example,,4.5\na@b.example,,,1.8 m\na@b.example,,,,maybe\na@b.example,,,,,2001-02-29\na@b.example,,,,,,soon\n`,
      { customFields, nobodyLeftBy: ['Age', 'Height', 'Member', 'Born', 'Seen'] },
    );
    expect(wrong.map(({ row: number, problem }) => [number, problem])).toEqual([
      [2, 'column "Age" must hold a whole number'],
      [3, 'column "Height" must hold a number such as 1.5'],
      [4, 'column "Member" must hold true or false'],
      [5, 'column "Born" must hold a day such as 2026-01-31'],
      [6, 'column "Seen" must hold a time such as 2026-01-31T12:00:00Z'],
    ]);
  });

  it('finds its fields by the headings of other services', async () => {
    const names = ['First Name', 'Last Name'].map((display) => ({ display, kind: 'string' }));
    expect(await read('Email Address,FNAME,last_name\na@b.example,Ada,Byron\n', { customFields: names })).toMatchObject(
      [
        {
          subscription: {
            email: 'a@b.example',
            custom_fields: [
              { name: 'First Name', value: 'Ada' },
              { name: 'Last Name', value: 'Byron' },
            ],
          },
        },
      ],
    );
  });

  it('numbers rows as a spreadsheet does: values over several lines are one row, empty rows count', async () => {
    const rows = await read('email,custom:Note\na@b.example,"two\nlines"\n\n,\nc@d.example,x\n');
    expect(rows.map(({ row }) => row)).toEqual([2, 5]);
  });

  it.each([
    ['utf-8', Buffer.alloc(0)],
    ['utf-8 with a mark', Buffer.from([0xef, 0xbb, 0xbf])],
    ['utf-16le with a mark', Buffer.from([0xff, 0xfe])],
    ['utf-16be with a mark', Buffer.from([0xfe, 0xff])],
  ])('is read in %s, wherever its bytes are cut', async (name, mark) => {
    const text = 'email,custom:Né\nzoë@bücher.example,“Zoë” 🎉\n';
    const bytes = name.startsWith('utf-16') ? Buffer.from(text, 'utf16le') : Buffer.from(text);
    if (name.startsWith('utf-16be')) bytes.swap16();
    for (const cut of [1, 2, 3, 1000]) {
      const rows = await read(Buffer.concat([mark, bytes]), {}, cut);
      expect(rows).toMatchObject([
        { row: 2, subscription: { email: 'zoë@bücher.example', custom_fields: [{ name: 'Né', value: '“Zoë” 🎉' }] } },
      ]);
    }
  });

  it('takes another encoding by name, and recognises windows-1252', async () => {
    const latin = Buffer.from('email,custom:Name\nzoe@b.example,Zoë\n', 'latin1');
    expect(await read(latin, { encoding: 'windows-1252' })).toMatchObject([
      { subscription: { custom_fields: [{ value: 'Zoë' }] } },
    ]);
    expect(await read(latin)).toMatchObject([{ subscription: { custom_fields: [{ value: 'Zoë' }] } }]);
    const source = await readCsv(Readable.from([latin]));
    await source.close();
    expect(source.encoding).toBe('windows-1252');
    const shift = Buffer.concat([latin, Buffer.from([0x81])]);
    for (const options of [{ encoding: 'utf-8' }, {}]) await expect(read(shift, options)).rejects.toThrow(/CSV UTF-8/);
  });

  it.each([';', '\t', '|', ','])('finds its delimiter %j', async (delimiter) => {
    const rows = await read(
      ['email', '"custom:a,b;c"', 'utm_source'].join(delimiter) + '\n' + ['a@b.example', 'x', 'y'].join(delimiter),
    );
    expect(rows).toMatchObject([
      { subscription: { email: 'a@b.example', utm_source: 'y', custom_fields: [{ name: 'a,b;c', value: 'x' }] } },
    ]);
  });

  it.each([
    [
      'Mail,Name\n',
      {},
      'No field is known for column "Mail", "Name". Map each to a field or to nothing, or ignore or send all of them: columns: {"Mail":"custom:Mail"} or columns: {"Mail":null} or others: "ignore" or others: "custom".',
    ],
    [
      'Mail,Name\n',
      { others: 'ignore' },
      'No column holds e-mail addresses. The columns are "Mail", "Name". Import the file that has them.',
    ],
    [
      'email,Name\n',
      { columns: { Nmae: 'custom:Name' } },
      'The header has no column "Nmae". Its columns are "email", "Name".',
    ],
    [
      'email,Name\n',
      { columns: { Name: 'custom:Nom' }, customFields },
      'The publication has no custom field "Nom". It has "Topics"',
    ],
    [
      'email,Name\n',
      { columns: { Name: 'first_name' } },
      'is no field of a subscription. A custom field is written "custom:first_name".',
    ],
    [
      'email,E-Mail\n',
      {},
      'E-mail addresses stand in column "email", "E-Mail". Say which to import: columns: {"email":"email"}',
    ],
    [
      'email,t_shirt\n',
      {
        customFields: [
          { display: 'T-shirt', kind: 'string' },
          { display: 'T shirt', kind: 'string' },
        ],
      },
      'Column "t_shirt" could be the custom field "T-shirt" or "T shirt". Say which',
    ],
    ['ada@b.example,Ada\ngrace@b.example,Grace\n', {}, /^people\.csv: The first row looks like data[^@A]*$/],
    [
      '"Ada <ada@b.example>",Ada\n',
      { columns: { Ada: 'email' } },
      /^people\.csv: The first row looks like data[^@A]*$/,
    ],
    ['', {}, 'the file is empty'],
    ['\n\n', {}, 'the file is empty'],
  ])('with the header %j says what is missing', async (content, options, text) => {
    await expect(read(content, { ...(options as CsvOptions), name: 'people.csv' })).rejects.toThrow(text);
    await expect(read(content, { ...(options as CsvOptions), name: 'people.csv' })).rejects.toThrow(CsvError);
  });

  it('maps columns, leaves columns out, and makes custom fields of the others, as configured', async () => {
    expect(
      await read('Mail,Name,Internal,City\na@b.example,Ada,7,Rome\n', {
        columns: { Mail: 'email', Internal: null },
        others: 'custom',
      }),
    ).toMatchObject([
      {
        subscription: {
          email: 'a@b.example',
          custom_fields: [
            { name: 'Name', value: 'Ada' },
            { name: 'City', value: 'Rome' },
          ],
        },
      },
    ]);
  });

  it('rejects a row of too many cells, and says in which line the text is broken without repeating it', async () => {
    expect(await read('email,utm_source\na@b.example,x,y\n')).toMatchObject([
      { row: 2, problem: expect.stringContaining('3 cells, the header 2') },
    ]);
    for (const broken of [
      'email\na@b.example\n"secret@b.example\n',
      'email\na@b.example\nse"cret@b.example\n',
      'email\na@b.example\n"secret@b.example"x\n',
    ]) {
      const error = await read(broken, { name: 'people.csv' }).then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
      expect(error).toBeInstanceOf(CsvError);
      expect(error?.message).toMatch(/^people\.csv, line 3: .*quotation mark/);
      expect(`${error?.stack}${String(error?.cause)}`).not.toContain('secret');
    }
  });

  it('of a file has a fingerprint and the number of its rows', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'people.csv');
    const content = `email\n${Array.from({ length: 50_000 }, (_, index) => `reader${100_000 + index}@example.com\n`).join('')}`;
    await writeFile(path, content);
    const source = await readCsv(path);
    expect(source.fingerprint).toBe(createHash('sha256').update(content).digest('hex'));
    expect(source.total).toBe(50_000);
    await source.close();
    // As it was typed, with its folder.
    const missing = join(folder, 'none.csv');
    await expect(readCsv(missing)).rejects.toThrow(`${missing}: there is no such file`);
  });

  it.each([tmpdir(), join(tmpdir(), 'no such folder')])(
    'of many rows, seen whole before the first is given, keeps each with its number: temporary files in %s',
    async (folder) => {
      const path = join(scratchFolder(), 'people.csv');
      for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      const names = Array.from({ length: 5000 }, (_, at) => (at % 7 === 0 ? `"Ada, the\n""${at}"" — ü"` : `Bo ${at}`));
      await writeFile(path, `email,custom:Name\n${names.map((name, at) => `r${at}@b.example,${name}\n\n`).join('')}`);
      const source = await readCsv(path, { nobodyLeftBy: ['custom:Name'] });
      const seen: SourceRow[] = [];
      for await (const row of source.rows) seen.push(row);
      expect(source.mostRows).toBe(5000);
      expect(seen.map(({ row, original }) => [row, (original as Record<string, string>)['custom:Name']])).toEqual(
        names.map((name, index) => [
          2 * index + 2,
          name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name,
        ]),
      );
    },
  );

  it.runIf(listsOpenFiles)(
    'is no longer open once its rows were read, or it was closed, or can’t be read',
    async () => {
      const folder = scratchFolder();
      const path = join(folder, 'people.csv');
      const ends: Readonly<Record<string, (source: CsvSource) => unknown>> = {
        'read to the end': async (source) => {
          for await (const row of source.rows) expect(row.row).toBeGreaterThan(1);
        },
        'read to its second row': (source) => source.rows[Symbol.asyncIterator]().next().then(source.close),
        'not read': (source) => source.close(),
        'closed twice': (source) => source.close().then(source.close),
      };
      const texts = {
        plain: `email\n${'a@b.example\n'.repeat(20_000)}`,
        'with words': 'email,status\na@b.example,active\n',
        'with an unknown word': 'email,status\na@b.example,active\nb@b.example,Zonk\n',
        'without an address': 'name\nAda\n',
        'with an open quotation mark': `email\n${'a@b.example\n'.repeat(20_000)}"b\n`,
        empty: '',
      };
      for (const [what, text] of Object.entries(texts)) {
        await writeFile(path, text);
        for (const [how, end] of Object.entries(ends))
          for (const from of [path, Readable.from([Buffer.from(text)])]) {
            await readCsv(from)
              .then(end)
              .catch((error: unknown) => expect(error).toBeInstanceOf(CsvError));
            expect(openFiles(folder, 'newsletter-import-'), `${what}, ${how}`).toEqual([]);
          }
      }
    },
  );
});
