/** Resource Custom Field. Update renames a field; Delete also deletes its values on every subscription. */
import { words } from '@newsletter-kit/core/contract';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { agentPermission } from '../parameters/agents.ts';
import { customField as locator } from '../parameters/locators.ts';
import { describe, select, text } from '../parameters/properties.ts';
import { readParameter } from '../parameters/read.ts';
import { recordIn, shapeOf } from '../records.ts';
import type { ItemOperation, ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const display = text({
  displayName: 'Name',
  name: 'display',
  required: true,
  placeholder: 'e.g. First Name',
  description: describe(words['customFields.create'].parameters.display),
});

const newName: INodeProperties = { ...display, displayName: 'New Name' };

const kind = select({
  displayName: 'Kind',
  name: 'kind',
  required: true,
  default: 'string',
  description: describe(words['customFields.create'].parameters.kind),
  options: [
    { name: 'Boolean', value: 'boolean' },
    { name: 'Date', value: 'date' },
    { name: 'Date and Time', value: 'datetime' },
    { name: 'List', value: 'list' },
    { name: 'Number', value: 'double' },
    { name: 'Text', value: 'string' },
    { name: 'Whole Number', value: 'integer' },
  ],
});

const first = { first: ['id', 'display'] };
const record = shapeOf('customFields.get', first);

const create: ItemOperation = {
  name: 'Create',
  description: 'Create a custom field',
  action: 'Create a custom field',
  record,
  properties: [display, kind],
  async execute(context) {
    const args = {
      display: readParameter(context, display),
      kind: readParameter(context, kind),
    } as Arguments<'customFields.create'>;
    return [recordIn(await context.engine.call('customFields.create', args, context.call))];
  },
};

const agents = agentPermission(
  'allowAgentsToDeleteFields',
  'Allow Agents to Delete Custom Fields',
  'delete a custom field, and its values on every subscription',
);

const deleteField: ItemOperation = {
  name: 'Delete',
  description: 'Delete a custom field and its values on every subscription',
  action: 'Delete a custom field',
  properties: [locator, agents.property],
  async execute(context) {
    agents.check(context.node);
    await context.engine.call('customFields.delete', { id: String(readParameter(context, locator)) }, context.call);
    return [{ deleted: true }];
  },
};

const update: ItemOperation = {
  name: 'Update',
  description: 'Rename a custom field',
  action: 'Update a custom field',
  record,
  properties: [locator, newName],
  async execute(context) {
    const args = { id: String(readParameter(context, locator)), display: String(readParameter(context, newName)) };
    return [recordIn(await context.engine.call('customFields.update', args, context.call))];
  },
};

export const customField: ResourceDefinition = {
  contract: 'customFields',
  name: 'Custom Field',
  operations: {
    create,
    delete: deleteField,
    get: getOne('customFields.get', { record: first, path: { id: locator } }),
    getMany: getMany('customFields.list', { record: first }),
    update,
  },
};
