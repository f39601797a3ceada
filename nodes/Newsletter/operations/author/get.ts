/** Author: Get. */
import { author } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'authors.get',
  singular: 'an author',
  record: records.author,
  path: { authorId: author },
});
