/** Custom Field: Delete. The values that subscriptions have for it go with it. */
import { customField } from '../../parameters/locators.ts';
import { readParameter } from '../../parameters/read.ts';
import type { ItemOperation } from '../definition.ts';

export const deleteField: ItemOperation = {
  name: 'Delete',
  description: 'Delete a custom field and its values on every subscription',
  action: 'Delete a custom field',
  properties: [customField],
  async execute(context) {
    await context.engine.call('customFields.delete', { id: String(readParameter(context, customField)) }, context.call);
    return [{ deleted: true }];
  },
};
