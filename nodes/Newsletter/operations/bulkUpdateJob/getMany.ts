/** Bulk Update Job: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'bulkSubscriptionUpdates.list',
  plural: 'bulk update jobs',
  record: records.bulkUpdateJob,
});
