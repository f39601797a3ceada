/** Data Deletion and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';
import { request } from './request.ts';

export const dataDeletion: ResourceDefinition = { name: 'Data Deletion', operations: { get, getMany, request } };
