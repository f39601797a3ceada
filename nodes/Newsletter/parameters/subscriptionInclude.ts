/** What a subscription is expanded with when it is read. */
import { include } from './include.ts';

export const subscriptionInclude = include(
  { name: 'Custom Fields', value: 'custom_fields', description: 'Names, kinds and values of its custom fields' },
  { name: 'Newsletter Lists', value: 'newsletter_lists', description: 'IDs of the lists it is actively subscribed to' },
  { name: 'Premium Tiers', value: 'subscription_premium_tiers', description: 'The premium tiers it is in' },
  { name: 'Referrals', value: 'referrals', description: 'The subscriptions it referred' },
  { name: 'Statistics', value: 'stats', description: 'Emails received, open rate and click-through rate' },
  { name: 'Tags', value: 'tags' },
);
