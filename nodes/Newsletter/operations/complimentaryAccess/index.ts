/** Complimentary Access and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';

export const complimentaryAccess: ResourceDefinition = { name: 'Complimentary Access', operations: { get, getMany } };
