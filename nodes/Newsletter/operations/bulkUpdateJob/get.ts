/** Bulk Update Job: Get. */
import { bulkUpdateJob } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'bulkSubscriptionUpdates.get',
  singular: 'a bulk update job',
  record: records.bulkUpdateJob,
  path: { id: bulkUpdateJob },
});
