/** "Other Fields (JSON)": fields of the service that the specification does not have. */
import { beforeEach, describe, expect, it } from 'vitest';
import { offered } from './parameters.ts';
import { workbench } from './workbench.ts';

const bench = workbench();
const given = { loyalty_level: 'gold', shoe: { size: 42 } };
const field = 'otherFieldsJson';

type Fields = Readonly<Record<string, unknown>>;

/** The bodies that were written. */
const sent: Fields[] = [];
beforeEach(() => {
  sent.length = 0;
});

/** What the operations add to the parameters that a person fills in. */
const operations: Readonly<Record<string, (fields: Fields) => Fields>> = {
  create: (additionalFields) => ({ email: 'new@example.com', additionalFields }),
  createOrUpdate: (additionalFields) => ({ email: 'new@example.com', additionalFields }),
  update: (updateFields) => ({ subscription: { mode: 'email', value: 'ada.lovelace@example.com' }, updateFields }),
  bulkUpdate: (updateFields) => ({ subscription: 'sub_00000000-0000-4000-8000-000000000001', updateFields }),
};

async function run(operation: string, fields: Fields, hints: { message: string }[] = []) {
  const parameters = { customFields: {}, waitForCompletion: false, ...operations[operation]?.(fields) };
  const sandbox = {
    fetch(input: string | URL | Request, init?: RequestInit) {
      if (typeof init?.body === 'string') sent.push(JSON.parse(init.body) as Fields);
      return bench.sandbox.fetch(input, init);
    },
  };
  return bench.run('subscription', operation, parameters, { hints, sandbox });
}

describe.each(Object.keys(operations))('Other Fields (JSON) of %s', (operation) => {
  it.each([
    ['a text', JSON.stringify(given)],
    ['an object of an expression', given],
  ])('are sent as entered, %s, and told', async (_, entered) => {
    const hints: { message: string }[] = [];
    await run(operation, { [field]: entered, tier: 'free' }, hints).catch(() => undefined);
    const [body = {}] = sent;
    const [item = body] = (body['subscriptions'] as readonly Fields[] | undefined) ?? [];
    expect(item).toMatchObject({ ...given, tier: 'free' });
    expect(item).not.toHaveProperty(field);
    for (const name of Object.keys(given))
      expect(hints.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(new RegExp(`${name}": is not in the specification; sent as it is`)),
      );
  });

  it.each([
    'reactivate_existing',
    'Reactivate-Existing',
    'double_opt_override',
    'double_opt_overide',
    'send_welcome_email',
    'automation_ids',
    'unsubscribe',
    'new_status',
    'status',
    'email',
    'custom_fields',
    'subscription_id',
    'publicationId',
    '__proto__',
  ])('do not take %s', async (name) => {
    await expect(run(operation, { [field]: `{ "${name}": true }` })).rejects.toThrow(
      `"Other Fields (JSON)" must not hold "${name}"; `,
    );
    expect(sent).toEqual([]);
  });

  it.each(['[1]', '"text"', '{', 7])('must be an object, not %s', async (entered) => {
    await expect(run(operation, { [field]: entered })).rejects.toThrow(
      '"Other Fields (JSON)" must be a JSON object, such as { "name": "value" }',
    );
    expect(sent).toEqual([]);
  });

  it('may be empty', async () => {
    for (const entered of ['', '{}', null])
      await run(operation, { [field]: entered, tier: 'premium' }).catch(() => undefined);
    expect(JSON.stringify(sent)).not.toContain(field);
  });
});

it('an error names the parameter to use', async () => {
  const entered = (name: string) => ({ [field]: { [name]: 'x' } });
  await expect(run('createOrUpdate', entered('reactivate_existing'))).rejects.toThrow(
    '; use "Reactivate Someone Who Unsubscribed" instead',
  );
  await expect(run('create', entered('utm_sorce'))).rejects.toThrow('; use "UTM Source" instead');
  await expect(run('update', entered('customfields'))).rejects.toThrow('; use "Custom Fields" instead');
  for (const operation of ['create', 'update'])
    await expect(run(operation, entered('reactivate_existing'))).rejects.toThrow('; this operation does not set it');
  await expect(run('create', { ...entered('stripe_customer_id'), payments_customer_id: 'cus_1' })).rejects.toThrow(
    '; use "Payments Customer ID" instead',
  );
});

it('Bulk Import offers none: its importer takes no unknown fields', () => {
  const offering = offered(bench.bundle).flatMap(({ operation, properties }) =>
    properties.some(({ options = [] }) => options.some(({ name }) => name === field)) ? [operation] : [],
  );
  expect(offering.toSorted()).toEqual(Object.keys(operations).toSorted());
});

it('a customer ID may be sent under the name of published clients', async () => {
  await run('create', { [field]: { stripe_customer_id: 'cus_1' } });
  expect(sent).toMatchObject([{ stripe_customer_id: 'cus_1' }]);
});
