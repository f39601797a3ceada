/** The trigger's parameters: the event, what it costs, what narrows it down, how much a poll may read. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { byName, choice, collection, texts } from '../parameters/properties.ts';
import { statuses, subscriptionInclude, tiers } from '../parameters/subscription.ts';
import { events, eventsWhere } from './events.ts';
import { capacity, requestsPerPoll } from './limits.ts';

/** The list of events in the editor, made from the table. */
export const eventProperty = choice(
  { displayName: 'Event', name: 'event', type: 'options', noDataExpression: true, required: true, default: '' },
  byName(
    Object.entries(events).map(([value, { name, action, description }]) => ({ name, value, action, description })),
  ),
  'subscriptionCreated',
);

const round = (count: number): string => count.toLocaleString('en');

/** What a restart of n8n can cost; see docs/decisions/0015. */
const restart =
  'A restart of n8n may delay a report. Only a crash while n8n begins an execution can lose one. Retry, in the list of executions, repeats an execution that was cut off.';
const learning = `Activating the workflow reads the whole list, for at most a minute; further polls read what is left, and begin an execution without items now and then, so that n8n saves what they learned. Until a subscription was read, its changes are not reported. Up to ${round(capacity)}`;

/** What the event costs, how long it takes to be seen, and what is promised. */
const costs: readonly (readonly [reads: 'newest' | 'all' | 'inactive', name: string, text: string])[] = [
  [
    'newest',
    'costOfNewest',
    `A poll makes one request, and one more for each 100 new subscriptions. They are seen at the next poll. ${restart}`,
  ],
  [
    'all',
    'costOfAll',
    `The service does not tell what has changed, so the trigger reads the whole publication again and again: each poll reads as much as "Requests per Poll" allows, 100 subscriptions a request. With 10,000 subscriptions and ${requestsPerPoll} requests, a change is seen after 5 polls at most; with the newest 100 subscriptions, at the next poll. ${learning} subscriptions can be watched. ${restart}`,
  ],
  [
    'inactive',
    'costOfInactive',
    `The trigger reads all inactive subscriptions again and again: each poll reads as much as "Requests per Poll" allows, 100 subscriptions a request. With 2,000 inactive subscriptions and ${requestsPerPoll} requests, one that becomes inactive is seen at the next poll or the one after. ${learning} inactive subscriptions can be watched. ${restart}`,
  ],
];

const notices = costs.map(([where, name, text]): INodeProperties => ({
  displayName: text,
  name,
  type: 'notice',
  default: '',
  displayOptions: { show: { event: eventsWhere(({ reads }) => reads === where) } },
}));

const updated = { show: { event: eventsWhere(({ type }) => type === 'updated') } };

export const changes: INodeProperties = {
  displayName: 'Changes',
  name: 'changes',
  type: 'multiOptions',
  required: true,
  default: ['custom_fields', 'tier'],
  description: 'Which changes to report',
  options: [
    { name: 'Custom Fields', value: 'custom_fields' },
    { name: 'Tier', value: 'tier' },
  ],
  displayOptions: updated,
};

export const fieldNames: INodeProperties = {
  ...texts('Add Name', {
    displayName: 'Custom Field Names',
    name: 'fieldNames',
    placeholder: 'e.g. First Name',
    description: 'Custom fields whose change to report. Leave empty for every one.',
  }),
  displayOptions: { show: { ...updated.show, changes: ['custom_fields'] } },
};

const channels: readonly INodePropertyOptions[] = [
  { name: 'API', value: 'api' },
  { name: 'Boost', value: 'boost' },
  { name: 'Boost Direct Link', value: 'boost_direct_link' },
  { name: 'Boost Send', value: 'boost_send' },
  { name: 'Embed', value: 'embed' },
  { name: 'Group Invite', value: 'group_invite' },
  { name: 'Import', value: 'import' },
  { name: 'Integration', value: 'integration' },
  { name: 'Magic Link', value: 'magic_link' },
  { name: 'Product', value: 'product' },
  { name: 'Recommendation', value: 'recommendation' },
  { name: 'Referral', value: 'referral' },
  { name: 'Website', value: 'website' },
];

/** Named as the fields of a subscription that they compare. */
export const filters: readonly INodeProperties[] = [
  {
    displayName: 'Status',
    name: 'status',
    type: 'multiOptions',
    default: [],
    description: 'Only subscriptions that have one of these statuses when they are reported',
    options: [...statuses],
    displayOptions: { show: { '/event': eventsWhere(({ status }) => status === undefined) } },
  },
  {
    displayName: 'Tier',
    name: 'subscription_tier',
    type: 'multiOptions',
    default: [],
    description: 'Only subscriptions of one of these tiers',
    options: [...tiers],
  },
  {
    displayName: 'UTM Channel',
    name: 'utm_channel',
    type: 'multiOptions',
    default: [],
    description: 'Only subscriptions that came by one of these channels',
    options: [...channels],
  },
  texts('Add Source', {
    displayName: 'UTM Source',
    name: 'utm_source',
    placeholder: 'e.g. instagram',
    description: 'Only subscriptions with one of these sources; upper and lower case are the same',
  }),
];

export const sinceOption: INodeProperties = {
  displayName: 'Created Since',
  name: 'since',
  type: 'dateTime',
  default: '',
  description:
    'Report also what was created between this moment and the activation. Otherwise the trigger reports what is created after it is activated.',
  displayOptions: { show: { '/event': eventsWhere(({ reads }) => reads === 'newest') } },
};

export const pagesOption: INodeProperties = {
  displayName: 'Requests per Poll',
  name: 'pages',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 100 },
  default: requestsPerPoll,
  description:
    'How many requests a poll may make, for up to 100 subscriptions each. What is left over is read by the next polls. The service counts requests over the whole organization.',
};

/** Everything about the event and how it is watched. */
export const watchProperties: readonly INodeProperties[] = [eventProperty, ...notices, changes, fieldNames];

/** Where it was not added the custom fields are included: most workflows want them. */
export const includeOption: INodeProperties = {
  ...subscriptionInclude,
  default: ['custom_fields'],
  description: 'What to add to each subscription. Custom fields are included unless something else is chosen here.',
};

export const moreProperties: readonly INodeProperties[] = [
  ...collection('filters', 'Filters', 'Add Filter', filters),
  ...collection('options', 'Options', 'Add option', [sinceOption, includeOption, pagesOption]),
];
