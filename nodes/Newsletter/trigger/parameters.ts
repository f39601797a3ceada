/** The trigger's parameters: the event with its cost, filters, and options. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import {
  byName,
  collection,
  customFieldNames,
  moment,
  notice,
  number,
  several,
  texts,
  titleOf,
} from '../parameters/properties.ts';
import { statuses, subscriptionInclude, tiers } from '../parameters/subscription.ts';
import { type EventName, events } from './events.ts';
import { requestsPerPoll } from './limits.ts';

/** The parameter Events, from the table of events. */
export const eventsProperty = several({
  displayName: 'Events',
  name: 'events',
  noDataExpression: true,
  required: true,
  default: ['subscriptionCreated' satisfies EventName],
  options: byName(
    Object.entries(events).map(([value, { name, action, description }]) => ({ name, value, action, description })),
  ),
});

const notices = [
  `A poll takes one request for New Subscriber alone. For any other choice it takes up to ${requestsPerPoll}, because the trigger reads the list again to find changes. <a href="https://github.com/newsletter-kit/newsletter-kit/blob/main/docs/src/content/docs/n8n/newsletter-trigger.md" target="_blank">Costs and limits</a>`,
  'You can change Filters, Output, Options and the name of the node at any time: no event is lost or repeated. For an added event, or another Publication, only what happens afterwards is reported.',
].map((displayName, index) => notice({ displayName, name: `notice${index + 1}` }));

const updated = { show: { events: ['subscriptionUpdated' satisfies EventName] } };

export const changes = several({
  displayName: 'Changes',
  name: 'changes',
  required: true,
  default: ['custom_fields', 'tier'],
  description: 'Which changes to report',
  options: [
    {
      name: 'Custom Fields',
      value: 'custom_fields',
      description: 'Renaming a field counts as a change of each subscription that has a value in it',
    },
    { name: 'Tier', value: 'tier' },
  ],
  displayOptions: updated,
});

export const fieldNames = customFieldNames({
  displayName: 'Custom Field Names or IDs',
  name: 'fieldNames',
  hint: 'Custom fields whose change to report; none for every one. After an edit, the trigger reports what changes from then on.',
  displayOptions: { show: { ...updated.show, changes: ['custom_fields'] } },
});

const channels =
  'api boost boost_direct_link boost_send embed group_invite import integration magic_link product recommendation referral website'
    .split(' ')
    .map((value): INodePropertyOptions => ({ name: titleOf(value), value }));

/** Named as the compared fields of a subscription. */
export const filters: readonly INodeProperties[] = [
  several({
    displayName: 'Status',
    name: 'status',
    description: 'Only subscriptions with one of these statuses at the time of the report',
    options: [...statuses],
  }),
  several({
    displayName: 'Tier',
    name: 'subscription_tier',
    description: 'Only subscriptions with one of these tiers',
    options: [...tiers],
  }),
  several({
    displayName: 'UTM Channel',
    name: 'utm_channel',
    description: 'Only subscriptions from one of these channels',
    options: channels,
  }),
  texts('Add Source', {
    displayName: 'UTM Source',
    name: 'utm_source',
    placeholder: 'e.g. instagram',
    description: 'Only subscriptions with one of these sources, case-insensitive',
  }),
];

export const sinceOption = moment({
  displayName: 'Created Since',
  name: 'since',
  description:
    'Also report subscriptions created between this time and the activation. Otherwise, the trigger only reports subscriptions created after the activation. With another time, the trigger reports from that time on again.',
  displayOptions: { show: { '/events': ['subscriptionCreated' satisfies EventName] } },
});

export const pagesOption = number({
  displayName: 'Requests per Poll',
  name: 'pages',
  typeOptions: { minValue: 1, maxValue: 100 },
  default: requestsPerPoll,
  description:
    'How many requests a poll may make, for up to 100 subscriptions each. The next polls read the rest. The service limits requests for the whole organization.',
});

/** The events, their notices, and the changes to report. */
export const watchProperties: readonly INodeProperties[] = [eventsProperty, ...notices, changes, fieldNames];

export const moreProperties: readonly INodeProperties[] = [
  ...collection('filters', 'Filters', 'Add Filter', filters),
  ...collection('options', 'Options', 'Add option', [sinceOption, subscriptionInclude, pagesOption]),
];
