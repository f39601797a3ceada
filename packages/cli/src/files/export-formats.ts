/** Formats subscriptions: CSV for spreadsheets, NDJSON with every field. */
import type { Subscription } from '@newsletter-kit/core';
import { stringify } from 'csv-stringify/sync';

export interface Format {
  /** The text before the first subscription. */
  readonly head: string;
  /** The lines of some subscriptions. */
  lines(subscriptions: readonly Subscription[]): string;
  /** Names of values that had no column. */
  readonly lost: ReadonlySet<string>;
}

export const formatNames = ['csv', 'ndjson'] as const;

export function ndjson(): Format {
  return {
    head: '',
    lost: new Set(),
    lines: (subscriptions) => subscriptions.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };
}

/** A column: its heading, and where its value comes from. */
interface Column {
  readonly heading: string;
  readonly value: (subscription: Subscription) => unknown;
}

const plain = [
  'id',
  'email',
  'status',
  'subscription_tier',
  'subscription_premium_tier_names',
  'utm_source',
  'utm_medium',
  'utm_channel',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'referring_site',
  'referral_code',
] as const;

const always: readonly Column[] = [
  ...plain.map((heading): Column => ({ heading, value: (subscription) => subscription[heading] })),
  { heading: 'created', value: ({ created }) => new Date(created * 1000).toISOString() },
];

/** The columns that come with each expansion; those of custom fields depend on the publication. */
const expanded: Readonly<Record<string, readonly Column[]>> = {
  stats: (['emails_received', 'open_rate', 'click_through_rate'] as const).map((name) => ({
    heading: `stats.${name}`,
    value: ({ stats }) => stats?.[name],
  })),
  subscription_premium_tiers: [
    {
      heading: 'subscription_premium_tiers',
      value: ({ subscription_premium_tiers: tiers }) => tiers?.map(({ name }) => name),
    },
  ],
  newsletter_lists: [{ heading: 'newsletter_list_ids', value: ({ newsletter_list_ids: ids }) => ids }],
  tags: [{ heading: 'tags', value: ({ tags }) => tags }],
  referrals: [{ heading: 'referrals', value: ({ referrals }) => referrals?.map(({ id }) => id) }],
};

/** The heading of a custom field's column; an import understands it as the target of a column. */
const customHeading = (name: string): string => `custom:${name}`;

/**
 * @param customFields - names of the publication's custom fields, where they are requested
 * @param raw - leaves cells unchanged that a spreadsheet would run as a formula
 */
export function csv(expand: readonly string[], customFields: readonly string[], raw: boolean): Format {
  const lost = new Set<string>();
  const custom = customFields.map((name): Column => ({
    heading: customHeading(name),
    value: ({ custom_fields: fields }) => fields?.find((field) => field.name === name)?.value,
  }));
  const columns = [...always, ...expand.flatMap((name) => expanded[name] ?? []), ...custom];
  const options = { escape_formulas: !raw, record_delimiter: '\r\n' } as const;
  const known = new Set(customFields);
  return {
    head: stringify([columns.map(({ heading }) => heading)], options),
    lost,
    lines(subscriptions) {
      for (const { custom_fields: fields } of subscriptions) {
        for (const { name } of fields ?? []) if (name && !known.has(name)) lost.add(name);
      }
      return stringify(
        subscriptions.map((each) => columns.map(({ value }) => cell(value(each)))),
        options,
      );
    },
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
