/** Subscription: Create or Update, which is what the service itself does with an address. */
import { email } from '../../parameters/email.ts';
import { subscription } from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { readRequest, requestFields, sendRequest } from './requestFields.ts';

export const createOrUpdate: ItemOperation = {
  name: 'Create or Update',
  description: 'Create a new subscription, or update the current one if it already exists (upsert)',
  action: 'Create or update a subscription',
  record: subscription,
  about: email,
  properties: requestFields,
  async execute(context) {
    return [await sendRequest(context, await readRequest(context))];
  },
};
