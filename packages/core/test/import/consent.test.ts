/** Who may get mails by the words of a file: exports of services, and what has to be asked for. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, readCsv, type CsvOptions } from '../../src/hosts/node/csv.ts';
import type { SourceRow } from '../../src/import/index.ts';
import { doubtfulColumns, exportFixtures, innocentColumns } from '../../../../test/support/exports.ts';

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

describe.each(exportFixtures)('an export of $service, $file', ({ service, file, text, stays, out }) => {
  it('is known by its headings, and whoever may not get mails is left out with its own words', async () => {
    const { rows, source } = await read(text, { fileName: file });
    expect(source.service).toBe(service);
    expect(staysOf(rows)).toEqual(stays);
    expect(outOf(rows)).toEqual(out);
  });

  it.each(['ignore', 'custom'] as const)('is read so with the other columns at %s, too', async (others) => {
    const { rows } = await read(text, { fileName: file, others, customFields: undefined });
    expect(outOf(rows)).toEqual(out);
  });
});

describe('a column', () => {
  it.each(Object.entries(innocentColumns))('%s (%j) never stops an import', async (heading, value) => {
    const { rows, source } = await read(`email,"${heading}"\nada@example.com,${value}\n`, { others: 'ignore' });
    expect(staysOf(rows)).toEqual(['ada@example.com']);
    expect(source.consentColumns).toEqual([]);
  });

  it.each(doubtfulColumns)('%s stops an import until the user says what it means', async (heading) => {
    const text = `email,"${heading}"\nada@example.com,yes\nbo@example.com,\n`;
    for (const others of ['refuse', 'ignore', 'custom'] as const) {
      const refused = read(text, { others, customFields: undefined });
      await expect(refused).rejects.toThrow(CsvError);
      await expect(refused).rejects.toThrow(`"${heading}" may say who wants mails`);
    }
    const staysWith = async (target: 'subscribed' | 'left' | null) =>
      staysOf((await read(text, { columns: { [heading]: target } })).rows);
    expect(await staysWith('subscribed')).toEqual(['ada@example.com']);
    expect(await staysWith('left')).toEqual(['bo@example.com']);
    expect(await staysWith(null)).toEqual(['ada@example.com', 'bo@example.com']);
  });

  it('that says who has left can be sent as a custom field, and can not be left out', async () => {
    const text = 'email,STATUS\nada@example.com,active\nbo@example.com,unsubscribed\n';
    await expect(read(text, { columns: { STATUS: null } })).rejects.toThrow(
      "says who has left, so it can't be left out",
    );
    const { rows } = await read(text, { columns: { STATUS: 'custom:STATUS' }, customFields: undefined });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com', custom_fields: [{ name: 'STATUS', value: 'active' }] },
      undefined,
    ]);
  });

  it('of a state is that of consent where words of consent stand in it', async () => {
    const { rows } = await read('email,State\nada@example.com,confirmed\nbo@example.com,Unsubscribed\n');
    expect(outOf(rows)).toEqual([['bo@example.com', 'left', 'column "State" says "Unsubscribed"']]);
    await expect(read('email,State\nada@example.com,confirmed\nbo@example.com,CA\n')).rejects.toThrow(
      'Not understood: "CA" in column "State"',
    );
  });
});

describe('a word', () => {
  const text = 'email,Status\nada@example.com,Angemeldet\nbo@example.com,Abgemeldet\ncy@example.com,\n';

  it('of another language is asked for, with all the others at once, before the first row', async () => {
    await expect(read(text)).rejects.toThrow(
      'CSV: Not understood: "Angemeldet", "Abgemeldet" in column "Status". Say what each word means: words: { "Angemeldet": "subscribed" }',
    );
  });

  it('means what the user says; a blank is unclear, until the user says what it means', async () => {
    const words = { Angemeldet: 'subscribed', abgemeldet: 'left' } as const;
    expect(outOf((await read(text, { words })).rows)).toEqual([
      ['bo@example.com', 'left', 'column "Status" says "Abgemeldet"'],
      ['cy@example.com', 'unclear', 'column "Status" is blank'],
    ]);
    expect(staysOf((await read(text, { words: { ...words, '': 'subscribed' } })).rows)).toEqual([
      'ada@example.com',
      'cy@example.com',
    ]);
  });

  it('that says no keeps its meaning', async () => {
    await expect(read(text, { words: { Unsubscribed: 'subscribed' } })).rejects.toThrow(
      '"unsubscribed" says that a person has left',
    );
  });
});

describe('a person', () => {
  it('who never confirmed is asked again only where the user chooses so', async () => {
    const text = 'email,status\nada@example.com,unconfirmed\nbo@example.com,bounced\n';
    expect(outOf((await read(text)).rows).map(([, kind]) => kind)).toEqual(['unconfirmed', 'left']);
    const { rows } = await read(text, { unconfirmed: 'confirm' });
    expect(rows.map(({ subscription }) => subscription)).toEqual([
      { email: 'ada@example.com', double_opt_override: 'on' },
      undefined,
    ]);
  });

  it('of whom two columns disagree stays out', async () => {
    const { rows } = await read(
      'email,status,unsubscribed_at\nada@example.com,active,2026-01-02\nbo@example.com,unsubscribed,\n',
    );
    expect(staysOf(rows)).toEqual([]);
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

describe('dates', () => {
  const born = [{ display: 'Born', kind: 'date' }];
  const values = async (dates: readonly string[], options: CsvOptions = {}) => {
    const { rows } = await read(`email,Born\n${dates.map((date, at) => `r${at}@example.com,${date}\n`).join('')}`, {
      customFields: born,
      ...options,
    });
    return rows.map(({ subscription, problem }) =>
      problem === undefined
        ? (subscription as { custom_fields: { value: unknown }[] }).custom_fields[0]?.value
        : problem,
    );
  };

  it('have the order that one of their column shows', async () => {
    expect(await values(['01/02/2026', '31/01/2026'])).toEqual(['2026-02-01', '2026-01-31']);
    expect(await values(['01/02/2026', '1/31/2026'])).toEqual(['2026-01-02', '2026-01-31']);
    expect(await values(['02.01.2026', '46053', '2026-01-31'])).toEqual(['2026-01-02', '2026-01-31', '2026-01-31']);
  });

  it('have the order that the user names; without any, they are left out with the reason', async () => {
    expect(await values(['01/02/2026'], { dateOrder: 'dmy' })).toEqual(['2026-02-01']);
    expect(await values(['01/02/2026'])).toEqual([
      'column "Born" must hold a day such as 2026-01-31; this date can be two days, so the order of day and month must be named',
    ]);
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
