/** Publications: what everything else of the API belongs to. */
import type { ResourceDefinition } from '../definition.ts';
import { getMany } from './getMany.ts';

export const publication: ResourceDefinition = {
  name: 'Publication',
  workspace: true,
  operations: { getMany },
};
