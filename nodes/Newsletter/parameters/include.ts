/** "Include": what a record is expanded with when it is read, `expand[]` on the wire. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** @param options - the values that the operation takes, in words */
export function include(...options: INodePropertyOptions[]): INodeProperties {
  return {
    displayName: 'Include',
    name: 'expand',
    type: 'multiOptions',
    default: [],
    description: 'What to add to each record; without it these fields are left out',
    options,
  };
}

export const statistics: INodePropertyOptions = { name: 'Statistics', value: 'stats' };
