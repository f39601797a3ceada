/** Publication Field and its operation. It belongs to the workspace: no publication is named. */
import type { ResourceDefinition } from '../definition.ts';
import { getMany } from './getMany.ts';

export const publicationField: ResourceDefinition = {
  name: 'Publication Field',
  workspace: true,
  operations: { getMany },
};
