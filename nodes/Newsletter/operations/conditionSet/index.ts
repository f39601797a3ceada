/** Condition Set and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';

export const conditionSet: ResourceDefinition = { name: 'Condition Set', operations: { get, getMany } };
