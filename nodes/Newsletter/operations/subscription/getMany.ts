/** Subscription: Get Many. */
import type { INodeProperties } from 'n8n-workflow';
import { byName } from '../../parameters/choice.ts';
import { subscriptionInclude } from '../../parameters/subscriptionInclude.ts';
import { statuses, tiers } from '../../parameters/subscriptionWords.ts';
import { premiumTiers } from '../../parameters/texts.ts';
import { subscription } from '../../records/records.ts';
import { list } from '../list.ts';
import { subscriptionListWords as words } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

/** The service's own word for any value. */
const everyOne = { name: 'All', value: 'all' };

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
    options: byName([...statuses, everyOne]),
  },
  {
    displayName: 'Tier',
    name: 'tier',
    type: 'options',
    default: 'free',
    description: describe(words.tier),
    options: byName([...tiers, everyOne]),
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

export const getMany = list({
  id: 'subscriptions.list',
  plural: 'subscriptions',
  record: subscription,
  filters,
  options,
});
