/** Data Deletion: Get. */
import { deletionRequest } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'deletionRequests.get',
  singular: 'a data deletion request',
  record: records.deletionRequest,
  path: { id: deletionRequest },
});
