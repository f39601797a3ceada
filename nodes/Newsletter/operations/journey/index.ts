/** Journey and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { enroll } from './enroll.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';

export const journey: ResourceDefinition = { name: 'Journey', operations: { enroll, get, getMany } };
