/** Publication: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'publications.list',
  plural: 'publications',
  description: 'Get many publications that the key or account may use; not every service lists them',
  record: records.publication,
});
