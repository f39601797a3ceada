/** Who may get mails by the words of a file: exports of services, and what has to be asked for. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, readCsv, type CsvOptions } from '../../src/hosts/node/csv.ts';
import { leftByIn, leftByText, namesIn, namesText, type SourceRow } from '../../src/import/index.ts';
import { exportFixtures } from '../../../../test/support/exports.ts';

const names = ['First Name', 'Last Name'].map((display) => ({ display, kind: 'string' }));

async function read(text: string, options: CsvOptions = {}) {
  const rows: SourceRow[] = [];
  const source = await readCsv(Readable.from([Buffer.from(text)]), { customFields: names, ...options });
  for await (const row of source.rows) rows.push(row);
  return { rows, source };
}

const addressOf = ({ original }: SourceRow): string =>
  Object.values(original as Record<string, string>).find((cell) => cell.includes('@')) ?? '';

/** Kind and reason of every row that is left out. */
const outOf = (rows: readonly SourceRow[]) =>
  rows.flatMap((row) => (row.problem === undefined ? [] : [[addressOf(row), row.kind, row.problem]]));

const staysOf = (rows: readonly SourceRow[]) => rows.filter((row) => row.problem === undefined).map(addressOf);

describe.each(exportFixtures)('an export of $service, $file', ({ service, file, text, leftBy, stays, out }) => {
  it('is known by its headings, and whoever may not get mails is left out with its own words', async () => {
    const { rows, source } = await read(text, { fileName: file, leftBy });
    expect(source.service).toBe(service);
    expect(staysOf(rows)).toEqual(stays);
    expect(outOf(rows)).toEqual(out);
  });

  it.runIf(leftBy)('is asked for, as any table may look like it, with its meanings proposed', async () => {
    const question = await read(text, { fileName: file }).catch((error: unknown) => error);
    expect(question).toBeInstanceOf(CsvError);
    const { remedies } = question as CsvError;
    expect(remedies[0]).toEqual({ option: 'leftBy', column: Object.keys(leftBy ?? {})[0], values: expect.anything() });
    expect(JSON.stringify(remedies[0])).not.toContain('?');
  });

  it('lets in nobody of it without a question, whatever its headings are', async () => {
    const [header = '', ...lines] = text.split(/\r?\n/).filter(Boolean);
    const separator = header.includes(';') ? ';' : ',';
    const address = lines[0]?.split(separator).findIndex((cell) => cell.includes('@'));
    const renamed = header.split(separator).map((_, at) => (at === address ? 'email' : `x${at}`));
    // As long as a real file, so that each value stands in many rows.
    const many = Array.from({ length: 60 }, (_, at) => lines.map((line) => line.replace('@', `${at}@`))).flat();
    const isInCells = out.some(([, , reason]) => !reason.includes('name of the file'));
    const asked = await askedOf([renamed.join(separator), ...many].join('\n'), { fileName: file });
    if (isInCells) expect(asked.first.length + asked.others.length).toBeGreaterThan(0);
  });
});

/** Rows with an address each, and these values. */
const table = (heading: string, values: readonly string[]): string =>
  `email,"${heading}"\n${values.map((value, at) => `r${at}@example.com,"${value}"\n`).join('')}`;

const repeat = (times: number, ...values: readonly string[]): readonly string[] =>
  Array.from({ length: times }, () => values).flat();

/** The columns that are asked for: those that stand first, and the others. */
async function askedOf(text: string, options: CsvOptions = {}) {
  const question = await read(text, { others: 'ignore', ...options }).catch((error: unknown) => error);
  if (!(question instanceof CsvError)) return { first: [], others: [], text: '' };
  const first = question.remedies.flatMap((remedy) => (remedy.option === 'leftBy' ? [remedy.column] : []));
  const others = question.remedies.flatMap((remedy) => (remedy.option === 'nobodyLeftBy' ? remedy.columns : []));
  return { first, others: others.filter((name) => !first.includes(name)), text: question.message };
}

describe('a column that nobody has explained', () => {
  it.each([
    ['few values that repeat', 'qp', repeat(30, 'ze', 'ru')],
    ['twelve values in sixty rows', 'qp', repeat(5, ...'a b c d e f g h i j k l'.split(' '))],
    ['one mark', 'qp', ['x', ...repeat(99, '')]],
    ['two values in a small table', 'qp', ['ze', 'ze', 'ze', 'ru']],
    ['a time that some rows lack', 'qp', ['2026-01-02', '2026-01-03 04:05', '1735689600', '']],
    ['times, and a word where there is none', 'qp', ['2026-01-02', '3.1.2026', 'NULL', 'NULL']],
    ['one remark that refuses', 'qp', ['likes boats', 'unsubscribed by phone', 'met at the fair', '']],
    ['one of several words', 'qp', ['vip;eu', 'vip;bounced', 'eu']],
  ])('is asked for where it has %s', async (_, heading, values) => {
    const { first, others } = await askedOf(table(heading, values));
    expect([...first, ...others]).toEqual([heading]);
  });

  it.each([
    ['five first names', 'Vorname', ['Ada', 'Bo', 'Cy', 'Di', 'Ed']],
    ['a time in each row', 'since', ['2026-01-02', '2026-01-03', '2026-01-04']],
    ['many values', 'city', Array.from({ length: 100 }, (_, at) => `Place ${at}`)],
    ['nothing', 'note', ['', '', '']],
    ['values of a field of the API', 'utm_source', repeat(30, 'fair', 'web')],
  ])('is not where it has %s', async (_, heading, values) => {
    expect(await askedOf(table(heading, values))).toEqual({ first: [], others: [], text: '' });
  });

  it('stands first where words say that it is likely, with its counts and a proposal', async () => {
    const rows = repeat(25, 'active,DE,no', 'active,FR,no', 'Unsubscribed,DE,yes').map(
      (cells, at) => `r${at}@example.com,${cells}`,
    );
    const { first, others, text } = await askedOf(`email,Status,Land,Opted out\n${rows.join('\n')}\n`);
    expect([first, others]).toEqual([['Status', 'Opted out'], ['Land']]);
    expect(text).toContain('"Status" (active 50, Unsubscribed 25); "Opted out" (no 50, yes 25); also "Land"');
    expect(text).toContain('leftBy: {"Status":{"active":"subscribed","Unsubscribed":"left"}}');
    expect(text).toContain('leftBy: {"Opted out":{"no":"subscribed","yes":"left"}}');
    expect(text).toContain('nobodyLeftBy: ["Land"]');
  });

  it('is asked for with everything that it may mean left open, where no word is known', async () => {
    expect((await askedOf(table('Newsletter', [...repeat(30, 'ze', 'ru'), '']))).text).toContain(
      'leftBy: {"Newsletter":{"ze":"?","ru":"?","(blank)":"left"}}',
    );
  });

  it('repeats no address and no long text in its question', async () => {
    const { text } = await askedOf(table('Opt-out by', repeat(30, 'eve@example.com', '')));
    expect(text).toContain('(filled)');
    expect(text).not.toContain('eve@');
  });

  it('brings nobody in unasked, whatever its heading, values and number of rows are', async () => {
    const word = fc.stringMatching(/^[a-zà-ž]{1,8}$/u);
    await fc.assert(
      fc.asyncProperty(
        word,
        fc.uniqueArray(word, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 5, max: 12 }),
        fc.boolean(),
        async (heading, values, times, hasBlank) => {
          fc.pre(!['email', 'tier'].includes(heading));
          const { first, others } = await askedOf(
            table(heading, repeat(times, ...(hasBlank ? [...values.slice(1), ''] : values))),
          );
          expect([...first, ...others]).toEqual([heading]);
        },
      ),
      { seed: 59, numRuns: 200 },
    );
  });

  it('is not asked for in a file of ten thousand columns without values', async () => {
    const headings = Array.from({ length: 10_000 }, (_, at) => `c${at}`);
    const { first, others } = await askedOf(
      `email,${headings.join(',')}\nada@example.com,${headings.map((_, at) => (at === 7 ? 'Unsubscribed' : '')).join(',')}\n`,
    );
    expect([...first, ...others]).toEqual(['c7']);
  });
});

describe('an answer', () => {
  const text = table('Lage', ['da', 'da', 'da', 'fort', 'fort', '']);

  it('by values keeps out who left by them, and whose value it does not name', async () => {
    const { rows, source } = await read(text, { leftBy: { Lage: { DA: 'subscribed', fort: 'left' } } });
    expect(outOf(rows)).toEqual([
      ['r3@example.com', 'left', 'column "Lage" says "fort"'],
      ['r4@example.com', 'left', 'column "Lage" says "fort"'],
      ['r5@example.com', 'unclear', 'column "Lage" is blank'],
    ]);
    expect(source.consentColumns).toEqual(['Lage']);
  });

  it('stands for a new word, too: its row is unclear, and the others go on', async () => {
    const later = table('Lage', ['da', 'gesperrt']);
    const { rows } = await read(later, { leftBy: { Lage: { da: 'subscribed', fort: 'left' } } });
    expect(outOf(rows)).toEqual([['r1@example.com', 'unclear', 'column "Lage" holds a word that is not understood']]);
  });

  it('that nobody leaves by a column keeps out whose cell refuses in known words', async () => {
    const { rows } = await read(
      table('Tags', ['vip', 'vip', 'unsubscribed', 'vip, opted out', 'asked by phone to be unsubscribed']),
      {
        nobodyLeftBy: ['Tags'],
        others: 'ignore',
      },
    );
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
    const { rows } = await read(table('fort am', ['2026-01-02', '', '']), {
      leftBy: { 'fort am': { '(filled)': 'left', '(blank)': 'subscribed' } },
    });
    expect(outOf(rows)).toEqual([['r0@example.com', 'left', 'column "fort am" is filled']]);
  });

  it('does not send the column, unless it fills a custom field', async () => {
    const leftBy = { Lage: { da: 'subscribed', fort: 'left', '(blank)': 'left' } } as const;
    const { rows } = await read(text, { leftBy, columns: { Lage: 'custom:Lage' }, customFields: undefined });
    expect(rows[0]?.subscription).toEqual({ email: 'r0@example.com', custom_fields: [{ name: 'Lage', value: 'da' }] });
  });

  it('about a column that the file does not have stops the import', async () => {
    await expect(read('email\nada@example.com\n', { leftBy: { Lage: { fort: 'left' } } })).rejects.toThrow(
      'The header has no column "Lage"',
    );
  });

  it('can not leave out by what people leave in a known export', async () => {
    const beehiiv = exportFixtures.find(({ service }) => service === 'beehiiv')?.text ?? '';
    for (const options of [{ columns: { status: null } }, { nobodyLeftBy: ['status'] }])
      await expect(read(beehiiv, options)).rejects.toThrow(
        "says who has left in exports of beehiiv, so it can't be left out",
      );
  });

  it('is read as it was written, whatever stands in names and values', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() === text && text !== '');
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.dictionary(name, fc.constantFrom('left', 'subscribed', 'unconfirmed'), { minKeys: 1 }), {
          minKeys: 1,
        }),
        (answers) => {
          const written = Object.entries(answers).map(([column, values]) => leftByText(column, values));
          expect(leftByIn(written.join('; '))).toEqual(answers);
          expect(namesIn(namesText(Object.keys(answers)))).toEqual(Object.keys(answers));
        },
      ),
      { seed: 59 },
    );
  });

  it.each([
    ['Status', 'does not say what the values of a column mean'],
    ['Status: gone = ?', 'Say what "gone" in column "Status" means: gone = subscribed or unconfirmed or left'],
    ['Status: gone', 'Say what "gone" in column "Status" means'],
    ['"Status: gone = left', 'A quotation mark is missing'],
  ])('%j is refused with what to write', (text_, problem) => {
    expect(() => leftByIn(text_)).toThrow(problem);
  });
});

describe('a table that only shares headings with a service', () => {
  it.each([
    ['Record Id,Email,Lead Status', ['Unsubscribed', 'Do not contact', 'New', 'New', 'New', 'New']],
    ['first_name,email,created_at,status', ['inactive', 'cold', 'cold', 'active', 'active', 'active']],
    ['email,status,tier,created_at,stripe_customer_id', ['inactive', 'weg', 'active', 'active', 'active', 'active']],
    ['email,email_disabled', ['aus', 'aus', 'an', 'an', 'an']],
  ])('%s is asked for', async (header, values) => {
    const at = header.split(',').findIndex((heading) => heading.toLowerCase() === 'email');
    const rows = values.map((value, row) =>
      header
        .split(',')
        .map((heading, column) =>
          column === at ? `r${row}@example.com` : /status|disabled/i.test(heading) ? value : '',
        )
        .join(','),
    );
    const { first, others } = await askedOf(`${header}\n${rows.join('\n')}\n`);
    expect([...first, ...others]).toHaveLength(1);
  });
});

describe('a person', () => {
  const status = {
    active: 'subscribed',
    subscribed: 'subscribed',
    unconfirmed: 'unconfirmed',
    pending: 'unconfirmed',
  } as const;

  it('who never confirmed is asked again only where the user chooses so', async () => {
    const text = 'email,status\nada@example.com,unconfirmed\nbo@example.com,bounced\n';
    expect(outOf((await read(text, { leftBy: { status } })).rows).map(([, kind]) => kind)).toEqual([
      'unconfirmed',
      'left',
    ]);
    const { rows } = await read(text, { leftBy: { status }, unconfirmed: 'confirm' });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com', double_opt_override: 'on' },
      undefined,
    ]);
  });

  it('of whom any row says that they left stays out, in every order and spelling', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            person: fc.nat(5),
            spelling: fc.nat(2),
            word: fc.constantFrom('active', 'subscribed', 'unsubscribed', 'Bounced', 'complained', '', 'pending'),
          }),
          { maxLength: 20 },
        ),
        async (people) => {
          const spell = (person: number, spelling: number): string =>
            [`reader${person}@example.com`, `READER${person}@Example.com`, `reader${person}＠example.com`][spelling] ??
            '';
          const { rows } = await read(
            `email,status\n${people.map(({ person, spelling, word }) => `${spell(person, spelling)},${word}\n`).join('')}`,
            { leftBy: { status } },
          );
          const left = new Set(
            people.filter(({ word }) => /^(unsub|bounced|compl)/i.test(word)).map(({ person }) => person),
          );
          for (const [at, row] of rows.entries()) {
            const { person = -1, word } = people[at] ?? {};
            const stays = row.problem === undefined;
            expect(stays).toBe(!left.has(person) && (word === 'active' || word === 'subscribed'));
          }
        },
      ),
      { seed: 36, numRuns: 200 },
    );
  });
});

describe('two files in one', () => {
  it('stop the import where the second begins', async () => {
    const glued = 'email,utm_source\nada@example.com,fair\nEmail Address,UNSUB_TIME\nbo@example.com,2026-01-02\n';
    await expect(read(glued)).rejects.toThrow(/Row 3 names columns again, and others than the first row/);
  });
});

describe('a file', () => {
  it('that names its separator, as Excel does, is read by it', async () => {
    const { rows } = await read('sep=;\r\nemail;custom:First Name\r\nada@example.com;"Ada, of London"\r\n');
    expect(rows).toMatchObject([{ row: 2, subscription: { custom_fields: [{ value: 'Ada, of London' }] } }]);
  });

  it('that is a workbook is refused with what to do', async () => {
    await expect(read('PK\u0003\u0004rest')).rejects.toThrow(
      'CSV: it is an Excel workbook (.xlsx). In the spreadsheet, save the sheet as "CSV UTF-8"',
    );
  });

  it('tells every problem of a row', async () => {
    const { rows } = await read('email,Born,Age\nada@example.com,soon,old\n', {
      customFields: [
        { display: 'Born', kind: 'date' },
        { display: 'Age', kind: 'integer' },
      ],
    });
    expect(rows[0]?.problem).toBe(
      'column "Born" must hold a day such as 2026-01-31; column "Age" must hold a whole number',
    );
  });
});
