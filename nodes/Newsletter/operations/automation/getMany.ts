/** Automation: Get Many. */
import { include, statistics } from '../../parameters/include.ts';
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'automations.list',
  plural: 'automations',
  record: records.automation,
  options: [include(statistics)],
});
