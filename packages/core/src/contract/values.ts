/**
 * The enumerations of the API. Answers may hold other values (the service adds some without notice); requests may not.
 */

/** Subscription statuses (specification, States and transitions). */
export const subscriptionStatuses = [
  'validating',
  'invalid',
  'pending',
  'active',
  'inactive',
  'needs_attention',
  'paused',
] as const;

/** `status` filter of the subscription list. Not shown in the specification: every status, and `all` as the default. */
export const subscriptionStatusFilters = [...subscriptionStatuses, 'all'] as const;

export const subscriptionTiers = ['free', 'premium'] as const;

/** `tier` filter of the subscription list. Not shown in the specification. */
export const subscriptionTierFilters = [...subscriptionTiers, 'all'] as const;

/**
 * `new_status` of the status update. Not shown in the specification; these two are what the service is known to take.
 */
export const newStatuses = ['active', 'inactive'] as const;

/** Where a subscription came from; set by the service alone. The empty string means unknown. */
export const utmChannels = [
  '',
  'website',
  'import',
  'embed',
  'api',
  'referral',
  'recommendation',
  'magic_link',
  'boost',
  'boost_send',
  'boost_direct_link',
  'integration',
  'product',
  'group_invite',
] as const;

export const doubleOptOverrides = ['on', 'off', 'not_set'] as const;

export const customFieldKinds = ['string', 'integer', 'boolean', 'date', 'datetime', 'list', 'double'] as const;

export const tierStatuses = ['active', 'archived'] as const;

export const directions = ['asc', 'desc'] as const;

export const publicationFieldKinds = [
  'text',
  'number',
  'boolean',
  'date',
  'color',
  'url',
  'image_url',
  'rss_feed_url',
  'json',
] as const;

export const responseKeyKinds = ['text', 'number', 'date', 'url', 'image_url'] as const;

export const publicationFieldStatuses = ['active', 'archived'] as const;

export const publicationFieldStatusFilters = [...publicationFieldStatuses, 'all'] as const;

/** `complete`, not `completed`; some answers are reported with the latter, so clients treat both as done. */
export const bulkUpdateStatuses = ['pending', 'processing', 'complete', 'failed'] as const;

export const automationStatuses = ['running', 'finishing', 'inactive', 'live', 'draft'] as const;

export const automationTriggers = [
  'api',
  'community_join',
  'downgrade',
  'email_submission',
  'form_submission',
  'link_click',
  'manual',
  'newsletter_list_subscribed',
  'podcast_episode_published',
  'poll_submission',
  'purchased_product',
  'referral_action',
  'segment_action',
  'shopify_sale',
  'signup',
  'unengaged',
  'upgrade',
] as const;

export const automationEmailStatuses = ['active', 'inactive'] as const;

export const journeyStatuses = ['in_progress', 'completed', 'exited_early', 'manually_removed'] as const;

export const journeyStatusFilters = ['in_progress', 'completed', 'exited_early', 'all'] as const;

export const authorTypes = ['user', 'guest_author'] as const;

export const timeUnits = ['days', 'months', 'years', 'forever'] as const;

export const conditionSetStatuses = ['active', 'archived'] as const;

export const conditionSetPurposes = ['dynamic_content'] as const;

/** The five attribution parameters a subscription can carry. */
export const utmFields = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

/** Most items one call of the bulk subscription update takes (specification, Limits). */
export const bulkUpdateLimit = 1000;

/** Page size: smallest, largest, and what the service uses when none is asked for (specification, Limits). */
export const pageLimit = { min: 1, max: 100, default: 10 } as const;

/** Last page offset pagination reaches (specification, Limits). */
export const lastOffsetPage = 100;

/** What an OAuth token may do when no scope is asked for. */
export const defaultScope = 'identify:read';
