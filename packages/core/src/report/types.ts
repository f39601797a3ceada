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
   * `all`: everybody; `value`: those with the value `name`; `none`: those without a value; `small`: the people of all
   * values that have fewer than {@link SourceReport.minimum} each; `rest`: those of the values after the largest ones,
   * or of the weeks before the newest ones.
   */
  readonly kind: 'all' | 'value' | 'none' | 'small' | 'rest';
  /** The value; empty for every other kind. */
  readonly name: string;
  /** Values that are summed here; 1 for a value, 0 for `all` and `none`. */
  readonly values: number;
  /** People who signed up; without {@link Cohort.invalid}. */
  readonly signedUp: number;
  /** Addresses that the service found invalid and that never were active: no people. */
  readonly invalid: number;
  /**
   * Active, inactive or paused now, or known to have been active. Null, as every figure below, where it would be about
   * fewer than {@link SourceReport.minimum} people.
   */
  readonly confirmed: Share | null;
  /** Active when the subscriptions were read. */
  readonly stillThere: Share | null;
  /**
   * Active this many days after they signed up, of those for whom that day lies in the history of leavings. `unknown`
   * are those for whom it lies before the history began: all of them, those who are still active too, because the
   * share of the others would be too high.
   */
  readonly after: readonly { readonly days: number; readonly stayed: Share | null; readonly unknown: number }[];
  /** Mean of the people's rates, 0 to 1, and how many have one. */
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
  /** Until when it is complete. More than two days before `at`, nothing is known of the days after signup. */
  readonly historyUntil: number | null;
  /** Subscriptions that were deleted since then: they are in no figure. Null without a history. */
  readonly removed: number | null;
  /** Fewest people a figure is shown of. */
  readonly minimum: number;
  readonly total: Cohort;
  /** By dimension: the largest values first, weeks in order; then `rest`, `small` and `none` where there are any. */
  readonly cohorts: Readonly<Record<ReportDimension, readonly Cohort[]>>;
  /** By the month of the signup in UTC, `YYYY-MM`, in order: for lists of which no week reaches the minimum. */
  readonly months: readonly Cohort[];
}
