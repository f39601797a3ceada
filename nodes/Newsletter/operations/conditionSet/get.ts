/** Condition Set: Get. */
import { include } from '../../parameters/include.ts';
import { conditionSet } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'conditionSets.get',
  singular: 'a condition set',
  record: records.conditionSet,
  path: { conditionSetId: conditionSet },
  options: [
    include({ name: 'Statistics', value: 'stats', description: 'How many active subscribers it holds, counted now' }),
  ],
});
