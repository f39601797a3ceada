/**
 * What of a subscription is watched, and how it is written in a few bits: status and tier as a number, fields as a
 * print. Pure.
 */
import { hash32 } from './hash.ts';
import type { Dated } from './frontier.ts';

/** What is read of a subscription; every subscription of the API fits. */
export interface Watched extends Dated {
  readonly status: string;
  readonly subscription_tier?: string | null | undefined;
  readonly subscription_premium_tier_names?: readonly string[] | null | undefined;
  /** Present only where the list was asked to expand them. */
  readonly custom_fields?: readonly CustomField[] | null | undefined;
}

/** A custom field as a subscription carries it. */
export interface CustomField {
  readonly name?: string | null | undefined;
  readonly value?: unknown;
}

/** Which custom fields are watched: none, every one, or those of these names. */
export type FieldChoice = 'none' | 'all' | readonly string[];

/**
 * Status and tier of some subscriptions; its place in the list is what a packed entry keeps. Tier null stands for
 * "tiers not told apart".
 */
export type Condition = readonly [status: string, tier: string | null];

/** Conditions that fit the ten bits of a mark beside the three counts of {@link Condition}'s sightings. */
const most = 341;
/** From here on tiers are not told apart any more, so that every status still finds a place. */
const exact = 300;

/** The tier as one text: the word of the API, then the names of the premium tiers in alphabetical order. */
export function tierOf({ subscription_tier, subscription_premium_tier_names }: Watched): string {
  const names = (subscription_premium_tier_names ?? []).toSorted();
  return [subscription_tier ?? '', ...names].join('\n');
}

/** The number of a condition, and the list it is a number of: the given one, or one that is longer by it. */
export function numberOf(
  conditions: readonly Condition[],
  status: string,
  tier: string,
): { readonly number: number; readonly conditions: readonly Condition[] } {
  const wanted: readonly (string | null)[] = [tier, null];
  for (const kept of wanted) {
    const number = conditions.findIndex((condition) => condition[0] === status && condition[1] === kept);
    if (number >= 0) return { number, conditions };
    if (conditions.length < (kept === null ? most : exact))
      return { number: conditions.length, conditions: [...conditions, [status, kept]] };
  }
  throw new RangeError(`A publication with more than ${most - exact} statuses can't be watched.`);
}

/**
 * A number for the values of the watched custom fields: the same for the same values in whatever order. A field without
 * a value counts as one that is not there. 0 where none is watched or the record does not carry them.
 */
export function printOf({ custom_fields }: Watched, choice: FieldChoice): number {
  if (choice === 'none' || custom_fields === undefined || custom_fields === null) return 0;
  const values = custom_fields.flatMap(({ name, value }): [string, string][] => {
    const watched = typeof name === 'string' && (choice === 'all' || choice.includes(name));
    return watched && !isEmpty(value) ? [[name, canonical(value)]] : [];
  });
  return Math.max(1, hash32(JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)))));
}

/** A choice as a text, to notice that it was changed. */
export function signature(choice: FieldChoice): string {
  return typeof choice === 'string' ? choice : JSON.stringify(choice.toSorted());
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** A list is a set: the service states no order. */
function canonical(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value.map(canonical).sort()) : (JSON.stringify(value) ?? '');
}
