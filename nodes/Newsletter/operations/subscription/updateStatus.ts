/**
 * Subscription: Update Status. One new status for many subscriptions; the service answers nothing and works on it
 * later.
 */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { readParameter } from '../../parameters/read.ts';
import { texts } from '../../parameters/texts.ts';
import type { ItemOperation } from '../definition.ts';
import { statusUpdateWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

const subscriptionIds: INodeProperties = {
  ...texts('Add ID', {
    displayName: 'Subscription IDs',
    name: 'subscription_ids',
    placeholder: 'e.g. sub_00000000-0000-4000-8000-000000000001',
    description: `${describe(statusUpdateWords.subscription_ids)}. An expression may give a list, or a text with commas.`,
  }),
  required: true,
};

const newStatus: INodeProperties = {
  displayName: 'New Status',
  name: 'new_status',
  type: 'options',
  required: true,
  default: 'inactive',
  description: describe(statusUpdateWords.new_status),
  options: [
    { name: 'Active', value: 'active' },
    { name: 'Inactive', value: 'inactive', description: 'No longer receives the newsletter' },
  ],
};

export const updateStatus: ItemOperation = {
  name: 'Update Status',
  description: 'Set the status of many subscriptions; the service does so in a job, see Bulk Update Job: Get Many',
  action: 'Update the status of subscriptions',
  properties: [subscriptionIds, newStatus],
  async execute(context) {
    const args = {
      subscription_ids: readParameter(context, subscriptionIds),
      new_status: readParameter(context, newStatus),
    } as Arguments<'subscriptions.updateStatus'>;
    await context.engine.call('subscriptions.updateStatus', args, context.call);
    return [{ success: true, ...args }];
  },
};
