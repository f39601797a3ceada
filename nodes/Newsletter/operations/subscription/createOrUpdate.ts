/** Subscription: Create or Update. */
import { email } from '../../parameters/email.ts';
import { subscription, upsertedSubscription } from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { readRequest, requestFields, sendRequest } from './requestFields.ts';
import { upsert } from './upsert.ts';

export const createOrUpdate: ItemOperation = {
  name: 'Create or Update',
  description: 'Create a new subscription, or update the current one if it already exists (upsert)',
  action: 'Create or update a subscription',
  record: upsertedSubscription,
  about: email,
  properties: requestFields,
  async execute(context) {
    return [await upsert(context, await readRequest(context), requestFields)];
  },
  // The answer of the service, which applies to an existing subscription its custom fields alone.
  version1: {
    record: subscription,
    about: email,
    properties: requestFields,
    async execute(context) {
      return [await sendRequest(context, await readRequest(context))];
    },
  },
};
