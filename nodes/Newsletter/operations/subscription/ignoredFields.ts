/**
 * Finds the fields of a request that the service ignored, by comparing the request with the subscription afterwards.
 */
import type { Arguments } from '@newsletter-kit/core/engine';
import { customFieldsNotApplied, includesAll, listOf } from '@newsletter-kit/core/import';
import type { Subscription } from './read.ts';

export type SentRequest = Arguments<'subscriptions.create'>;
type Name = keyof SentRequest;

/** Whether the subscription has the requested value; undefined where the record has no such field. */
type Shows<Requested> = (requested: Requested, record: Subscription) => boolean | undefined;

const text =
  (name: 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' | 'utm_content' | 'referring_site'): Shows<string> =>
  (requested, record) =>
    (record[name] ?? '') === requested;

const shows: { readonly [Field in Name]?: Shows<NonNullable<SentRequest[Field]>> } = {
  utm_source: text('utm_source'),
  utm_medium: text('utm_medium'),
  utm_campaign: text('utm_campaign'),
  utm_term: text('utm_term'),
  utm_content: text('utm_content'),
  referring_site: text('referring_site'),
  tier: (requested, record) => record.subscription_tier === requested,
  premium_tiers: (requested, record) => includesAll(requested, record.subscription_premium_tier_names),
  premium_tier_ids: (requested, record) =>
    includesAll(
      requested,
      listOf(record.subscription_premium_tiers).map(({ id }) => id),
    ),
  newsletter_list_ids: (requested, record) => includesAll(requested, record.newsletter_list_ids),
};

/** Fields that only a creation sets. */
const attribution = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'referring_site',
] as const satisfies readonly Name[];

/** Whether the subscription has the requested value of this field; undefined where the record does not show it. */
function showsField(name: Name, request: SentRequest, record: Subscription): boolean | undefined {
  const requested = request[name];
  return requested === undefined ? true : (shows[name] as Shows<unknown> | undefined)?.(requested, record);
}

/**
 * Whether another request created the subscription: a creation sets the attribution, and none of the requested values
 * is there.
 */
export function wasCreatedByAnother(request: SentRequest, record: Subscription): boolean {
  const requested = attribution.filter((name) => request[name] !== undefined);
  return requested.length > 0 && requested.every((name) => showsField(name, request, record) === false);
}

/** Names of the fields that were not applied; custom fields as `custom_fields.NAME`. */
export function fieldsNotApplied(request: SentRequest, record: Subscription): string[] {
  const names = (Object.keys(shows) as Name[]).filter((name) => showsField(name, request, record) === false);
  return [...names, ...customFieldsNotApplied(request.custom_fields ?? [], record.custom_fields)];
}
