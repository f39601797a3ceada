/** Subscription: Get and Get Many. */
import { subscriptionListWords as words } from '@newsletter-kit/core/contract';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { byName, collection, describe, premiumTiers } from '../../parameters/propertyBuilders.ts';
import { readFields } from '../../parameters/read.ts';
import { readSubscriber, statuses, subscriber, subscriptionInclude, tiers } from '../../parameters/subscription.ts';
import { toRecord } from '../../records/present.ts';
import { subscription } from '../../records/shapes.ts';
import type { ItemOperation } from '../definition.ts';
import { getMany as manyOf } from '../readOperations.ts';
import { findSubscription } from './findSubscription.ts';

const allValues = { name: 'All', value: 'all' };

/** Named as the query parameters of the list. */
const filters: readonly INodeProperties[] = [
  {
    displayName: 'Created On',
    name: 'creation_date',
    type: 'dateTime',
    default: '',
    description: describe(words.creation_date),
  },
  {
    displayName: 'Email',
    name: 'email',
    type: 'string',
    placeholder: 'name@email.com',
    default: '',
    description: describe(words.email),
  },
  ...premiumTiers({
    byId: describe(words.premium_tier_ids),
    byName: describe(words.premium_tiers),
  }),
  {
    displayName: 'Status',
    name: 'status',
    type: 'options',
    default: 'active',
    description: describe(words.status),
    options: byName([...statuses, allValues]),
  },
  {
    displayName: 'Tier',
    name: 'tier',
    type: 'options',
    default: 'free',
    description: describe(words.tier),
    options: byName([...tiers, allValues]),
  },
];

/** Named as the query parameters of the list. `order_by` is left out: `created` is its default and only value. */
const options: readonly INodeProperties[] = [
  subscriptionInclude,
  {
    displayName: 'Sort Direction',
    name: 'direction',
    type: 'options',
    default: 'asc',
    description: 'In which order of their creation the subscriptions are returned',
    options: [
      { name: 'Ascending', value: 'asc', description: 'Oldest first' },
      { name: 'Descending', value: 'desc', description: 'Newest first' },
    ],
  },
];

export const getMany = manyOf('subscriptions.list', { record: subscription, filters, options });

const getOptions = [subscriptionInclude];

/** By address or by ID. */
export const get: ItemOperation = {
  name: 'Get',
  description: 'Get a subscription by its email address or ID. Finding it by ID may take several requests.',
  action: 'Get a subscription',
  record: subscription,
  properties: [subscriber, ...collection('options', 'Options', 'Add option', getOptions)],
  async execute(context) {
    const { expand }: Pick<Arguments<'subscriptions.list'>, 'expand'> = readFields(context, 'options', getOptions);
    return [toRecord(await findSubscription(context, readSubscriber(context), expand))];
  },
};
