/** Condition Set: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';
import { filterWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

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
      description: describe(filterWords.conditionSetPurpose),
      options: [{ name: 'Dynamic Content', value: 'dynamic_content' }],
    },
  ],
});
