/** The subscriptions that services and lists of the measurements hold. */

/** The subscription of a reader, as the service answers it. A measurement says what differs. */
export const subscription = (index: number) => ({
  id: `sub_${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
  email: `reader.${index}@example.com`,
  status: 'active',
  created: 1_750_000_000 + index,
  subscription_tier: 'free',
  subscription_premium_tier_names: [],
  utm_source: 'landing',
  utm_medium: '',
  utm_channel: 'website',
  utm_campaign: 'launch',
  utm_term: '',
  utm_content: '',
  referring_site: 'https://example.com/blog',
  referral_code: index.toString(36),
});
