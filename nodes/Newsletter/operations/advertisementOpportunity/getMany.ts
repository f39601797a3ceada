/** Advertisement Opportunity: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'advertisementOpportunities.list',
  plural: 'advertisement opportunities',
  description: 'Get many accepted advertisement opportunities',
  record: records.advertisementOpportunity,
});
