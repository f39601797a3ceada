/** Condition Set: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'conditionSets.list',
  plural: 'condition sets',
  description: 'Get many active condition sets',
  record: records.conditionSet,
  filters: [
    {
      displayName: 'Purpose',
      name: 'purpose',
      type: 'options',
      default: 'dynamic_content',
      options: [{ name: 'Dynamic Content', value: 'dynamic_content' }],
    },
  ],
});
