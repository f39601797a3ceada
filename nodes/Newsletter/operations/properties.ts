/** Makes the node's parameters out of the registry: resource, operation, publication, then each operation's own. */
import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';
import { authentication } from '../parameters/authentication.ts';
import { byName, choice } from '../parameters/propertyBuilders.ts';
import { publication } from '../parameters/publication.ts';
import { outputOf } from '../records/output.ts';
import type { OperationDefinition, ResourceDefinition } from './definition.ts';

const resource: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  default: '',
};

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  default: '',
};

type Registry = Readonly<Record<string, ResourceDefinition>>;

/** What a new node begins with: what most people add it for. */
const first = { resource: 'subscription', operation: 'createOrUpdate' } as const;

/** Every parameter of the node. */
export function nodeProperties(resources: Registry): INodeProperties[] {
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
        updateDisplayOptions({ show: { resource: [value], operation: [name] } }, parametersOf(definition)),
      ),
    ),
  ];
}

/** The parameters of an operation in both versions of the node; what only one version has is shown for it alone. */
function parametersOf({ version1, ...current }: OperationDefinition): INodeProperties[] {
  const now = own(current);
  if (version1 === undefined) return now;
  const before = own(version1);
  return [
    ...updateDisplayOptions(
      { show: { '@version': [1] } },
      before.filter((parameter) => !now.includes(parameter)),
    ),
    ...now.flatMap((parameter) =>
      before.includes(parameter) ? parameter : updateDisplayOptions({ show: { '@version': [2] } }, [parameter]),
    ),
  ];
}

/** Output stands where n8n's own nodes have it: before the collections Filters and Options. */
function own({ properties, record }: Pick<OperationDefinition, 'properties' | 'record'>): INodeProperties[] {
  const choosable = properties.findIndex(({ name }) => name === 'filters' || name === 'options');
  return properties.toSpliced(choosable < 0 ? properties.length : choosable, 0, ...(record ? outputOf(record) : []));
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
