/** How the columns of a table write dates, numbers, yes and no: by their cells, by the user's word, or asked for. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, readCsv, type CsvOptions } from '../../src/hosts/node/csv.ts';
import { yesNoIn, yesNoText, type TableRemedy } from '../../src/import/index.ts';

const customFields = Object.entries({
  Born: 'date',
  Seen: 'datetime',
  Price: 'double',
  Age: 'integer',
  Guide: 'boolean',
}).map(([display, kind]) => ({ display, kind }));

/** The values of a column, by row: what is sent, the reason why the row is not, or undefined where nothing is set. */
async function valuesOf(
  column: string,
  cells: readonly string[],
  options: CsvOptions = {},
): Promise<readonly unknown[]> {
  const text = `email;${column}\n${cells.map((cell, at) => `r${at}@example.com;"${cell}"\n`).join('')}`;
  const nobodyLeftBy = [column];
  const source = await readCsv(Readable.from([Buffer.from(text)]), { customFields, nobodyLeftBy, ...options });
  const values: unknown[] = [];
  for await (const { subscription, problem } of source.rows)
    values.push(problem ?? (subscription as { custom_fields?: { value: unknown }[] }).custom_fields?.[0]?.value);
  return values;
}

/** The question about a column, and what would answer it. */
async function askedOf(column: string, cells: readonly string[], options?: CsvOptions) {
  const error = await valuesOf(column, cells, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CsvError);
  const { problem, remedies } = error as { problem: string; remedies: readonly TableRemedy[] };
  return { problem, remedies };
}

describe('dates', () => {
  it('have the order that one of their column shows', async () => {
    expect(await valuesOf('Born', ['01/02/2026', '31/01/2026'])).toEqual(['2026-02-01', '2026-01-31']);
    expect(await valuesOf('Born', ['01/02/2026', '1/31/2026'])).toEqual(['2026-01-02', '2026-01-31']);
    expect(await valuesOf('Seen', ['1/2/2026 9:05', '02.01.2026', '46053'])).toEqual([
      '2026-02-01T09:05',
      '2026-01-02',
      '2026-01-31',
    ]);
  });

  it.each([
    ['none of which', ['01/02/2026', '2026-03-04']],
    ['two of which', ['01/02/2026', '31/01/2026', '1/31/2026']],
  ])('%s shows one order are asked for, and read in the order that the user names', async (_, cells) => {
    const { problem, remedies } = await askedOf('Born', cells);
    expect(problem).toContain('Column "Born" has dates that can be two days, such as 01/02/2026');
    expect(remedies).toEqual(['dmy', 'mdy'].map((value) => ({ option: 'dateOrder', value })));
    expect((await valuesOf('Born', cells, { dateOrder: 'dmy' }))[0]).toBe('2026-02-01');
    expect((await valuesOf('Born', cells, { dateOrder: 'mdy' }))[0]).toBe('2026-01-02');
  });
});

describe('numbers', () => {
  it.each<[cells: readonly string[], numbers: readonly number[]]>([
    [
      ['1.234', '1.234,5'],
      [1234, 1234.5],
    ],
    [
      ['1.234', '12,5'],
      [1234, 12.5],
    ],
    [
      ['1.234', '1,234.5'],
      [1.234, 1234.5],
    ],
    [
      ['1,234', '0.5'],
      [1234, 0.5],
    ],
    [
      ['1 234', '1e3', '-7'],
      [1234, 1000, -7],
    ],
  ])('%j have the decimal mark that one of their column shows', async (cells, numbers) => {
    expect(await valuesOf('Price', cells)).toEqual(numbers);
  });

  it('that show no mark, or both, are asked for, and read by the mark that the user names', async () => {
    for (const cells of [['1.234'], ['1.234', '0,5', '0.5']]) {
      const { problem, remedies } = await askedOf('Price', cells);
      expect(problem).toContain('Column "Price" has numbers that can be two, such as 1.234');
      expect(remedies).toEqual(['.', ','].map((value) => ({ option: 'decimalMark', value })));
      expect((await valuesOf('Price', cells, { decimalMark: ',' }))[0]).toBe(1234);
      expect((await valuesOf('Price', cells, { decimalMark: '.' }))[0]).toBe(1.234);
    }
    expect(await valuesOf('Age', ['1.234', '2,5'], { decimalMark: ',' })).toEqual([
      1234,
      'column "Age" must hold a whole number',
    ]);
  });
});

describe('yes and no', () => {
  it('in words that nobody knows are asked for with their counts, and read by the answer', async () => {
    const word = fc
      .string({ minLength: 1, maxLength: 12 })
      .filter((text) => /^[^"@;]+$/.test(text) && text.trim() === text);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(word, { minLength: 2, maxLength: 2, selector: (text) => text.normalize('NFC').toLowerCase() }),
        async ([yes = '', no = '']) => {
          fc.pre(![yes, no].some((text) => /^(?:true|t|yes|y|on|x|✓|1|false|f|no|n|off|0)$/i.test(text)));
          const cells = [yes, no, '', yes];
          const { problem, remedies } = await askedOf('Guide', cells);
          const shown = [`${yes} 2`, `${no} 1`].toSorted((one, other) => (one < other ? -1 : 1));
          expect(problem).toContain(`(${shown.join(', ')}) does not show which value is yes`);
          expect(remedies).toEqual([{ option: 'yesNo', values: { [yes]: '?', [no]: '?' } }]);
          const answer = yesNoIn(yesNoText({ [yes]: 'yes', [no]: 'no' }));
          expect(await valuesOf('Guide', cells, { yesNo: answer })).toEqual([true, false, undefined, true]);
        },
      ),
      { seed: 59, numRuns: 50 },
    );
  });

  it('in one word that repeats are asked for; a word that stands once beside a known one leaves out its row', async () => {
    const { remedies } = await askedOf('Guide', ['Ja', '', 'JA']);
    expect(remedies).toEqual([{ option: 'yesNo', values: { Ja: '?' } }]);
    const refused = 'column "Guide" must hold true or false';
    expect(await valuesOf('Guide', ['Ja'])).toEqual([refused]);
    expect((await valuesOf('Guide', ['Ja', 'Nein', ...Array.from({ length: 39 }, () => '')])).slice(0, 2)).toEqual([
      refused,
      refused,
    ]);
    expect(await valuesOf('Guide', ['yes', 'maybe', 'yes'])).toEqual([true, refused, true]);
  });

  it('of fields of the API are asked for too', async () => {
    const { remedies } = await askedOf('send_welcome_email', ['да', 'нет']);
    expect(remedies).toEqual([{ option: 'yesNo', values: { да: '?', нет: '?' } }]);
  });

  it('leave out the rows of any third value, before and after an answer', async () => {
    const refused = 'column "Guide" must hold true or false';
    expect(await valuesOf('Guide', ['yes', 'no', 'maybe'])).toEqual([true, false, refused]);
    const yesNo = { Ja: 'yes', Nein: 'no' } as const;
    expect(await valuesOf('Guide', [' ja ', 'NEIN', 'vielleicht', 'yes'], { yesNo })).toEqual([
      true,
      false,
      refused,
      true,
    ]);
  });

  it('are never asked for with an address, or with a long text', async () => {
    const refused = 'column "Guide" must hold true or false';
    expect(await valuesOf('Guide', ['ada@example.com', 'x'.repeat(50)])).toEqual([refused, refused]);
  });
});

it('one question is about all columns of a table', async () => {
  const text = 'email;Born;Seen;Guide\na@example.com;1/2/2026;1/2/2026;Ja\nb@example.com;;;Nein\n';
  const options = { customFields, nobodyLeftBy: ['Born', 'Seen', 'Guide'] };
  const error: unknown = await readCsv(Readable.from([Buffer.from(text)]), options).catch((thrown: unknown) => thrown);
  expect((error as CsvError).remedies.map(({ option }) => option)).toEqual(['dateOrder', 'dateOrder', 'yesNo']);
});
