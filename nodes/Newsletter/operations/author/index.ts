/** Author and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';

export const author: ResourceDefinition = { name: 'Author', operations: { get, getMany } };
