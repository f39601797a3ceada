/**
 * The conversion of a custom field depends on its value alone: not on the way of input, on other fields, or on the kind
 * that the field had when the workflow was saved.
 */
import { expect, it } from 'vitest';
import { itemlessContext } from './context.ts';
import { issuesBeforeStart } from './expressions.ts';
import { workbench } from './workbench.ts';

const bench = workbench();

type Values = Readonly<Record<string, unknown>>;

const berlin = 'Europe/Berlin';

/** What is entered, and what is sent; undefined where it is rejected. */
interface Case {
  /** The custom field of the demo publication, of which there is one for each kind. */
  readonly field: string;
  readonly entered: unknown;
  readonly sent?: unknown;
  /** The input of the field cannot hold it: n8n does not start a workflow with a fixed value of that kind. */
  readonly isUnfixed?: true;
}

/** A right and a wrong value of each kind; what else each kind takes is core's (packages/core/test/import). */
const cases: readonly Case[] = [
  { field: 'First Name', entered: ' Ada ', sent: ' Ada ' },
  { field: 'First Name', entered: { first: 'Ada' } },
  { field: 'Team size', entered: '12', sent: 12 },
  { field: 'Team size', entered: 1.5 },
  { field: 'Berth length', entered: '-.5', sent: -0.5 },
  { field: 'Berth length', entered: '1.234,5', sent: 1234.5, isUnfixed: true },
  { field: 'Berth length', entered: '12 m' },
  { field: 'Wants print', entered: '0', sent: false },
  { field: 'Wants print', entered: 'yes', sent: true, isUnfixed: true },
  { field: 'Wants print', entered: 2 },
  { field: 'Birthday', entered: '2026-11-20T23:30:00-05:00', sent: '2026-11-20' },
  { field: 'Birthday', entered: 'Fri, 20 Nov 2026 09:30:00 GMT', sent: '2026-11-20' },
  { field: 'Birthday', entered: '20.11.2026', sent: '2026-11-20', isUnfixed: true },
  { field: 'Birthday', entered: '2026-02-31' },
  { field: 'Birthday', entered: 'day 3' },
  // A time without a zone is in that of the workflow.
  { field: 'Last visit', entered: '2026-11-20T09:30:00+05:00', sent: '2026-11-20T09:30:00+05:00' },
  { field: 'Last visit', entered: '2026-07-20 09:30:15', sent: '2026-07-20T09:30:15+02:00' },
  { field: 'Last visit', entered: '2026-11-20', sent: '2026-11-20T00:00:00+01:00' },
  { field: 'Last visit', entered: 1_763_600_000, sent: '2025-11-20T00:53:20Z', isUnfixed: true },
  { field: 'Last visit', entered: 'soon' },
  { field: 'Topics', entered: 'boats, food', sent: ['boats', 'food'] },
  { field: 'Topics', entered: ['boats', 'food'], sent: ['boats', 'food'] },
  { field: 'Topics', entered: 7, sent: ['7'] },
  { field: 'Topics', entered: '[boats]' },
];

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

const computed = Object.keys(ways).slice(1);

it.each(cases)('$field: $entered becomes $sent, or is rejected, by every way of input', async (given) => {
  const { field, entered, sent, isUnfixed } = given;
  for (const way of isUnfixed ? computed : Object.keys(ways)) {
    const refused = way === 'a fixed value' ? field : `"${field}" must be `;
    const got = await outcome('bulkImport', way, field, entered);
    expect(got, way).toEqual(sent ?? { refused: expect.stringContaining(refused) });
  }
});

it.each(['create', 'createOrUpdate', 'update'])('%s converts every value as Bulk Import does', async (operation) => {
  for (const [index, { field, entered, sent }] of cases.entries()) {
    const way = computed[index % computed.length] ?? '';
    const got = await outcome(operation, way, field, entered);
    const refused = { refused: expect.stringContaining(field) };
    expect(got, `${field}, ${JSON.stringify(entered)}, ${way}`).toEqual(sent ?? refused);
  }
});

it('a workflow saved when the field had another kind converts the values of its expressions', async () => {
  for (const { field, entered, sent } of cases.filter((each) => each.field === 'Topics'))
    for (const way of computed)
      expect(await outcome('bulkImport', way, field, entered, 'outdated'), way).toEqual(
        sent ?? { refused: expect.stringContaining('"Topics"') },
      );
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
    expect(items.map(({ json }) => [json['import_status'], json['reason']])).toEqual([['accepted', null]]);
  }
});
