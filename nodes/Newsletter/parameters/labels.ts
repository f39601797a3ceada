/** Finds the labels of parameters by the names of the API's fields, which the parameters have. */
import type { INodeProperties } from 'n8n-workflow';

/** Labels of the parameters, nested ones included, whose name is a word of the message. */
export function labelsIn(message: string, parameters: readonly INodeProperties[]): readonly string[] {
  const words = new Set(message.match(/\w+/g));
  return [...new Set(flatten(parameters).flatMap(({ name, displayName }) => (words.has(name) ? [displayName] : [])))];
}

/** Quoted labels of fields, for a sentence; a custom field by its own name. */
export function labelsOf(fields: readonly string[], parameters: readonly INodeProperties[]): string {
  const labels = new Map(flatten(parameters).map(({ name, displayName }) => [name, displayName]));
  return fields.map((name) => `"${/^custom_fields\.(.*)$/s.exec(name)?.[1] ?? labels.get(name) ?? name}"`).join(', ');
}

/** The parameters and those inside of collections. */
function flatten(parameters: readonly INodeProperties[]): readonly INodeProperties[] {
  return parameters.flatMap((parameter) => [
    parameter,
    ...(parameter.type === 'collection' ? flatten((parameter.options ?? []).filter(isParameter)) : []),
  ]);
}

function isParameter(option: NonNullable<INodeProperties['options']>[number]): option is INodeProperties {
  return 'type' in option && 'default' in option;
}
