/** Subscription: Get, by address or by ID. */
import type { Arguments } from '@newsletter-kit/core/engine';
import { collection } from '../../parameters/collection.ts';
import { readFields } from '../../parameters/read.ts';
import { readSubscriber, subscriber } from '../../parameters/subscriber.ts';
import { subscriptionInclude } from '../../parameters/subscriptionInclude.ts';
import { toRecord } from '../../records/record.ts';
import { subscription } from '../../records/records.ts';
import { findSubscription } from '../../transport/findSubscription.ts';
import type { ItemOperation } from '../definition.ts';

const options = [subscriptionInclude];

export const get: ItemOperation = {
  name: 'Get',
  description: 'Get a subscription by its email address or ID. Finding it by ID may take several requests.',
  action: 'Get a subscription',
  record: subscription,
  properties: [subscriber, ...collection('options', 'Options', 'Add option', options)],
  async execute(context) {
    const { expand }: Pick<Arguments<'subscriptions.list'>, 'expand'> = readFields(context, 'options', options);
    return [toRecord(await findSubscription(context, readSubscriber(context), expand))];
  },
};
