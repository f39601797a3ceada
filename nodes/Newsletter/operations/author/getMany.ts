/** Author: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

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
      description: 'Only authors of this full name or first name; upper and lower case are the same',
    },
  ],
});
