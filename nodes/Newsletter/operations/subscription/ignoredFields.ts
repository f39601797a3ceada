/**
 * Finds the fields of a request that the service ignored, by comparing the request with the subscription afterwards.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { hasLeft } from '@newsletter-kit/core/facts';
import type { Arguments } from '@newsletter-kit/core/engine';
import type { JobChange } from './jobs.ts';
import type { Subscription } from './read.ts';

export type SentRequest = Arguments<'subscriptions.create'>;
type Name = keyof SentRequest;

/** Whether the subscription has the requested value; undefined where the record has no such field. */
type Shows<Requested> = (requested: Requested, record: Subscription) => boolean | undefined;

const text =
  (name: 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' | 'utm_content' | 'referring_site'): Shows<string> =>
  (requested, record) =>
    (record[name] ?? '') === requested;

/** Whether the list has every one of the texts; undefined where there is no list. */
const includesAll = (requested: readonly string[], current: unknown): boolean | undefined =>
  Array.isArray(current) ? requested.every((one) => current.includes(one)) : undefined;

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

/** The objects of a list; none where the service sent something else. */
function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

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

interface NamedField {
  readonly name?: string | null | undefined;
  readonly value?: unknown;
}

/** Requested custom fields that the subscription does not have, as `custom_fields.NAME`. */
export function customFieldsNotApplied(
  requested: readonly NamedField[],
  current: readonly NamedField[] | null | undefined,
): string[] {
  if (!Array.isArray(current)) return [];
  const values = new Map(listOf(current).map(({ name, value }) => [name, value]));
  return requested
    .filter(({ name, value }) => !values.has(name) || comparable(values.get(name)) !== comparable(value))
    .map(({ name }) => `custom_fields.${name}`);
}

/** One form of equal values: services write numbers as texts, and times with and without milliseconds. */
function comparable(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(comparable).toSorted());
  const written = String(value).trim();
  if (written !== '' && Number.isFinite(Number(written))) return String(Number(written));
  const moment = /^\d{4}-\d{2}-\d{2}T/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(moment) ? written : new Date(moment).toISOString();
}

/** Names of the fields of a bulk update that were not applied. */
export function changesNotApplied(change: Omit<JobChange, 'subscription_id'>, record: Subscription): string[] {
  const { tier, newsletter_list_ids, unsubscribe_newsletter_list_ids: leaves = [], unsubscribe } = change;
  const fields = change.custom_fields ?? [];
  const current = record.newsletter_list_ids;
  const shown = {
    newsletter_list_ids: newsletter_list_ids === undefined || includesAll(newsletter_list_ids, current),
    tier: tier === undefined || record.subscription_tier === tier,
    unsubscribe: unsubscribe === undefined || unsubscribe === hasLeft(record.status),
    unsubscribe_newsletter_list_ids: !Array.isArray(current) || !leaves.some((id) => current.includes(id)),
  };
  const kept = fields.filter(
    ({ name, delete: clear }) => clear === true && listOf(record.custom_fields).some((field) => field['name'] === name),
  );
  return [
    ...Object.entries(shown).flatMap(([name, applied]) => (applied === false ? [name] : [])),
    ...customFieldsNotApplied(
      fields.filter(({ delete: clear }) => clear !== true),
      record.custom_fields,
    ),
    ...kept.map(({ name }) => `custom_fields.${name}`),
  ];
}
