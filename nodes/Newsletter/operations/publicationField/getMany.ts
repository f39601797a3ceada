/** Publication Field: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';
import { filterWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

export const getMany = list({
  id: 'publicationFields.list',
  plural: 'publication fields',
  description: 'Get many publication fields of the workspace; the key needs access to every publication',
  record: records.publicationField,
  filters: [
    {
      displayName: 'Status',
      name: 'status',
      type: 'options',
      default: 'active',
      description: describe(filterWords.publicationFieldStatus),
      options: [
        { name: 'Active', value: 'active' },
        { name: 'All', value: 'all' },
        { name: 'Archived', value: 'archived' },
      ],
    },
  ],
});
