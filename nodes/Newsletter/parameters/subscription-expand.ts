/** What a subscription is expanded with when it is read. */
import type { INodeProperties } from 'n8n-workflow';

/** `expand[]` of the subscription list, in words. */
export const subscriptionExpand: INodeProperties = {
  displayName: 'Include',
  name: 'expand',
  type: 'multiOptions',
  default: [],
  description: 'What to add to each subscription',
  options: [
    { name: 'Custom Fields', value: 'custom_fields', description: 'Names, kinds and values of its custom fields' },
    { name: 'Newsletter Lists', value: 'newsletter_lists', description: 'IDs of the lists it is actively subscribed to' },
    { name: 'Premium Tiers', value: 'subscription_premium_tiers', description: 'The premium tiers it is in' },
    { name: 'Referrals', value: 'referrals', description: 'The subscriptions it referred' },
    { name: 'Statistics', value: 'stats', description: 'E-mails received, open rate and click-through rate' },
    { name: 'Tags', value: 'tags' },
  ],
};
