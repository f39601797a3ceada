/** Subscription: Get Many. */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { largestPage, listLength } from '../../parameters/list.ts';
import { readCollection } from '../../parameters/read.ts';
import { subscriptionExpand } from '../../parameters/subscription-expand.ts';
import type { OperationDefinition } from '../definition.ts';
import { toRecord } from '../record.ts';

/** Named as the query parameters of the list. */
export const filters: readonly INodeProperties[] = [
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
  {
    displayName: 'Premium Tier IDs',
    name: 'premium_tier_ids',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
    placeholder: 'e.g. tier_00000000-0000-4000-8000-000000000001',
    default: [],
    description: 'Only subscriptions in one of these premium tiers',
  },
  {
    displayName: 'Premium Tier Names',
    name: 'premium_tiers',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Name' },
    placeholder: 'e.g. Gold',
    default: [],
    description: 'Only subscriptions in one of these premium tiers',
  },
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
export const options: readonly INodeProperties[] = [
  subscriptionExpand,
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

export const getMany: OperationDefinition = {
  name: 'Get Many',
  description: 'Get many subscriptions',
  action: 'Get many subscriptions',
  properties: [
    ...listLength,
    { displayName: 'Filters', name: 'filters', type: 'collection', placeholder: 'Add Filter', default: {}, options: [...filters] },
    { displayName: 'Options', name: 'options', type: 'collection', placeholder: 'Add Option', default: {}, options: [...options] },
  ],
  async execute({ node, itemIndex, engine }) {
    const returnAll = node.getNodeParameter('returnAll', itemIndex) === true;
    const most = returnAll ? Number.POSITIVE_INFINITY : Number(node.getNodeParameter('limit', itemIndex));
    const query: Arguments<'subscriptions.list'> = {
      ...readCollection(filters, node.getNodeParameter('filters', itemIndex, {})),
      ...readCollection(options, node.getNodeParameter('options', itemIndex, {})),
      limit: Math.min(most, largestPage),
    };
    const records: IDataObject[] = [];
    for await (const subscription of engine.list('subscriptions.list', query, { signal: node.getExecutionCancelSignal() })) {
      if (records.push(toRecord(subscription)) >= most) break;
    }
    return records;
  },
};
