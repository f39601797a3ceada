/**
 * Finds the parameters that a message of the service speaks of: it names its fields, which the parameters are named
 * after.
 */
import type { INodeProperties } from 'n8n-workflow';

/** The labels of these parameters, and of those inside of them, whose name is a word of the message. */
export function labelsIn(message: string, parameters: readonly INodeProperties[]): readonly string[] {
  const words = new Set(message.match(/\w+/g));
  return [...new Set(everyOne(parameters).flatMap(({ name, displayName }) => (words.has(name) ? [displayName] : [])))];
}

function everyOne(parameters: readonly INodeProperties[]): readonly INodeProperties[] {
  return parameters.flatMap((parameter) => [
    parameter,
    ...(parameter.type === 'collection' ? everyOne((parameter.options ?? []).filter(isParameter)) : []),
  ]);
}

function isParameter(option: NonNullable<INodeProperties['options']>[number]): option is INodeProperties {
  return 'type' in option && 'default' in option;
}
