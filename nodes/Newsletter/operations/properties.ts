/** Makes the node's parameters out of the registry: resource, operation, publication, then each operation's own. */
import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';
import { byName, choice } from '../parameters/choice.ts';
import { publication } from '../parameters/publication.ts';
import type { ResourceDefinition } from './definition.ts';

const resource: INodeProperties = { displayName: 'Resource', name: 'resource', type: 'options', noDataExpression: true, default: '' };

const operation: INodeProperties = { displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, default: '' };

type Registry = Readonly<Record<string, ResourceDefinition>>;

/** Every parameter of the node. */
export function nodeProperties(resources: Registry): INodeProperties[] {
  const entries = Object.entries(resources);
  return [
    choice(resource, byName(entries.map(([value, { name }]) => ({ name, value })))),
    ...entries.map(([value, definition]) => operationOf(value, definition)),
    publication,
    ...entries.flatMap(([value, { operations }]) =>
      Object.entries(operations).flatMap(([name, { properties }]) =>
        updateDisplayOptions({ show: { resource: [value], operation: [name] } }, [...properties]),
      ),
    ),
  ];
}

function operationOf(resourceValue: string, { operations }: ResourceDefinition): INodeProperties {
  const options = Object.entries(operations).map(([value, { name, description, action }]) => ({ name, value, description, action }));
  return { ...choice(operation, byName(options)), displayOptions: { show: { resource: [resourceValue] } } };
}
