/** Who may get mails by the words of a file: exports of services, and what has to be asked for. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, readCsv, type CsvOptions } from '../../src/hosts/node/csv.ts';
import { leftByIn, leftByText, namesIn, namesText, type SourceRow } from '../../src/import/index.ts';
import { exportFixtures } from '../../../../test/support/exports.ts';

async function read(text: string, options: CsvOptions = {}) {
  const rows: SourceRow[] = [];
  const customFields = ['First Name', 'Last Name'].map((display) => ({ display, kind: 'string' }));
  const source = await readCsv(Readable.from([Buffer.from(text)]), { customFields, ...options });
  for await (const row of source.rows) rows.push(row);
  return { rows, source };
}

const addressOf = ({ original }: SourceRow): string =>
  Object.values(original as Record<string, string>).find((cell) => cell.includes('@')) ?? '';

const staysOf = (rows: readonly SourceRow[]) => rows.filter((row) => row.problem === undefined).map(addressOf);

/** Address, kind and reason of every row that is left out. */
const outOf = (rows: readonly SourceRow[]) =>
  rows.flatMap((row) => (row.problem === undefined ? [] : [[addressOf(row), row.kind, row.problem] as const]));

/** The columns that are asked for: those that stand first, and the others. */
async function askedOf(text: string, options: CsvOptions = {}) {
  const question = await read(text, { others: 'ignore', ...options }).catch((error: unknown) => error);
  if (!(question instanceof CsvError)) return { first: [], others: [], all: [], text: '' };
  const first = question.remedies.flatMap((remedy) => (remedy.option === 'leftBy' ? [remedy.column] : []));
  const others = question.remedies
    .flatMap((remedy) => (remedy.option === 'nobodyLeftBy' ? remedy.columns : []))
    .filter((name) => !first.includes(name));
  return { first, others, all: [...first, ...others], text: question.message };
}

/** Whether the row, another of the same person or the name of the file says what the reason says. */
function isSaid(row: SourceRow, rows: readonly SourceRow[], file: string): boolean {
  const [, heading = '', said] = /^column "(.+)" (is blank|is filled|says ".+")$/.exec(row.problem ?? '') ?? [];
  const cell = (row.original as Record<string, string>)[heading];
  if (said !== undefined)
    return said === (cell === '' ? 'is blank' : said.startsWith('is') ? 'is filled' : `says "${cell}"`);
  const [, number] = /^row (\d+) says that this person has left$/.exec(row.problem ?? '') ?? [];
  const other = rows.find(({ row: at }) => at === Number(number));
  if (other !== undefined) return addressOf(other) === addressOf(row);
  return file.includes(/^the name of the file says "(.+)" of everybody in it$/.exec(row.problem ?? '')?.[1] ?? '?');
}

describe.each(exportFixtures)('an export of $service, $file', ({ service, file, text, leftBy, stays, out }) => {
  it('is known by its headings, and whoever may not get mails is left out by its own words', async () => {
    const { rows, source } = await read(text, { fileName: file, leftBy });
    expect(source.service).toBe(service);
    expect(staysOf(rows)).toEqual(stays);
    expect(outOf(rows).map(([address, kind]) => [address, kind])).toEqual(out);
    expect(rows.filter((row) => row.problem !== undefined && !isSaid(row, rows, file))).toEqual([]);
  });

  it('lets in nobody of it without a question, whatever its headings are', async () => {
    // Any table may look like this export: its meanings are proposed.
    if (leftBy) expect((await askedOf(text)).text).toMatch(/leftBy: \{"stat(e|us)":\{[^?]*\}\}/);
    const [header = '', ...lines] = text.split(/\r?\n/).filter(Boolean);
    const separator = header.includes(';') ? ';' : ',';
    const address = lines[0]?.split(separator).findIndex((cell) => cell.includes('@'));
    const renamed = header.split(separator).map((_, at) => (at === address ? 'email' : `x${at}`));
    // As long as a real file, so that each value stands in many rows.
    const many = Array.from({ length: 60 }, (_, at) => lines.map((line) => line.replace('@', `${at}@`))).flat();
    const { all } = await askedOf([renamed.join(separator), ...many].join('\n'));
    const isInCells = outOf((await read(text, { leftBy })).rows).length > 0;
    if (isInCells) expect(all).not.toEqual([]);
  });
});

/** Rows with an address each, and these values. */
const table = (heading: string, values: readonly string[]): string =>
  `email,"${heading}"\n${values.map((value, at) => `r${at}@example.com,"${value}"\n`).join('')}`;

const repeat = (times: number, ...values: readonly string[]): readonly string[] =>
  Array.from({ length: times }, () => values).flat();

describe('a column that nobody has explained', () => {
  it.each([
    ['one mark', ['x', ...repeat(99, '')]],
    ['one mark in a small table', ['x', '', '']],
    ['a reason of few', ['moved away', 'too many mails', ...repeat(7, '')]],
    ['answers with a day', Array.from({ length: 60 }, (__, at) => (at % 3 ? `da, ${at}.` : `ne, ${at}.`))],
    ...['Jan 9, 2024', '04-Aug-2022', '3. März 2023', '2021年3月14日', '/Date(1540271833531)/', '2021', '2/1/17'].map(
      (time): [string, string[]] => [`a time such as ${time} that some rows lack`, [time, `${time} `, time, '']],
    ),
    ['two values in a small table', ['ze', 'ze', 'ze', 'ru']],
    ['a time that some rows lack', ['2026-01-02', '2026-01-03 04:05', '1735689600', '']],
    ['times, and a word where there is none', ['2026-01-02', '3.1.2026', 'NULL', 'NULL']],
    ['one remark that refuses', ['likes boats', 'unsubscribed by phone', 'met at the fair', '']],
    ['one of several words', ['vip;eu', 'vip;bounced', 'eu']],
    ['another of several words', ['vip;eu', 'bounced;vip', 'eu']],
  ])('is asked for where it has %s', async (_, values) => {
    expect((await askedOf(table('qp', values))).all).toEqual(['qp']);
  });

  it.each([
    ['five first names', 'Vorname', ['Ada', 'Bo', 'Cy', 'Di', 'Ed']],
    ['a time in each row', 'since', ['2026-01-02', '2026-01-03', '2026-01-04']],
    ['few names', 'last_name', ['Ray', ...repeat(9, '')]],
    ['a word before many values', 'city', Array.from({ length: 100 }, (__, at) => `Place ${at}`)],
    ['nothing', 'note', ['', '', '']],
    ['values of a field of the API', 'utm_source', repeat(30, 'fair', 'web')],
  ])('is not where it has %s', async (_, heading, values) => {
    expect(await askedOf(table(heading, values))).toMatchObject({ all: [], text: '' });
  });

  it('brings nobody in unasked, whatever its heading, values and number of rows are', async () => {
    const word = fc.stringMatching(/^[a-zà-ž]{1,8}$/u);
    const words = fc.uniqueArray(word, { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        word,
        words,
        fc.integer({ min: 5, max: 12 }),
        fc.boolean(),
        async (heading, values, times, hasBlank) => {
          fc.pre(!['email', 'tier'].includes(heading));
          const cells = repeat(times, ...(hasBlank ? [...values.slice(1), ''] : values));
          expect((await askedOf(table(heading, cells))).all).toEqual([heading]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('stands first where words say that it is likely, with its counts and a proposal', async () => {
    const rows = repeat(25, 'active,DE,de,no', 'active,FR,fr,no', 'Unsubscribed,DE,de,yes').map(
      (cells, at) => `r${at}@example.com,${cells}`,
    );
    const { first, others, text } = await askedOf(`email,Status,Land,Sprache,Opted out\n${rows.join('\n')}\n`);
    expect([first, others]).toEqual([
      ['Status', 'Opted out'],
      ['Land', 'Sprache'],
    ]);
    expect(text).toContain(
      '"Status" (active 50, Unsubscribed 25); "Opted out" (no 50, yes 25); "Land" (DE 50, FR 25); "Sprache" (de 50, fr 25)?',
    );
    expect(text).toContain('leftBy: {"Status":{"active":"subscribed","Unsubscribed":"left"}}');
    expect(text).toContain('leftBy: {"Opted out":{"no":"subscribed","yes":"left"}}');
    expect(text).toContain('nobodyLeftBy: ["Land","Sprache"]');
  });

  it('is asked for with everything that it may mean left open, where no word is known', async () => {
    expect((await askedOf(table('Newsletter', [...repeat(30, 'ze', 'ru'), '']))).text).toContain(
      'leftBy: {"Newsletter":{"ze":"?","ru":"?","(blank)":"left"}}',
    );
  });

  it.each([
    ['Kein Newsletter', ['x', '', ''], '"x":"?","(blank)":"?"'],
    ['Newsletter', ['1', '2', '2'], '"1":"?","2":"?"'],
    ['Bulk Emails', ['Allow', 'Allow', 'Allow', 'Do Not Allow'], '"Allow":"?","Do Not Allow":"?"'],
  ])('is proposed no side that words alone would guess: %s', async (heading, values, proposed) => {
    expect((await askedOf(table(heading, values))).text).toContain(`leftBy: {"${heading}":{${proposed}}}`);
  });

  it('repeats no address and no long text in its question', async () => {
    const { text } = await askedOf(table('Opt-out by', repeat(30, 'eve@example.com', '')));
    expect(text).toContain('(filled)');
    expect(text).not.toContain('eve@');
  });

  it('is not asked for in a file of ten thousand columns without values', async () => {
    const headings = Array.from({ length: 10_000 }, (_, at) => `c${at}`);
    const cells = headings.map((_, at) => (at === 7 ? 'Unsubscribed' : ''));
    const { all } = await askedOf(`email,${headings.join(',')}\nada@example.com,${cells.join(',')}\n`);
    expect(all).toEqual(['c7']);
  });

  it.each([
    ['Record Id,Email,Lead Status', ['Unsubscribed', 'Do not contact', 'New', 'New', 'New', 'New']],
    ['first_name,email,created_at,status', ['inactive', 'cold', 'cold', 'active', 'active', 'active']],
    ['email,status,tier,created_at,stripe_customer_id', ['inactive', 'weg', 'active', 'active', 'active', 'active']],
    ['email,email_disabled', ['aus', 'aus', 'an', 'an', 'an']],
  ])('is asked for in a table that only shares headings with a service: %s', async (header, values) => {
    const cellOf = (heading: string, value: string, row: number): string =>
      heading.toLowerCase() === 'email' ? `r${row}@example.com` : /status|disabled/i.test(heading) ? value : '';
    const rows = values.map((value, row) =>
      header
        .split(',')
        .map((heading) => cellOf(heading, value, row))
        .join(','),
    );
    expect((await askedOf(`${header}\n${rows.join('\n')}\n`)).all).toHaveLength(1);
  });
});

describe('an answer', () => {
  const text = table('Lage', ['da', 'da', 'fort', '', 'gesperrt']);

  it('by values keeps out who left by them, and whose value it does not name', async () => {
    const { rows, source } = await read(text, { leftBy: { Lage: { DA: 'subscribed', fort: 'left' } } });
    expect(outOf(rows)).toEqual([
      ['r2@example.com', 'left', 'column "Lage" says "fort"'],
      ['r3@example.com', 'unclear', 'column "Lage" is blank'],
      ['r4@example.com', 'unclear', 'column "Lage" holds a word that is not understood'],
    ]);
    expect(source.consentColumns).toEqual(['Lage']);
  });

  it('that nobody leaves by a column keeps out whose cell refuses in known words', async () => {
    const tags = table('Tags', ['vip', 'vip', 'unsubscribed', 'vip, opted out', 'asked by phone to be unsubscribed']);
    const { rows } = await read(tags, { nobodyLeftBy: ['Tags'], others: 'ignore' });
    expect(outOf(rows).map(([, kind, reason]) => [kind, reason])).toEqual([
      ['left', 'column "Tags" says "unsubscribed"'],
      ['left', 'column "Tags" refuses mails in words'],
      ['left', 'column "Tags" refuses mails in words'],
    ]);
  });

  it('by leaving the column out overrules its words', async () => {
    const orders = table('Order status', ['shipped', 'shipped', 'cancelled']);
    expect(staysOf((await read(orders, { columns: { 'Order status': null } })).rows)).toHaveLength(3);
  });

  it('about all others of a column of times keeps out whoever has one', async () => {
    const leftBy = { 'fort am': { '(filled)': 'left', '(blank)': 'subscribed' } } as const;
    const { rows } = await read(table('fort am', ['2026-01-02', '', '']), { leftBy });
    expect(outOf(rows)).toEqual([['r0@example.com', 'left', 'column "fort am" is filled']]);
  });

  it('does not send the column, unless it fills a custom field', async () => {
    const leftBy = { Lage: { da: 'subscribed', fort: 'left', '(blank)': 'left' } } as const;
    const [row] = (await read(text, { leftBy, columns: { Lage: 'custom:Lage' }, customFields: undefined })).rows;
    expect(row?.subscription).toEqual({ email: 'r0@example.com', custom_fields: [{ name: 'Lage', value: 'da' }] });
  });

  it('about a column that the file does not have, or that a known export leaves by, stops the import', async () => {
    await expect(read('email\nada@example.com\n', { leftBy: { Lage: { fort: 'left' } } })).rejects.toThrow(
      'The header has no column "Lage"',
    );
    const beehiiv = exportFixtures.find(({ service }) => service === 'beehiiv')?.text ?? '';
    for (const options of [{ columns: { status: null } }, { nobodyLeftBy: ['status'] }])
      await expect(read(beehiiv, options)).rejects.toThrow(
        "says who has left in exports of beehiiv, so it can't be left out",
      );
  });

  it('is read as it was written, whatever stands in names and values', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((each) => each.trim() === each && each !== '');
    const meanings = fc.dictionary(name, fc.constantFrom('left', 'subscribed', 'unconfirmed'), { minKeys: 1 });
    fc.assert(
      fc.property(fc.dictionary(name, meanings, { minKeys: 1 }), (answers) => {
        const written = Object.entries(answers).map(([column, values]) => leftByText(column, values));
        expect(leftByIn(written.join('; '))).toEqual(answers);
        expect(namesIn(namesText(Object.keys(answers)))).toEqual(Object.keys(answers));
      }),
    );
  });

  it.each([
    ['Status', 'does not say what the values of a column mean'],
    ['Status: gone = ?', 'Say what "gone" in column "Status" means: gone = subscribed or unconfirmed or left'],
    ['Status: gone', 'Say what "gone" in column "Status" means'],
    ['"Status: gone = left', 'A quotation mark is missing'],
  ])('%j is refused with what to write', (written, problem) => {
    expect(() => leftByIn(written)).toThrow(problem);
  });
});

describe('a person', () => {
  const status = { active: 'subscribed', pending: 'unconfirmed', never: 'left' } as const;

  it('who never confirmed is asked again only where the user chooses so', async () => {
    const text = 'email,status\nada@example.com,pending\nbo@example.com,bounced\n';
    const kinds = outOf((await read(text, { leftBy: { status } })).rows).map(([, kind]) => kind);
    expect(kinds).toEqual(['unconfirmed', 'left']);
    const { rows } = await read(text, { leftBy: { status }, unconfirmed: 'confirm' });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com', double_opt_override: 'on' },
      undefined,
    ]);
  });

  it('of whom any row says that they left stays out, in every order, spelling and column', async () => {
    const word = fc.constantFrom('active', 'unsubscribed', 'Bounced', 'never subscribed', '', 'pending');
    const said = fc.record({ person: fc.nat(5), spelling: fc.nat(2), status: word, other: word });
    const spell = (person: number, spelling: number): string =>
      [`reader${person}@example.com`, `READER${person}@Example.com`, `reader${person}＠example.com`][spelling] ?? '';
    const refuses = (...words: readonly string[]) => words.some((each) => /^(?:unsub|bounced|never)/i.test(each));
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 12 }), async (people) => {
        const lines = people.map((each) => `${spell(each.person, each.spelling)},${each.status},${each.other}\n`);
        const leftBy = { status, other: { ...status, '(blank)': 'subscribed' } } as const;
        const { rows } = await read(`email,status,other\n${lines.join('')}`, { leftBy });
        const left = new Set(people.flatMap((each) => (refuses(each.status, each.other) ? [each.person] : [])));
        for (const [at, row] of rows.entries()) {
          const { person = -1, status: first = '', other = '' } = people[at] ?? {};
          const clear = other === 'pending' || first === 'pending' ? 'unconfirmed' : undefined;
          expect(row.kind).toBe(left.has(person) ? 'left' : first === '' ? 'unclear' : clear);
        }
      }),
      { numRuns: 200 },
    );
  });
});

it('two files in one stop the import where the second begins', async () => {
  for (const second of ['Email Address,UNSUB_TIME\nbo@example.com,2026-01-02', 'utm_source,email\nfair,bo@example.com'])
    await expect(read(`email,utm_source\nada@example.com,fair\n${second}\n`)).rejects.toThrow(
      /Row 3 names columns again, and others than the first row/,
    );
});

describe('a file', () => {
  it('that names its separator, as Excel does, is read by it', async () => {
    const { rows } = await read('sep=;\r\nemail;custom:First Name\r\nada@example.com;"Ada, of London"\r\n');
    expect(rows).toMatchObject([{ row: 2, subscription: { custom_fields: [{ value: 'Ada, of London' }] } }]);
  });

  it('that is a workbook is refused with what to do', async () => {
    await expect(read('PK\u0003\u0004rest')).rejects.toThrow('In the spreadsheet, save the sheet as "CSV UTF-8"');
  });

  it('tells every problem of a row', async () => {
    const customFields = [
      { display: 'Born', kind: 'date' },
      { display: 'Age', kind: 'integer' },
    ];
    const { rows } = await read('email,Born,Age\nada@example.com,soon,old\n', { customFields });
    expect(rows[0]?.problem).toMatch(/^column "Born" must hold a day .*; column "Age" must hold a whole number$/);
  });
});
