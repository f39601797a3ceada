/** Where the subscribers of the demo came from. */
import type { Seed } from './seed.ts';

type SeedSubscription = NonNullable<Seed['publications'][number]['subscriptions']>[number];
type Origin = Pick<
  SeedSubscription,
  'utm_source' | 'utm_medium' | 'utm_channel' | 'utm_campaign' | 'utm_term' | 'utm_content' | 'referring_site'
>;

export const origins = {
  direct: { utm_channel: 'website' },
  import: { utm_channel: 'import' },
  spring: {
    utm_channel: 'api',
    utm_source: 'landing page',
    utm_medium: 'organic',
    utm_campaign: 'Frühling 🌷',
    referring_site: 'https://blog.example.org/frühling',
  },
  launch: {
    utm_channel: 'embed',
    utm_source: 'twitter',
    utm_medium: 'social',
    utm_campaign: 'launch',
    utm_content: 'thread-1',
  },
  ads: {
    utm_channel: 'api',
    utm_source: 'search',
    utm_medium: 'cpc',
    utm_campaign: 'autumn & winter',
    utm_term: 'harbour news, boats',
    utm_content: 'B',
  },
  podcast: {
    utm_channel: 'recommendation',
    utm_source: 'podcast',
    utm_medium: 'audio',
    utm_campaign: 'episode 42',
    referring_site: 'https://podcast.example.net/42',
  },
  friend: { utm_channel: 'referral', utm_source: 'friend', utm_medium: 'referral' },
  product: { utm_channel: 'product', utm_source: 'app', utm_medium: 'in-app' },
  boost: { utm_channel: 'boost', utm_source: 'boost', utm_medium: 'paid', utm_campaign: 'tide tables' },
  link: { utm_channel: 'magic_link', utm_source: 'linkedin', utm_medium: 'social', utm_content: 'bio' },
  unknown: { utm_channel: '' },
} as const satisfies Record<string, Origin>;

export type OriginName = keyof typeof origins;
