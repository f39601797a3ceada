/** Subscription: Get Many. */
import type { INodeProperties } from 'n8n-workflow';
import { subscriptionInclude } from '../../parameters/subscriptionInclude.ts';
import { premiumTiers } from '../../parameters/texts.ts';
import { subscription } from '../../records/records.ts';
import { list } from '../list.ts';

/** Named as the query parameters of the list. */
const filters: readonly INodeProperties[] = [
  {
    displayName: 'Created On',
    name: 'creation_date',
    type: 'dateTime',
    default: '',
    description: 'Only subscriptions created on this day (UTC)',
  },
  {
    displayName: 'Email',
    name: 'email',
    type: 'string',
    placeholder: 'name@email.com',
    default: '',
    description: 'Only the subscription of this address; upper and lower case are the same',
  },
  ...premiumTiers({
    byId: 'Only subscriptions in one of these premium tiers',
    byName: 'Only subscriptions in one of these premium tiers',
  }),
  {
    displayName: 'Status',
    name: 'status',
    type: 'options',
    default: 'active',
    options: [
      { name: 'Active', value: 'active' },
      { name: 'All', value: 'all' },
      { name: 'Inactive', value: 'inactive', description: 'Made inactive, possibly by unsubscribing' },
      { name: 'Invalid', value: 'invalid', description: 'The address is invalid' },
      { name: 'Needs Attention', value: 'needs_attention', description: 'Waits for approval' },
      { name: 'Paused', value: 'paused' },
      { name: 'Pending', value: 'pending', description: 'Waits for double opt-in' },
      { name: 'Validating', value: 'validating', description: 'The address is being checked' },
    ],
  },
  {
    displayName: 'Tier',
    name: 'tier',
    type: 'options',
    default: 'free',
    options: [
      { name: 'All', value: 'all' },
      { name: 'Free', value: 'free' },
      { name: 'Premium', value: 'premium' },
    ],
  },
];

/** Named as the query parameters of the list. `order_by` is left out: `created` is its default and only value. */
const options: readonly INodeProperties[] = [
  subscriptionInclude,
  {
    displayName: 'Sort Direction',
    name: 'direction',
    type: 'options',
    default: 'desc',
    options: [
      { name: 'Newest First', value: 'desc' },
      { name: 'Oldest First', value: 'asc' },
    ],
  },
];

export const getMany = list({ id: 'subscriptions.list', plural: 'subscriptions', record: subscription, filters, options });
