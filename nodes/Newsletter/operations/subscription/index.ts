/** Resource Subscription. */
import type { ResourceDefinition } from '../definition.ts';
import { bulkImport } from './bulkImport.ts';
import { bulkUpdate } from './bulkUpdate.ts';
import { create, createOrUpdate } from './create.ts';
import { get, getMany } from './read.ts';
import { update } from './update.ts';
import { updateStatus } from './updateStatus.ts';

export const subscription: ResourceDefinition = {
  contract: 'subscriptions',
  name: 'Subscription',
  operations: { bulkImport, bulkUpdate, create, createOrUpdate, get, getMany, update, updateStatus },
};
