/** Parameters whose options come from a table. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * The parameter with these options.
 * @param preferred - the value it begins with, where it is among them; else the first
 */
export function choice(
  parameter: INodeProperties,
  options: INodePropertyOptions[],
  preferred?: string,
): INodeProperties {
  const begins = options.find(({ value }) => value === preferred) ?? options[0];
  return { ...parameter, default: begins?.value ?? '', options };
}

/** As n8n wants its lists: by name. */
export function byName(options: INodePropertyOptions[]): INodePropertyOptions[] {
  return options.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}
