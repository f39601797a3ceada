/** Custom Field: Get. */
import { customField } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'customFields.get',
  singular: 'a custom field',
  record: records.customField,
  path: { id: customField },
});
