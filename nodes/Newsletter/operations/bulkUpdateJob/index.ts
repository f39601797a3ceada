/** Bulk Update Job and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';

export const bulkUpdateJob: ResourceDefinition = { name: 'Bulk Update Job', operations: { get, getMany } };
