/** The registry of the node's resources, and the parameters of the node made from it. */
import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import { authentication, publication } from '../parameters/connection.ts';
import { byName, choice } from '../parameters/properties.ts';
import { outputOf } from '../records.ts';
import { automation, journey } from './automation.ts';
import { customField } from './customField.ts';
import { dataDeletion } from './dataDeletion.ts';
import type { OperationDefinition, ResourceDefinition } from './definition.ts';
import { bulkUpdateJob, readOnlyResources } from './readOnly.ts';
import { bulkImport } from './subscription/bulkImport.ts';
import { create, createOrUpdate } from './subscription/create.ts';
import { get, getMany } from './subscription/read.ts';
import { reportSources } from './subscription/reportSources.ts';
import { bulkUpdate, update } from './subscription/update.ts';
import { updateStatus } from './subscription/updateStatus.ts';

const subscription: ResourceDefinition = {
  contract: 'subscriptions',
  name: 'Subscription',
  operations: { bulkImport, bulkUpdate, create, createOrUpdate, get, getMany, reportSources, update, updateStatus },
};

const ownDefinitions = {
  automation,
  bulkUpdateJob,
  customField,
  dataDeletion,
  journey,
  subscription,
};

const all = {
  ...ownDefinitions,
  ...readOnlyResources(new Set(Object.values(ownDefinitions).map(({ contract }) => contract))),
};

/** Every resource of the node. The key is its value in a workflow and must never change. */
export const resources: Readonly<Record<string, ResourceDefinition>> = Object.fromEntries(
  Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

const selector = { type: 'options', noDataExpression: true, default: '' } as const;
const resource: INodeProperties = { ...selector, displayName: 'Resource', name: 'resource' };
const operation: INodeProperties = { ...selector, displayName: 'Operation', name: 'operation' };

/** The defaults of a new node: its most frequent use. */
const first = { resource: 'subscription', operation: 'createOrUpdate' } as const;

/** Every parameter of the node: resource, operation, publication, then each operation's own. */
export function nodeProperties(): INodeProperties[] {
  const entries = Object.entries(resources);
  return [
    authentication,
    choice(resource, byName(entries.map(([value, { name }]) => ({ name, value }))), first.resource),
    ...entries.map(([value, definition]) => operationOf(value, definition)),
    {
      ...publication,
      displayOptions: { hide: { resource: entries.flatMap(([value, { workspace }]) => (workspace ? [value] : [])) } },
    },
    ...entries.flatMap(([value, { operations }]) =>
      Object.entries(operations).flatMap(([name, definition]) =>
        updateDisplayOptions({ show: { resource: [value], operation: [name] } }, withOutput(definition)),
      ),
    ),
  ];
}

/** The parameters of an operation. Output stands where n8n's own nodes have it: before Filters and Options. */
function withOutput({ properties, record }: OperationDefinition): INodeProperties[] {
  const collections = properties.findIndex(({ name }) => name === 'filters' || name === 'options');
  return properties.toSpliced(
    collections < 0 ? properties.length : collections,
    0,
    ...(record ? outputOf(record) : []),
  );
}

function operationOf(resourceValue: string, { operations }: ResourceDefinition): INodeProperties {
  const options = Object.entries(operations).map(([value, { name, description, action }]) => ({
    name,
    value,
    description,
    action,
  }));
  return {
    ...choice(operation, byName(options), first.operation),
    displayOptions: { show: { resource: [resourceValue] } },
  };
}
