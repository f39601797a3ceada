/** Custom Field: Get Many. */
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({ id: 'customFields.list', plural: 'custom fields', record: records.customField });
