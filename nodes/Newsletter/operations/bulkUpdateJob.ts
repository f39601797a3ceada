/** Resource Bulk Update Job: the jobs that Update, Bulk Update and Update Status of subscriptions start. */
import { bulkUpdateJob as job } from '../parameters/locators.ts';
import type { ResourceDefinition } from './definition.ts';
import { getMany, getOne } from './readOperations.ts';

const differences = {
  noun: 'bulk update job',
  record: {
    first: ['id', 'type', 'status', 'failure_reason', 'error_log', 'created', 'updated', 'completed'],
    others: ['params', 'publication_id'],
  },
};

export const bulkUpdateJob: ResourceDefinition = {
  contract: 'bulkSubscriptionUpdates',
  name: 'Bulk Update Job',
  operations: {
    get: getOne('bulkSubscriptionUpdates.get', { ...differences, path: { id: job } }),
    getMany: getMany('bulkSubscriptionUpdates.list', differences),
  },
};
