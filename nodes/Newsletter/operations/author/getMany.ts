/** Author: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';
import { filterWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

export const getMany = list({
  id: 'authors.list',
  plural: 'authors',
  record: records.author,
  filters: [
    {
      displayName: 'Name',
      name: 'name',
      type: 'string',
      placeholder: 'e.g. Ada Lovelace',
      default: '',
      description: describe(filterWords.authorName),
    },
  ],
});
