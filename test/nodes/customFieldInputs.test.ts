/**
 * The conversion of a custom field depends on its value alone: not on the way of input, on other fields, or on the kind
 * that the field had when the workflow was saved.
 */
import { describe, expect, it } from 'vitest';
import { itemlessContext } from './context.ts';
import { issuesBeforeStart } from './expressions.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

type Values = Readonly<Record<string, unknown>>;

/** An entered value and the sent value; undefined where it is rejected. */
type Case = readonly [entered: unknown, sent: unknown];

const berlin = 'Europe/Berlin';

/** By the custom field of the demo publication, of which there is one for each kind. */
const cases: Readonly<Record<string, { readonly expected: string; readonly values: readonly Case[] }>> = {
  'First Name': {
    expected: 'a text',
    values: [
      ['Ada', 'Ada'],
      [' Ada ', ' Ada '],
      [7, '7'],
      [true, 'true'],
      [{ first: 'Ada' }, undefined],
    ],
  },
  'Team size': {
    expected: 'a whole number',
    values: [
      [12, 12],
      ['12', 12],
      [' 12 ', 12],
      ['1e3', 1000],
      [1.5, undefined],
      ['1,000', undefined],
      ['0x10', undefined],
      ['many', undefined],
      [true, undefined],
      [[12], undefined],
    ],
  },
  'Berth length': {
    expected: 'a number such as 1.5',
    values: [
      [1.5, 1.5],
      ['1.5', 1.5],
      ['-.5', -0.5],
      ['1,5', 1.5],
      ['1.234,5', 1234.5],
      ['12 m', undefined],
      [false, undefined],
    ],
  },
  'Wants print': {
    expected: 'true or false',
    values: [
      [true, true],
      ['TRUE', true],
      ['false', false],
      [1, true],
      ['0', false],
      ['yes', true],
      ['N', false],
      [2, undefined],
      ['maybe', undefined],
      [{}, undefined],
    ],
  },
  Birthday: {
    expected: 'a day such as 2026-01-31',
    values: [
      ['2026-11-20', '2026-11-20'],
      ['2026-11-20T00:00:00', '2026-11-20'],
      ['2026-11-20T23:30:00-05:00', '2026-11-20'],
      ['Fri, 20 Nov 2026 09:30:00 GMT', '2026-11-20'],
      ['2026-02-31', undefined],
      ['20.11.2026', '2026-11-20'],
      ['11/12/2026', undefined],
      ['tomorrow', undefined],
      [5, undefined],
      ['day 3', undefined],
    ],
  },
  'Last visit': {
    expected: 'a time such as 2026-01-31T12:00:00Z',
    values: [
      ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00Z'],
      ['2026-11-20T09:30:00+05:00', '2026-11-20T09:30:00+05:00'],
      ['2026-11-20T09:30', '2026-11-20T09:30:00+01:00'],
      ['2026-07-20 09:30:15', '2026-07-20T09:30:15+02:00'],
      ['20.7.2026 9:30', '2026-07-20T09:30:00+02:00'],
      ['2026-11-20', '2026-11-20T00:00:00+01:00'],
      ['2026-02-31T09:30', undefined],
      ['soon', undefined],
      [1_763_600_000, '2025-11-20T00:53:20Z'],
    ],
  },
  Topics: {
    expected: 'a list, or texts with commas between them',
    values: [
      ['boats, food', ['boats', 'food']],
      ['boats', ['boats']],
      [
        ['boats', 'food'],
        ['boats', 'food'],
      ],
      ['["boats", "food, drink"]', ['boats', 'food, drink']],
      ["['boats']", ['boats']],
      [7, ['7']],
      ['[boats', ['[boats']],
      ['[boats]', undefined],
      [[{ name: 'boats' }], undefined],
      [{ name: 'boats' }, undefined],
    ],
  },
};

/** The ways of input: the stored parameter, and the input item. */
const ways: Readonly<Record<string, (field: string, value: unknown) => { mapped: Values | 'auto'; item: Values }>> = {
  'a fixed value': (field, value) => ({ mapped: { [field]: value }, item: {} }),
  'an expression that names an input field': (field, value) => ({
    mapped: { [field]: '={{ $json.value }}' },
    item: { value },
  }),
  'an expression that computes': (field, value) => ({
    mapped: { [field]: '={{ [$json.value].map((one) => one)[0] }}' },
    item: { value },
  }),
  'Map Automatically': (field, value) => ({ mapped: 'auto', item: { [field]: value } }),
};

/** Values that the input of a field cannot hold: n8n does not start a workflow with a fixed value of that kind. */
const notAsFixed: Readonly<Record<string, readonly unknown[]>> = {
  'Wants print': ['yes', 'N'],
  Birthday: ['20.11.2026'],
  'Berth length': ['1,5', '1.234,5'],
  'Last visit': ['20.7.2026 9:30', 1_763_600_000],
};

/** The types of the inputs in a saved workflow; in an `outdated` one, Topics was a number. */
async function schemaOf(saved: 'current' | 'outdated') {
  const { fields } = await bench.bundle.newsletter.methods.resourceMapping.getCustomFields.call(
    itemlessContext({ sandbox: bench.sandbox, parameters: {} }),
  );
  return (fields as { id: string; type: string }[]).map((field) =>
    saved === 'outdated' && field.id === 'Topics' ? { ...field, type: 'number' } : field,
  );
}

let created = 0;

/** The value of a custom field that the operation sends, or the reason of the rejection. */
async function outcome(
  operation: string,
  way: string,
  field: string,
  value: unknown,
  saved: 'current' | 'outdated' = 'current',
): Promise<unknown> {
  const { mapped, item } = ways[way]!(field, value);
  const customFields = {
    mappingMode: mapped === 'auto' ? 'autoMapInputData' : 'defineBelow',
    value: mapped === 'auto' ? null : mapped,
    schema: await schemaOf(saved),
  };
  const subscription = { mode: 'email', value: 'ada.lovelace@example.com' };
  // Create rejects an existing address.
  const email = operation === 'create' ? `new.${(created += 1)}@example.com` : subscription.value;
  const stored = { email, mapping: 'defineBelow', customFields, additionalFields: {} };
  const parameters = { resource: 'subscription', operation, subscription, ...stored };
  const issues = Object.values(issuesBeforeStart(bench.bundle.newsletter.description, parameters, 'customFields'));
  if (issues.length > 0) return { refused: issues.join() };

  const sent: unknown[] = [];
  const fetch: typeof bench.sandbox.fetch = async (input, init) => {
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    const { custom_fields, subscriptions } = (body ?? {}) as { custom_fields?: unknown; subscriptions?: Values[] };
    if (body !== undefined) sent.push(custom_fields ?? subscriptions?.[0]?.['custom_fields']);
    const response = await bench.sandbox.fetch(input, init);
    if (init?.method === 'PATCH') bench.sandbox.clock.advance(5000);
    return response;
  };
  const items = await bench
    .run(
      'subscription',
      operation,
      { subscription },
      { stored, items: [{ ...item }], timezone: berlin, sandbox: { fetch } },
    )
    .catch((error: unknown) => [{ json: { reason: (error as Error).message } }]);
  const [fields] = sent;
  return Array.isArray(fields)
    ? (fields as { name: string; value: unknown }[]).find(({ name }) => name === field)?.value
    : { refused: items[0]?.json['reason'] };
}

describe.each(Object.entries(cases))('the custom field %s', (field, { expected, values }) => {
  it.each(values)('converts %j to %j, or rejects it, by every way of input', async (entered, sent) => {
    for (const way of Object.keys(ways)) {
      const fixed = way === 'a fixed value';
      if (fixed && notAsFixed[field]?.includes(entered)) continue;
      const got = await outcome('bulkImport', way, field, entered);
      if (sent !== undefined) expect(got, way).toEqual(sent);
      else if (fixed) expect(got, way).toEqual({ refused: expect.stringContaining(field) });
      else expect(got, way).toEqual({ refused: expect.stringContaining(`"${field}" must be ${expected}`) });
    }
  });
});

describe.each(['create', 'createOrUpdate', 'update'])('%s', (operation) => {
  it('converts every value as Bulk Import does', async () => {
    for (const [field, { values }] of Object.entries(cases)) {
      for (const [entered, sent] of values) {
        for (const way of Object.keys(ways).slice(1)) {
          const got = await outcome(operation, way, field, entered);
          expect(got, `${field}, ${JSON.stringify(entered)}, ${way}`).toEqual(
            sent ?? { refused: expect.stringContaining(field) },
          );
        }
      }
    }
  });
});

describe('a workflow saved when the field had another kind', () => {
  it.each(cases['Topics']!.values)('converts %j from an expression', async (entered, sent) => {
    for (const way of Object.keys(ways).slice(1))
      expect(await outcome('bulkImport', way, 'Topics', entered, 'outdated'), way).toEqual(
        sent ?? { refused: expect.stringContaining('"Topics"') },
      );
  });
});

it('reads a custom field correctly whatever the expression of another field', async () => {
  const schema = await schemaOf('outdated');
  const rows = [{ who: 'ada@example.com', likes: 'boats, food', team: '12' }];
  for (const email of ['={{ $json.who }}', '={{ $json.who.trim() }}', 'ada@example.com']) {
    const stored = {
      mapping: 'defineBelow',
      email,
      customFields: { mappingMode: 'defineBelow', value: { Topics: '={{ $json.likes }}' }, schema },
      additionalFields: {},
    };
    const items = await bench.run('subscription', 'bulkImport', {}, { stored, items: rows });
    expect(items.map(({ json }) => [json['status'], json['reason']])).toEqual([['accepted', null]]);
  }
});
