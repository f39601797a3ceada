/** Advertisement Opportunity and its operation. */
import type { ResourceDefinition } from '../definition.ts';
import { getMany } from './getMany.ts';

export const advertisementOpportunity: ResourceDefinition = {
  name: 'Advertisement Opportunity',
  operations: { getMany },
};
