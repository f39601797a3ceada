/**
 * What the specification leaves open, operation by operation, and how it is filled here. Apart from the operations, for
 * only servers and docs read it.
 */
import type { OperationId } from './operations.ts';

/** Empty where the specification leaves nothing open. */
export const assumed: Readonly<Record<OperationId, readonly string[]>> = {
  'subscriptions.create': [
    'A known address is not an error: the existing subscription is answered, with the custom fields of the request applied.',
    'The service has been seen to answer 201 for a new subscription; clients take any 2xx.',
    'Values of warnings[].code are not shown.',
  ],
  'subscriptions.list': [
    'Paging fields stand at top level beside data; the general description nests them under pagination. Both are read.',
    'Without page and cursor the answer is cursor-shaped.',
    'Values of the status and tier filters are not shown: every status or tier, and all.',
    'expand[]=tags is named by the record, not by the list.',
    'creation_date is a day in UTC.',
  ],
  'subscriptions.bulkCreate': [
    'The answer is not shown: message and import_id, not wrapped in data. The import runs after the answer; no endpoint reads its result.',
    'The largest batch is not shown; 1000 is used.',
  ],
  'bulkSubscriptionUpdates.list': [
    'The record is not shown: id, type, params (a string), status, publication_id, failure_reason, completed, created, updated, error_log.',
  ],
  'bulkSubscriptionUpdates.get': ['The record is not shown; as in bulkSubscriptionUpdates.list.'],
  'subscriptions.bulkUpdate': [
    'Item fields and answer body are not shown. Items: subscription_id, tier, payments_customer_id, unsubscribe, custom_fields (with delete), newsletter_list_ids, unsubscribe_newsletter_list_ids, complimentary_gift_id. Answer: data.subscription_update_id, to be read with bulkSubscriptionUpdates.get.',
    'An unknown subscription_id is reported in the job, not as an error of the call.',
    'PUT and PATCH do the same.',
  ],
  'subscriptions.bulkUpdatePut': [
    'Item fields and answer body are not shown. Items: subscription_id, tier, payments_customer_id, unsubscribe, custom_fields (with delete), newsletter_list_ids, unsubscribe_newsletter_list_ids, complimentary_gift_id. Answer: data.subscription_update_id, to be read with bulkSubscriptionUpdates.get.',
    'An unknown subscription_id is reported in the job, not as an error of the call.',
    'PUT and PATCH do the same.',
  ],
  'subscriptions.updateStatus': [
    'Error statuses are not shown; the usual five are assumed.',
    'Values of new_status are not shown: active and inactive.',
    'PUT and PATCH do the same; the work is a job of type status.',
  ],
  'subscriptions.updateStatusPut': [
    'Error statuses are not shown; the usual five are assumed.',
    'Values of new_status are not shown: active and inactive.',
    'PUT and PATCH do the same; the work is a job of type status.',
  ],
  'automations.list': [
    'The record is not shown: id, status, name, trigger_events, description, stats when expanded.',
    'Values of expand[] are not shown: stats.',
  ],
  'automations.get': ['The record is not shown; as in automations.list.'],
  'automations.listEmails': [
    'The record is not shown: id, automation_step_id, subject_line, preview_text, status, created_at, first_sent_at, last_sent_at, stats (always present).',
  ],
  'journeys.enroll': [
    'The record is not shown: id, automation_id, subscription_id, email, status, started_at, completed_at.',
    'Without email and subscription_id: 400. Unknown subscriber: 404. No active Add by API trigger: 400.',
  ],
  'journeys.list': [
    'The record is not shown; as in journeys.enroll.',
    'Values of the status filter are not shown: in_progress, completed, exited_early, all.',
  ],
  'journeys.get': ['The record is not shown; as in journeys.enroll.'],
  'authors.list': ['The record is not shown: id, type, name, bio, bio_image_url, social_media_links.'],
  'authors.get': [
    'The record is not shown; as in authors.list.',
    'Where several authors share a first name, the oldest is answered.',
  ],
  'advertisementOpportunities.list': [
    'The record is not shown: id, advertiser_name, payout_rate (a formatted string), advertisement_kind, send_by_window_start_at, send_by_window_end_at; total_results beside data.',
  ],
  'complimentaryAccess.list': [
    'The record is not shown: id, duration (null when forever), time_unit, description, tier_id, tier and stats when expanded.',
  ],
  'complimentaryAccess.get': ['The record is not shown; as in complimentaryAccess.list.'],
  'conditionSets.list': [
    'The record is not shown: id, name, status, created, updated, purpose.',
    'Values of purpose are not shown: dynamic_content.',
  ],
  'conditionSets.get': [
    'The record is not shown; as in conditionSets.list, plus stats.active_subscriber_count.',
    'An archived set answers 404.',
  ],
  'customFields.create': [
    'The record is not shown: id, kind, display, created, options (list fields only).',
    'What a second field of the same display does is not shown: 400.',
  ],
  'customFields.list': [
    'The record is not shown: id, kind, display, created, options (list fields only).',
    'The answer carries limit, page, total_results and total_pages although no paging parameter is named.',
  ],
  'customFields.get': ['The record is not shown: id, kind, display, created, options (list fields only).'],
  'customFields.update': ['The patch result is not shown: the custom field.'],
  'customFields.updatePut': ['The record is not shown: id, kind, display, created, options (list fields only).'],
  'customFields.delete': [],
  'deletionRequests.create': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'The condition of 409 is not stated: an open request for this address exists.',
  ],
  'deletionRequests.list': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'limit, has_more and next_cursor stand beside data although no paging parameter is named.',
  ],
  'deletionRequests.get': [
    'The record is not shown: id, email, status, source, requested_at, scheduled_for_processing_at, completed_at, created_at (all four ISO 8601 strings).',
    'Error statuses are not shown; as in deletionRequests.list.',
  ],
  'publicationFields.list': [],
  'publications.list': [
    'The endpoint is not shown. It is taken from the public API reference and SDK of beehiiv, never tried live: id, name, organization_name, referral_program_enabled, created; offset paging at top level. A key restricted to publications lists those.',
  ],
  'oauth.authorize': [
    'code_challenge_method is not shown: S256 and plain.',
    'An unknown client or redirect_uri is answered in place, never redirected; other errors go to the redirect_uri.',
  ],
  'oauth.exchange': [
    'Lifetimes are not shown: access token 7200 s, code 600 s.',
    'The answer also carries scope and created_at.',
  ],
  'oauth.refresh': ['The refresh token rotates; where none comes back the old one stays in use.'],
  'oauth.revoke': [
    'token_type_hint is not shown: access_token and refresh_token.',
    'An unknown token answers 200 as well (RFC 7009).',
  ],
  'oauth.introspect': ['Fields are not shown: as RFC 7662; an unusable token answers {"active": false}.'],
  'oauth.tokenInfo': [
    'Fields are not shown: resource_owner_id, scope (string or list), expires_in or expires_in_seconds, application, created_at.',
  ],
};
