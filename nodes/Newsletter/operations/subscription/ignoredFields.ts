/**
 * Finds the fields of a request that the service ignored, by comparing the request with the subscription afterwards.
 */
import type { Arguments } from '@newsletter-kit/core/engine';
import { customFieldsNotApplied, includesAll, listOf } from '@newsletter-kit/core/import';
import type { Subscription } from './read.ts';

export type SentRequest = Arguments<'subscriptions.create'>;
type Name = keyof SentRequest;

/** Texts, which a service may store in another form, such as in lower case. Only a creation sets them. */
const texts = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'referring_site',
] as const satisfies readonly Name[];

/** Whether the subscription has the requested value; undefined where the record has no such field. */
type Shows<Requested> = (requested: Requested, record: Subscription) => boolean | undefined;

/** Fields whose values are fixed words or IDs. */
const shows: { readonly [Field in Name]?: Shows<NonNullable<SentRequest[Field]>> } = {
  tier: (requested, record) => record.subscription_tier === requested,
  premium_tiers: (requested, record) => includesAll(requested, record.subscription_premium_tier_names),
  premium_tier_ids: (requested, record) =>
    includesAll(
      requested,
      listOf(record.subscription_premium_tiers).map(({ id }) => id),
    ),
  newsletter_list_ids: (requested, record) => includesAll(requested, record.newsletter_list_ids),
};

/**
 * Names of the fields that were not applied: those that still have their old value; custom fields as
 * `custom_fields.NAME`.
 *
 * @param before - the subscription as it was; null where there was none
 */
export function fieldsNotApplied(request: SentRequest, record: Subscription, before: Subscription | null): string[] {
  const kept = texts.filter((name) => {
    const value = record[name] ?? '';
    return request[name] !== undefined && value !== request[name] && value === (before?.[name] ?? '');
  });
  const missing = (Object.keys(shows) as Name[]).filter((name) => {
    const requested = request[name];
    return requested !== undefined && (shows[name] as Shows<unknown> | undefined)?.(requested, record) === false;
  });
  const custom = customFieldsNotApplied(request.custom_fields ?? [], record.custom_fields);
  return [...kept, ...missing, ...withOldValue(custom, record, before)];
}

/** Of the fields that do not have the requested value: without the custom fields that have a new one. */
export function withOldValue(names: readonly string[], record: Subscription, before: Subscription | null): string[] {
  const valueOf = (subscription: Subscription | null, field: string): string | undefined =>
    JSON.stringify(
      listOf(subscription?.custom_fields).find(({ name }) => `custom_fields.${String(name)}` === field)?.['value'],
    );
  return names.filter((name) => {
    const value = valueOf(record, name);
    return value === undefined || value === valueOf(before, name);
  });
}
