/** Rows of an import with every kind of mistake, for the tests of Bulk Import. */

type Row = Record<string, unknown>;

/** A kind of mistake. */
export interface Mistake {
  readonly name: string;
  /** The columns that the mistake changes or adds; undefined removes a column. */
  readonly columns: Row | ((before: Row) => Row);
  /** The reason with Map Automatically, which names the column. */
  readonly automatically: string;
  /** The reason with Map Each Column Manually, which names the parameter. Left out for mistakes of headings. */
  readonly manually?: string;
}

const anAddress = 'must be an e-mail address such as name@example.com';
const noAddress = '"email" is missing: the item has "First Name", "team_size", "Wants print", "Birthday", ';

const address = (name: string, entered: unknown): Mistake => ({
  name,
  columns: { 'E-Mail': entered },
  automatically: `"E-Mail" ${anAddress}`,
  manually: `"Email" ${anAddress}`,
});

/** A column that fills a custom field. */
const custom = (column: string, field: string, entered: unknown, must: string): Mistake => ({
  name: `${column}: ${JSON.stringify(entered)}`,
  columns: { [column]: entered },
  automatically:
    column === field
      ? `The custom field "${field}" must be ${must}`
      : `"${column}" must be ${must}, because it fills the custom field "${field}"`,
  manually: `The custom field "${field}" must be ${must}`,
});

/** A column with the API's name of a field. */
const named = (column: string, label: string, entered: unknown, must: string): Mistake => ({
  name: `${column}: ${JSON.stringify(entered)}`,
  columns: { [column]: entered },
  automatically: `"${column}" must ${must}`,
  manually: `"${label}" must ${must}`,
});

export const mistakes: readonly Mistake[] = [
  {
    name: 'no address',
    columns: { 'E-Mail': undefined },
    automatically: noAddress,
    manually: '"Email" is empty',
  },
  {
    name: 'an empty address',
    columns: { 'E-Mail': ' ' },
    automatically: '"E-Mail" is empty',
    manually: '"Email" is empty',
  },
  address('an address with a name', 'Ada <ada@example.com>'),
  address('a number for an address', 42),
  {
    name: 'a list for an address',
    columns: { 'E-Mail': ['ada@example.com'] },
    automatically: '"E-Mail" must be a text',
    manually: '"Email" must be a text',
  },
  {
    name: 'the address of an earlier row, in other letters',
    columns: (before) => ({ 'E-Mail': String(before['E-Mail']).toUpperCase() }),
    automatically: 'An earlier item has the same address: item ',
    manually: 'An earlier item has the same address: item ',
  },
  {
    name: 'two columns with addresses',
    columns: { 'Email Address': 'other@example.com' },
    automatically: '"E-Mail" and "Email Address" both fill "email" and differ; leave one of them out',
  },
  {
    name: 'two columns for a custom field',
    columns: { first_name: 'Somebody' },
    automatically:
      '"First Name" and "first_name" both fill the custom field "First Name" and differ; leave one of them out',
  },
  custom('First Name', 'First Name', { first: 'Ada' }, 'a text'),
  custom('team_size', 'Team size', 'many', 'a whole number'),
  custom('Wants print', 'Wants print', 'perhaps', 'true or false'),
  custom('Birthday', 'Birthday', '31.31.1990', 'a day such as 2026-01-31'),
  custom('Last visit', 'Last visit', 'soon', 'a time such as 2026-01-31T12:00:00Z'),
  custom('Topics', 'Topics', '[boats]', 'a list, or texts with commas between them'),
  custom('Berth length', 'Berth length', '7.2.5', 'a number such as 1.5'),
  named('tier', 'Tier', 'gold', 'be one of free, premium'),
  named('utm_source', 'UTM Source', { name: 'fair' }, 'be a text'),
  named('send_welcome_email', 'Send Welcome Email', 'perhaps', 'be true or false'),
  {
    name: 'an automation by its name',
    columns: { automation_ids: 'welcome' },
    automatically: '"automation_ids[0]" must look like aut_<uuid>',
    manually: '"Automations[0]" must look like aut_<uuid>',
  },
  named('complimentary_gift_id', 'Complimentary Gift', 'gift', 'look like comp_access_<uuid>'),
];

/** A row, and the mistake in it. */
export interface ImportRow {
  readonly row: Row;
  readonly mistake: Mistake | undefined;
}

/** Rows of which about a tenth has a mistake; the seed decides the places of the mistakes, which come in turn. */
export function importRows(count: number, of: readonly Mistake[] = mistakes, seed = 17): readonly ImportRow[] {
  const rows: ImportRow[] = [];
  let state = seed;
  let next = 0;
  let before: Row = goodRow(0);
  for (let index = 0; index < count; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const row = goodRow(index);
    const mistake = index > 0 && state % 10_007 < 1_000 ? of[next++ % of.length] : undefined;
    if (mistake === undefined) before = row;
    const { columns } = mistake ?? { columns: {} };
    const all = { ...row, ...(typeof columns === 'function' ? columns(before) : columns) };
    rows.push({ row: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), mistake });
  }
  return rows;
}

function goodRow(index: number): Row {
  return {
    'E-Mail': `reader.${index}@example.com`,
    'First Name': `Reader ${index}`,
    team_size: String(index),
    'Wants print': index % 2 === 0 ? 'Yes' : 'no',
    Birthday: '1990-12-10',
    'Last visit': '2026-01-10 09:30',
    Topics: 'boats, food',
    'Berth length': '7.25',
    tier: 'free',
    utm_source: 'import',
  };
}

/** The same columns with Map Each Column Manually. */
export const mappedManually = {
  mapping: 'defineBelow',
  email: '={{ $json["E-Mail"] }}',
  customFields: {
    mappingMode: 'defineBelow',
    value: Object.fromEntries(
      [
        ['First Name', 'First Name'],
        ['Team size', 'team_size'],
        ['Wants print', 'Wants print'],
        ['Birthday', 'Birthday'],
        ['Last visit', 'Last visit'],
        ['Topics', 'Topics'],
        ['Berth length', 'Berth length'],
      ].map(([field, column]) => [field, `={{ $json["${column}"] }}`]),
    ),
  },
  additionalFields: {
    tier: '={{ $json.tier }}',
    utm_source: '={{ $json.utm_source }}',
    send_welcome_email: '={{ $json.send_welcome_email }}',
    automation_ids: {
      automations: [{ automationId: { __rl: true, mode: 'id', value: '={{ $json.automation_ids }}' } }],
    },
    complimentary_gift_id: { __rl: true, mode: 'id', value: '={{ $json.complimentary_gift_id }}' },
  },
};
