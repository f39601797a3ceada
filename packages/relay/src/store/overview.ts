/** The states of a signup, and counts by state, form and reason for operator and metrics. */

/**
 * ```text
 * unconfirmed ──▶ waiting ◀──▶ sent ──▶ delivered
 *      review ──────┘           └─────▶ dead
 * ```
 *
 * - `unconfirmed` – waits for the person to click the link in the confirmation mail; not delivered before.
 * - `review` – probably posted by a robot; not delivered unless the operator decides so.
 * - `waiting` – due for delivery, now or at its next attempt.
 * - `sent` – an attempt is in flight, alone or in a batch, or its outcome is unknown.
 * - `delivered` – the API has created the subscription.
 * - `dead` – dead letter: the API refused it for good; kept with the reason.
 */
export type SignupState = (typeof signupStates)[number];

/** Every {@link SignupState}. */
export const signupStates = ['unconfirmed', 'review', 'waiting', 'sent', 'delivered', 'dead'] as const;

/** States from which `SignupStore.discard` deletes. */
export const discardableStates: readonly SignupState[] = ['unconfirmed', 'review', 'dead'];

/** Signups counted by state. */
export type SignupCounts = Readonly<Record<SignupState, number>>;

/** The backlog of one form. */
export interface FormBacklog {
  readonly form: string;
  /** Number of signups in the states `waiting` and `sent`. */
  readonly open: number;
  /** Since when the oldest of them may be delivered. */
  readonly oldestSince: number | null;
}

/** Overview of a store. */
export interface Overview {
  readonly counts: SignupCounts;
  /** Number of waiting signups that are due. */
  readonly due: number;
  /** Since when the oldest signup in `waiting` or `sent` may be delivered; null without one. */
  readonly oldestWaitingSince: number | null;
  /** Forms with a backlog, by name. */
  readonly forms: readonly FormBacklog[];
  /** Dead letters by reason, the most frequent first; at most {@link reasonsShown}. */
  readonly deadByReason: readonly { readonly reason: string; readonly count: number }[];
  /** Signups in review, and unconfirmed ones whose mail is held, by reason; likewise. */
  readonly held: readonly HeldSignups[];
  /** Consents in words that are unclear, of the newest {@link recentRead} in {@link recentMs}. */
  readonly unclearConsents: readonly UnclearConsent[];
  /** When what has expired was last erased; null before the first time. */
  readonly lastErasureAt: number | null;
  /**
   * What the API says of the subscriptions of delivered signups, the most frequent first, of the newest
   * {@link recentRead} signups in {@link recentMs}. Null: unknown.
   */
  readonly statuses: readonly { readonly status: string | null; readonly count: number }[];
}

/** Signups that are held for one reason. */
export interface HeldSignups {
  readonly state: Extract<SignupState, 'review' | 'unconfirmed'>;
  readonly reason: string;
  readonly count: number;
}

/** How many unconfirmed signups wait for their mail. */
export function heldMails({ held }: Pick<Overview, 'held'>): number {
  return held.reduce((sum, { state, count }) => sum + (state === 'unconfirmed' ? count : 0), 0);
}

/** A text that a form has sent as consent, and how many signups came with it. */
export interface UnclearConsent {
  readonly form: string;
  /** Contains no address. */
  readonly sentence: string;
  readonly count: number;
}

/** How long an {@link Overview} looks back for unclear consents and statuses, in milliseconds: 30 days. */
export const recentMs = 30 * 86_400_000;

/** Maximum number of each that are read for it. */
export const recentRead = 1000;

/** Maximum number of reasons, and of texts of unclear consents, in an {@link Overview}. */
export const reasonsShown = 20;

/** The earliest of the moments that are not null. */
export function earliest(moments: readonly (number | null)[]): number | null {
  const known = moments.filter((moment) => moment !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** A row of the counts of signups. */
export interface CountOfState {
  readonly state: SignupState;
  readonly count: number;
}

export function toCounts(rows: readonly CountOfState[]): SignupCounts {
  const known = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  return { unconfirmed: 0, review: 0, waiting: 0, sent: 0, delivered: 0, dead: 0, ...known };
}
