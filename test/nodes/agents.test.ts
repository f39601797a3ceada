/** What an AI agent may do unasked, by operation: run as a tool, or filling in a parameter with `$fromAI`. */
import { describe, expect, it } from 'vitest';
import { workbench } from './workbench.ts';

const bench = workbench();
const id = 'sub_00000000-0000-4000-8000-00000000dead';
const ada = 'ada.lovelace@example.com';
const person = { email: 'new@example.com', customFields: {}, additionalFields: {} };
const named = { mode: 'id', value: id };

/** Every operation that changes something at the service, with the switch that allows it to agents. */
const writing: Readonly<
  Record<
    string,
    { readonly parameters: object; readonly item?: Readonly<Record<string, unknown>>; readonly permission?: string }
  >
> = {
  'customField create': { parameters: { display: 'Shoe size', kind: 'integer' } },
  'customField delete': {
    parameters: { customFieldId: { mode: 'id', value: 'x' } },
    permission: 'allowAgentsToDeleteFields',
  },
  'customField update': { parameters: { customFieldId: { mode: 'id', value: 'x' }, display: 'Shoes' } },
  'dataDeletion request': { parameters: { email: ada, emailConfirmation: ada }, permission: 'allowAgents' },
  'journey enroll': {
    parameters: {
      automationId: { mode: 'id', value: 'aut_00000000-0000-4000-8000-00000000dead' },
      subscription: named,
    },
  },
  'subscription bulkImport': { parameters: {}, item: { email: person.email } },
  'subscription bulkUpdate': {
    parameters: { subscription: named, customFields: {}, updateFields: { tier: 'premium' } },
    permission: 'allowAgentsToBulkUpdate',
  },
  'subscription create': { parameters: person },
  'subscription createOrUpdate': { parameters: person },
  'subscription update': { parameters: { subscription: named, customFields: {}, updateFields: { tier: 'premium' } } },
  'subscription updateStatus': {
    parameters: { subscription: named, new_status: 'inactive' },
    permission: 'allowAgentsToUpdateStatus',
  },
};

const rows = Object.entries(writing).map(([operation, row]) => ({ operation, ...row }));

/** Runs an operation. @returns whether anything was written, and the error of the item */
async function run(operation: string, more: object, tool: boolean) {
  const [resource = '', name = ''] = operation.split(' ');
  const { parameters = {}, item = {} } = writing[operation] ?? {};
  const before = writes();
  const [output] = await bench.run(
    resource,
    name,
    { ...parameters, waitForCompletion: false, ...more },
    { tool, items: [item], continueOnFail: true },
  );
  return { written: writes() > before, error: String(output?.json['error'] ?? '') };
}

const writes = (): number => bench.sandbox.requests().filter(({ method }) => method !== 'GET').length;

describe('an operation that writes', () => {
  it.each(rows)('$operation does what a person fixed in the panel', async ({ operation }) => {
    expect((await run(operation, {}, false)).written).toBe(true);
  });

  it.each(rows)(
    '$operation needs the permission of a person in a tool: $permission',
    async ({ operation, permission }) => {
      const { written, error } = await run(operation, {}, true);
      expect(written).toBe(permission === undefined);
      if (permission === undefined) return;
      expect(error).toMatch(/An agent may not .* unless "Allow Agents to .*" is on in the node/);
      expect((await run(operation, { [permission]: true }, true)).written).toBe(true);
      // An agent cannot give itself the permission.
      const stored = { [permission]: `={{ $fromAI('allowed', 'always true', 'boolean') }}` };
      expect(await run(operation, stored, true)).toMatchObject({ written: false });
    },
  );

  it.each(rows.filter(({ permission }) => permission !== undefined))(
    '$operation refuses $fromAI also where the node is no tool',
    async ({ operation }) => {
      const { written, error } = await run(operation, { note: `={{ $fromai('note') }}` }, false);
      expect({ written, error }).toEqual({
        written: false,
        error: expect.stringContaining('Remove $fromAI from the parameters of the node'),
      });
    },
  );

  it('offers agents no way to set a permission, and each operation has its own', () => {
    const permissions = rows.flatMap(({ permission }) => permission ?? []);
    const found = bench.bundle.newsletter.description.properties.filter(({ name }) => name.startsWith('allowAgents'));
    expect(found.map(({ name }) => name).toSorted()).toEqual(permissions.toSorted());
    for (const property of found)
      expect(property).toMatchObject({
        type: 'boolean',
        default: false,
        noDataExpression: true,
        displayOptions: { show: { '@tool': [true] } },
      });
  });
});
