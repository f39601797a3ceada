/** The records of the API, one shape a resource, under the API's own field names. */
import type { RecordShape } from './shape.ts';

export const subscription = {
  simple: [
    'id',
    'email',
    'status',
    'created',
    'subscription_tier',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'referring_site',
    'referral_code',
    'custom_fields',
    'newsletter_list_ids',
    'referrals',
    'stats',
    'subscription_premium_tiers',
    'tags',
  ],
  others: ['subscription_premium_tier_names', 'utm_channel', 'utm_content', 'utm_term'],
  times: ['created'],
} as const satisfies RecordShape;

/** A subscription after it was updated. */
export const updatedSubscription = {
  ...subscription,
  outcome: ['ignored_fields', 'subscription_update_id', 'subscription_update_status'],
} as const satisfies RecordShape;

/** A subscription after it was created or updated: `created` says which of the two, the time is `created_at`. */
export const upsertedSubscription = {
  simple: subscription.simple.map((name) => (name === 'created' ? 'created_at' : name)),
  others: subscription.others,
  outcome: ['created', 'ignored_fields', 'stays_inactive'],
  times: ['created_at'],
} as const satisfies RecordShape;

export const bulkUpdateJob = {
  simple: ['id', 'type', 'status', 'failure_reason', 'error_log', 'created', 'updated', 'completed'],
  others: ['params', 'publication_id'],
  times: ['created', 'updated', 'completed'],
} as const satisfies RecordShape;

export const automation = {
  simple: ['id', 'name', 'status', 'trigger_events', 'description', 'stats'],
  others: [],
  times: [],
} as const satisfies RecordShape;

export const automationEmail = {
  simple: [
    'id',
    'automation_step_id',
    'subject_line',
    'preview_text',
    'status',
    'created_at',
    'first_sent_at',
    'last_sent_at',
    'stats',
  ],
  others: [],
  times: ['created_at', 'first_sent_at', 'last_sent_at'],
} as const satisfies RecordShape;

export const journey = {
  simple: ['id', 'automation_id', 'subscription_id', 'email', 'status', 'started_at', 'completed_at'],
  others: [],
  times: ['started_at', 'completed_at'],
} as const satisfies RecordShape;

export const customField = {
  simple: ['id', 'display', 'kind', 'options', 'created'],
  others: [],
  times: ['created'],
} as const satisfies RecordShape;

export const author = {
  simple: ['id', 'type', 'name', 'bio', 'bio_image_url'],
  others: ['social_media_links'],
  times: [],
} as const satisfies RecordShape;

export const advertisementOpportunity = {
  simple: [
    'id',
    'advertiser_name',
    'advertisement_kind',
    'payout_rate',
    'send_by_window_start_at',
    'send_by_window_end_at',
  ],
  others: [],
  times: ['send_by_window_start_at', 'send_by_window_end_at'],
} as const satisfies RecordShape;

export const complimentaryAccess = {
  simple: ['id', 'description', 'duration', 'time_unit', 'tier_id', 'tier', 'stats'],
  others: [],
  times: [],
} as const satisfies RecordShape;

export const conditionSet = {
  simple: ['id', 'name', 'status', 'purpose', 'created', 'updated', 'stats'],
  others: [],
  times: ['created', 'updated'],
} as const satisfies RecordShape;

/** Its times are texts already. */
export const deletionRequest = {
  simple: ['id', 'email', 'status', 'requested_at', 'scheduled_for_processing_at', 'completed_at'],
  others: ['created_at', 'source'],
  times: [],
} as const satisfies RecordShape;

export const publicationField = {
  simple: ['id', 'name', 'display', 'kind', 'value_source', 'default_value', 'status', 'created', 'updated'],
  others: ['endpoint_url', 'response_keys'],
  times: ['created', 'updated'],
} as const satisfies RecordShape;

export const publication = {
  simple: ['id', 'name', 'organization_name', 'referral_program_enabled', 'created'],
  others: [],
  times: ['created'],
} as const satisfies RecordShape;
