/** The report on sources: which of them bring readers who stay. */

/** What subscriptions are grouped by. A week begins on Monday, 00:00 UTC, and is named by that day: `2026-03-02`. */
export const reportDimensions = ['source', 'medium', 'campaign', 'referring_site', 'week'] as const;

export type ReportDimension = (typeof reportDimensions)[number];

/** A share of people with its 95 % Wilson interval; all three between 0 and 1. */
export interface Share {
  /** People it is about; those of whom it cannot be known are not among them. */
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The people of one group, counted. */
export interface Cohort {
  /**
   * `value`: those with the value `name`; `none`: those without a value; `small`: the people of all values that have
   * fewer than {@link SourceReport.minimum} each; `rest`: those of the values after the largest ones.
   */
  readonly kind: 'value' | 'none' | 'small' | 'rest';
  /** The value; empty for every other kind. */
  readonly name: string;
  /** Values that are summed here; 1 for a value. */
  readonly values: number;
  readonly signedUp: number;
  /** Null, as all figures below, where the group has fewer than {@link SourceReport.minimum} people. */
  readonly confirmed: Share | null;
  /** Active when the subscriptions were read. */
  readonly stillThere: Share | null;
  /** Active this many days after they signed up, of those who did so at least as many days ago. */
  readonly after: readonly { readonly days: number; readonly stayed: Share | null; readonly unknown: number }[];
  /** Mean of the people's rates, 0 to 1, and how many have one; null where no statistics were read. */
  readonly opens: { readonly of: number; readonly rate: number } | null;
  readonly clicks: { readonly of: number; readonly rate: number } | null;
}

/** The result of the calculation. */
export interface SourceReport {
  /** When the subscriptions were read, in Unix seconds. */
  readonly at: number;
  /** The first and the last signup, in Unix seconds; null without a subscription. */
  readonly signups: { readonly from: number; readonly to: number } | null;
  /** When the history of leavings began, in Unix seconds; null without one. */
  readonly historySince: number | null;
  /** Fewest people of whom figures are shown. */
  readonly minimum: number;
  readonly total: Cohort;
  /** By dimension: the largest values first, weeks in order; then `rest`, `small` and `none` where there are any. */
  readonly cohorts: Readonly<Record<ReportDimension, readonly Cohort[]>>;
}
