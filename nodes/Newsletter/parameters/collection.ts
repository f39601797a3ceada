/** A group of optional parameters, which a person adds one by one. */
import type { INodeProperties } from 'n8n-workflow';

/** No group at all where there is nothing to add. */
export function collection(
  name: string,
  displayName: string,
  placeholder: string,
  options: readonly INodeProperties[],
): INodeProperties[] {
  if (options.length === 0) return [];
  return [{ displayName, name, type: 'collection', placeholder, default: {}, options: [...options] }];
}
