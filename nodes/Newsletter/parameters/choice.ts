/** Parameters whose options come from a table. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The parameter with these options, the first of them chosen. */
export function choice(parameter: INodeProperties, options: INodePropertyOptions[]): INodeProperties {
  return { ...parameter, default: options[0]?.value ?? '', options };
}

/** As n8n wants its lists: by name. */
export function byName(options: INodePropertyOptions[]): INodePropertyOptions[] {
  return options.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}
