/** Subscription and its operations. */
import type { ResourceDefinition } from '../definition.ts';
import { bulkImport } from './bulkImport.ts';
import { bulkUpdate } from './bulkUpdate.ts';
import { create } from './create.ts';
import { createOrUpdate } from './createOrUpdate.ts';
import { get } from './get.ts';
import { getMany } from './getMany.ts';
import { update } from './update.ts';
import { updateStatus } from './updateStatus.ts';

export const subscription: ResourceDefinition = {
  name: 'Subscription',
  operations: { bulkImport, bulkUpdate, create, createOrUpdate, get, getMany, update, updateStatus },
};
