/** Parameters about subscriptions that several operations share. */
import { subscriptionRequestWords } from '@newsletter-kit/core/contract';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { automation, idMode, listMode, located } from './locators.ts';
import { describe, include, select, text } from './properties.ts';
import { type ItemParameters, ParameterMismatch, readParameter } from './read.ts';

/** The address or the ID of a subscription. */
export type Subscriber = { readonly email: string } | { readonly id: string };

export const subscriber = located(
  { displayName: 'Subscription', name: 'subscription', description: 'The subscription to work on' },
  [
    {
      displayName: 'By Email',
      name: 'email',
      placeholder: 'name@email.com',
      hint: 'Upper and lower case are the same',
    },
    idMode('sub_'),
    listMode('searchSubscriptions', { hint: 'Newest first; search by the whole address' }),
  ],
);

/** The error for an address or ID without a subscription. */
export function noSubscription(): ParameterMismatch {
  return new ParameterMismatch(
    '"Subscription" names no subscription of this publication; check the address or the ID, and the Publication',
  );
}

/**
 * Reads an address or an ID in any mode: an address has an @ and an ID has none.
 *
 * @throws ParameterMismatch where it is empty
 */
export function readSubscriber(item: ItemParameters, parameter: INodeProperties = subscriber): Subscriber {
  const named = String(readParameter(item, parameter));
  return named.includes('@') ? { email: named } : { id: named };
}

export const email = text({
  displayName: 'Email',
  name: 'email',
  placeholder: 'name@email.com',
  required: true,
  description: describe(subscriptionRequestWords.email),
});

export const doubleOptIn = select({
  displayName: 'Double Opt-In',
  name: 'double_opt_override',
  default: 'not_set',
  description: 'Whether the subscriber has to confirm by email before the subscription becomes active',
  options: [
    { name: 'Off', value: 'off', description: 'Active immediately, without a confirmation email' },
    { name: 'On', value: 'on', description: 'The subscriber has to confirm by email first' },
    { name: 'Publication Default', value: 'not_set' },
  ],
});

export const automations: INodeProperties = {
  displayName: 'Automations',
  name: 'automation_ids',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Automation' },
  placeholder: 'Add Automation',
  default: {},
  description: 'Automations to enroll the subscriber into; each needs an active Add by API trigger',
  options: [{ displayName: 'Automation', name: 'automations', values: [{ ...automation, required: false }] }],
};

const expandable: readonly INodePropertyOptions[] = [
  { name: 'Custom Fields', value: 'custom_fields', description: 'Names, kinds and values of its custom fields' },
  { name: 'Newsletter Lists', value: 'newsletter_lists', description: 'IDs of the lists it is actively subscribed to' },
  { name: 'Premium Tiers', value: 'subscription_premium_tiers', description: 'The premium tiers it is in' },
  { name: 'Referrals', value: 'referrals', description: 'The subscriptions it referred' },
  { name: 'Statistics', value: 'stats', description: 'Emails received, open rate and click-through rate' },
  { name: 'Tags', value: 'tags' },
];

/** Includes the custom fields by default, because most workflows need them. */
export const subscriptionInclude: INodeProperties = {
  ...include(...expandable),
  default: ['custom_fields'],
  description:
    'Fields to add to each subscription. Without this option, custom fields are included. Selected Fields are returned without it.',
};

export const statuses: readonly INodePropertyOptions[] = [
  { name: 'Active', value: 'active' },
  { name: 'Inactive', value: 'inactive', description: 'Made inactive, possibly by unsubscribing' },
  { name: 'Invalid', value: 'invalid', description: 'The address is invalid' },
  { name: 'Needs Attention', value: 'needs_attention', description: 'Waits for approval' },
  { name: 'Paused', value: 'paused' },
  { name: 'Pending', value: 'pending', description: 'Waits for double opt-in' },
  { name: 'Validating', value: 'validating', description: 'The address is being checked' },
];

export const tiers: readonly INodePropertyOptions[] = [
  { name: 'Free', value: 'free' },
  { name: 'Premium', value: 'premium' },
];
