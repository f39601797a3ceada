/** Custom Field: Update. Its name is all that can be changed. */
import type { INodeProperties } from 'n8n-workflow';
import { customField } from '../../parameters/locators.ts';
import { readParameter } from '../../parameters/read.ts';
import { recordIn } from '../../records/record.ts';
import * as records from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { display } from './display.ts';

const newName: INodeProperties = { ...display, displayName: 'New Name' };

export const update: ItemOperation = {
  name: 'Update',
  description: 'Rename a custom field',
  action: 'Update a custom field',
  record: records.customField,
  properties: [customField, newName],
  async execute(context) {
    const args = { id: String(readParameter(context, customField)), display: String(readParameter(context, newName)) };
    return [recordIn(await context.engine.call('customFields.update', args, context.call))];
  },
};
