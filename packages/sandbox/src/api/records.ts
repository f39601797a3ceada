/** Converts rows of the store into records of the API. */
import type { CustomFieldRow } from '../store/custom-fields.ts';
import type { Store } from '../store/store.ts';
import type { ListedRow } from '../store/subscriptions.ts';

/** Each `expand[]` value of a subscription with what it adds. */
export const expansions = {
  subscription_premium_tiers: (store, row) => ({
    subscription_premium_tiers: store.subscriptions
      .tiersOf(row.seq)
      .map(({ id, name, status }) => ({ id, name, status })),
  }),
  referrals: (store, row) => ({
    referrals: store.subscriptions.referredBy(row.seq).map(({ id, email, status }) => ({ id, email, status })),
  }),
  stats: (_store, { emails_received, open_rate, click_through_rate }) => ({
    stats: { emails_received, open_rate, click_through_rate },
  }),
  custom_fields: (store, row) => ({
    custom_fields: store.customFields
      .valuesOf(row.seq)
      .map(({ display, kind, value }) => ({ name: display, kind, value: JSON.parse(value) as unknown })),
  }),
  newsletter_lists: (store, row) => ({ newsletter_list_ids: store.subscriptions.listsOf(row.seq) }),
  tags: (_store, row) => ({ tags: JSON.parse(row.tags) as unknown }),
} as const satisfies Record<string, (store: Store, row: ListedRow) => object>;

export type Expansion = keyof typeof expansions;

/** A subscription as the API answers it, with what is asked for beyond. */
export function subscriptionRecord(store: Store, row: ListedRow, expand: readonly Expansion[] = []) {
  const record = {
    id: row.id,
    email: row.email,
    status: row.status,
    created: row.created,
    subscription_tier: row.tier,
    // A premium tier makes a subscription premium, so a free one needs no look.
    subscription_premium_tier_names:
      row.tier === 'free' ? [] : store.subscriptions.tiersOf(row.seq).map((tier) => tier.name),
    utm_source: row.utm_source,
    utm_medium: row.utm_medium,
    utm_channel: row.utm_channel,
    utm_campaign: row.utm_campaign,
    utm_term: row.utm_term,
    utm_content: row.utm_content,
    referring_site: row.referring_site,
    referral_code: row.referral_code,
  };
  return Object.assign(record, ...expand.map((name) => expansions[name](store, row))) as typeof record &
    Record<string, unknown>;
}

/** A custom field as the API answers it; `options` belongs to lists alone. */
export function customFieldRecord({ id, kind, display, created, options }: CustomFieldRow) {
  return { id, kind, display, created, ...(kind === 'list' && { options: JSON.parse(options) as unknown }) };
}
