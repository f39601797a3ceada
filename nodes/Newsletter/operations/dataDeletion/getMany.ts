/** Data Deletion: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'deletionRequests.list',
  plural: 'data deletion requests',
  description: 'Get many data deletion requests of the organization',
  record: records.deletionRequest,
});
