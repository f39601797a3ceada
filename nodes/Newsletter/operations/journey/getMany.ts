/** Journey: Get Many. */
import { automation } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { list } from '../list.ts';
import { filterWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

export const getMany = list({
  id: 'journeys.list',
  plural: 'journeys',
  record: records.journey,
  path: { automationId: automation },
  filters: [
    {
      displayName: 'Status',
      name: 'status',
      type: 'options',
      default: 'all',
      description: describe(filterWords.journeyStatus),
      options: [
        { name: 'All', value: 'all' },
        { name: 'Completed', value: 'completed' },
        { name: 'Exited Early', value: 'exited_early' },
        { name: 'In Progress', value: 'in_progress' },
      ],
    },
  ],
});
