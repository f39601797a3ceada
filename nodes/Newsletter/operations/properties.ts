/** Makes the node's parameters out of the registry: resource, operation, publication, then each operation's own. */
import { updateDisplayOptions, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';
import { publication } from '../parameters/publication.ts';
import type { ResourceDefinition } from './definition.ts';

type Registry = Readonly<Record<string, ResourceDefinition>>;

/** Every parameter of the node. */
export function nodeProperties(resources: Registry): INodeProperties[] {
  const entries = Object.entries(resources);
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      default: entries[0]?.[0] ?? '',
      options: byName(entries.map(([value, { name }]) => ({ name, value }))),
    },
    ...entries.map(([resource, definition]) => operationProperty(resource, definition)),
    publication,
    ...entries.flatMap(([resource, { operations }]) =>
      Object.entries(operations).flatMap(([operation, { properties }]) =>
        updateDisplayOptions({ show: { resource: [resource], operation: [operation] } }, [...properties]),
      ),
    ),
  ];
}

function operationProperty(resource: string, { operations }: ResourceDefinition): INodeProperties {
  const options = byName(
    Object.entries(operations).map(([value, { name, description, action }]) => ({ name, value, description, action })),
  );
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: options[0]?.value ?? '',
    displayOptions: { show: { resource: [resource] } },
    options,
  };
}

function byName(options: INodePropertyOptions[]): INodePropertyOptions[] {
  return options.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}
