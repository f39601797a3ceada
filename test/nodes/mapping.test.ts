/** The mapping of input fields: each is sent to the service, or named to the user. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { clientOf, itemlessContext, type Run } from './context.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const ada = 'ada.lovelace@example.com';
/** Names of custom fields that mean something in expressions, in paths, or nowhere. */
const odd = ['a]b', 'Company.Name', '📍 City'];

beforeEach(async () => {
  for (const display of odd) await clientOf(bench.sandbox).customFields.create({ display, kind: 'string' });
});

interface Outcome {
  /** Everything that was sent, as one text. */
  readonly sent: string;
  /** Hints, and errors of items, as one text. */
  readonly told: string;
}

async function run(operation: string, parameters: Run['parameters'], item: object): Promise<Outcome> {
  const sent: unknown[] = [];
  const hints: { message: string }[] = [];
  const fetch: typeof bench.sandbox.fetch = async (input, init) => {
    if (init?.method === 'POST' || init?.method === 'PATCH') sent.push(JSON.parse(String(init.body)));
    return bench.prompt.fetch(input, init);
  };
  const more = { items: [{ email: ada, ...item }], hints, sandbox: { fetch }, continueOnFail: true };
  const items = await bench.run('subscription', operation, parameters, more);
  const errors = items.map(({ json }) => [json['error'], json['reason']]);
  return { sent: JSON.stringify(sent), told: JSON.stringify([hints.map(({ message }) => message), errors]) };
}

const automatic = { mappingMode: 'autoMapInputData', value: null };
const manual = (value: object) => ({ mappingMode: 'defineBelow', value });
let created = 0;
const operations = {
  create: { email: () => `new${(created += 1)}@example.com` },
  createOrUpdate: { email: ada },
  update: { subscription: { mode: 'email', value: ada }, waitForCompletion: false },
  bulkUpdate: { subscription: { mode: 'email', value: ada }, waitForCompletion: false },
  bulkImport: {},
} as const;
type Operation = keyof typeof operations;

/** Parameters of the operation by which all input fields are mapped, or these custom fields alone. */
const mapped = (operation: Operation, fields: object | 'all'): Run['parameters'] => ({
  ...operations[operation],
  customFields: fields === 'all' ? automatic : manual(fields),
  ...(operation === 'bulkImport' && { mapping: fields === 'all' ? 'autoMapInputData' : 'defineBelow', email: ada }),
});

/** Whether the text has this name as JSON has it, once or twice encoded. */
const names = (text: string, name: string): boolean => {
  const once = JSON.stringify(name).slice(1, -1);
  return text.includes(once) || text.includes(JSON.stringify(once).slice(1, -1));
};

const columns = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom(
      ...odd,
      'utm_source',
      'UTM Medium',
      'tier',
      'Company',
      'First Name',
      'FNAME',
      'status',
      'id',
      'Note',
    ),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((name) => name.trim() !== '' && !/email/i.test(name)),
  ),
  { minLength: 1, maxLength: 6 },
);
const valueOf = (name: string, index: number): string => (name === 'tier' ? 'premium' : `value-${index}-`);

describe.each(Object.keys(operations) as Operation[])('%s', (operation) => {
  it('sends each field of an input item that is mapped automatically, or names it', async () => {
    await fc.assert(
      fc.asyncProperty(columns, async (chosen) => {
        const item = Object.fromEntries(chosen.map((name, index) => [name, valueOf(name, index)]));
        const { sent, told } = await run(operation, mapped(operation, 'all'), item);
        const lost = Object.entries(item).filter(([name, value]) => !sent.includes(value) && !names(told, name));
        expect(lost, `${sent} ${told}`).toEqual([]);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 15) },
    );
  });

  it('sends each custom field that is mapped manually, or names it', async () => {
    const fields = Object.fromEntries(
      [...odd, 'First Name', 'No such field'].map((name, at) => [name, `value-${at}-`]),
    );
    const { sent, told } = await run(operation, mapped(operation, fields), { note: 'not mapped' });
    expect(Object.entries(fields).filter(([name, value]) => !sent.includes(value) && !names(told, name))).toEqual([]);
    expect(names(told, 'note')).toBe(false);
  });
});

it('fills other parameters of the operation too, of which those that are set win', async () => {
  const parameters = { ...mapped('createOrUpdate', 'all'), additionalFields: { utm_source: 'set' } };
  const { sent, told } = await run('createOrUpdate', parameters, { utm_source: 'fair', tier: 'premium', Company: 'x' });
  expect(sent).toContain('"utm_source":"set"');
  expect(sent).toContain('"tier":"premium"');
  expect(told).toContain('named like the input fields \\"Company\\"; they were left out');
});

it('never reactivates, and says so', async () => {
  const { sent, told } = await run('createOrUpdate', mapped('createOrUpdate', 'all'), { reactivate_existing: true });
  expect([sent.includes('reactivate_existing'), names(told, 'reactivate_existing')]).toEqual([false, true]);
});

it('does not name what the signup trigger adds about consent', async () => {
  const item = { signup: { consent_given: true, fields: {} }, custom_fields: [{ name: 'First Name', value: 'Ada' }] };
  const { sent, told } = await run('createOrUpdate', mapped('createOrUpdate', 'all'), item);
  expect([sent.includes('"First Name"'), told]).toEqual([true, '[[],[[null,null]]]']);
});

it('says that a publication has no custom fields only where it has none', async () => {
  const loaded = () =>
    bench.bundle.newsletter.methods.resourceMapping.getCustomFields.call(
      itemlessContext({ sandbox: bench.sandbox, parameters: {} }),
    );
  expect(await loaded()).not.toHaveProperty('emptyFieldsNotice');
  const { customFields } = clientOf(bench.sandbox);
  for (const { id } of (await customFields.list()).items) await customFields.delete({ id });
  expect(await loaded()).toEqual({ fields: [], emptyFieldsNotice: 'This publication has no custom fields yet.' });
});
