/** Custom Field and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { create } from './create.ts';
import { deleteField } from './delete.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';
import { update } from './update.ts';

export const customField: ResourceDefinition = {
  name: 'Custom Field',
  operations: { create, delete: deleteField, get, getMany, update },
};
