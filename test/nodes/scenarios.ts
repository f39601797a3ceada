/**
 * One successful run of every operation, against the demo publication. Get and Get Many follow from the registry of the
 * node.
 */
import type { ItemOperation } from '../../nodes/Newsletter/operations/definition.ts';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import type { Run } from './context.ts';
import type { Workbench } from './workbench.ts';

export interface Scenario {
  readonly resource: string;
  readonly operation: string;
  parameters?(bench: Workbench): Promise<Run['parameters']> | Run['parameters'];
  /** Default: one empty item. */
  readonly items?: NonNullable<Run['items']>;
}

const byEmail = { mode: 'email', value: 'ada.lovelace@example.com' };

/** Every value of Include. */
function included({ properties }: ItemOperation): readonly string[] {
  const options = properties.find(({ name }) => name === 'options')?.options ?? [];
  const include = options.find(({ name }) => name === 'expand');
  return include && 'options' in include
    ? (include.options ?? []).flatMap((option) => ('value' in option ? [String(option.value)] : []))
    : [];
}

/** Chooses the first record of each list that the operation's locators offer, in their order. */
async function chosen(bench: Workbench, { properties }: ItemOperation): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { name, modes = [] } of properties) {
    const method = modes.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? [])[0];
    if (method) values[name] = { mode: 'list', value: await bench.first(method, values) };
  }
  return values;
}

/** Records chosen by name, because they have more fields than the first of their list. */
const fixedChoices: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'subscription get': { subscription: byEmail },
};

/** Get and Get Many of every resource, with everything that Include adds. */
const reads = Object.entries(resources).flatMap(([resource, { operations }]) =>
  (['get', 'getMany'] as const).flatMap((operation): Scenario[] => {
    const definition = operations[operation];
    if (definition === undefined || !('execute' in definition)) return [];
    const fixed = fixedChoices[`${resource} ${operation}`];
    return [
      {
        resource,
        operation,
        parameters: async (bench) => {
          await prepare[resource]?.(bench);
          return {
            ...(operation === 'getMany' && { returnAll: true }),
            ...(fixed ?? (await chosen(bench, definition))),
            options: { expand: included(definition) },
          };
        },
      },
    ];
  }),
);

const automation = async (bench: Workbench) => ({
  automationId: { mode: 'list', value: await bench.first('searchAutomations') },
});
const request = {
  email: 'new+reader@example.com',
  customFields: { mappingMode: 'defineBelow', value: { 'First Name': 'Nova', 'No such field': 'x' } },
};

/** Creates the records of resources of which the demo publication has none. */
const prepare: Readonly<Record<string, (bench: Workbench) => Promise<unknown>>> = {
  bulkUpdateJob: (bench) =>
    bench.run('subscription', 'update', {
      subscription: byEmail,
      customFields: {},
      updateFields: { tier: 'premium' },
    }),
  dataDeletion: (bench) =>
    bench.run('dataDeletion', 'request', { email: byEmail.value, emailConfirmation: byEmail.value }),
};

export const scenarios: readonly Scenario[] = [
  ...reads,
  { resource: 'automation', operation: 'getEmails', parameters: automation },
  { resource: 'customField', operation: 'create', parameters: () => ({ display: 'Shoe size', kind: 'integer' }) },
  {
    resource: 'customField',
    operation: 'delete',
    parameters: async (bench) => ({ customFieldId: { mode: 'list', value: await bench.first('searchCustomFields') } }),
  },
  {
    resource: 'customField',
    operation: 'update',
    parameters: async (bench) => ({
      customFieldId: { mode: 'list', value: await bench.first('searchCustomFields') },
      display: 'Given Name',
    }),
  },
  {
    resource: 'dataDeletion',
    operation: 'request',
    parameters: () => ({ email: byEmail.value, emailConfirmation: byEmail.value }),
  },
  {
    resource: 'journey',
    operation: 'enroll',
    parameters: async (bench) => ({
      ...(await automation(bench)),
      subscription: { mode: 'email', value: 'ken@example.com' },
    }),
  },
  {
    resource: 'subscription',
    operation: 'bulkImport',
    items: [{ email: request.email }, { email: 'no address' }, { utm_source: 'fair' }],
  },
  {
    resource: 'subscription',
    operation: 'bulkUpdate',
    parameters: () => ({ subscription: byEmail, customFields: {}, updateFields: { tier: 'premium' } }),
  },
  { resource: 'subscription', operation: 'create', parameters: () => request },
  { resource: 'subscription', operation: 'createOrUpdate', parameters: () => request },
  {
    resource: 'subscription',
    operation: 'reportSources',
    parameters: () => ({ options: { includeStats: true } }),
  },
  {
    resource: 'subscription',
    operation: 'update',
    parameters: () => ({ subscription: byEmail, customFields: {}, updateFields: { tier: 'premium' } }),
  },
  {
    resource: 'subscription',
    operation: 'updateStatus',
    parameters: () => ({ subscription: byEmail, new_status: 'inactive' }),
  },
];
