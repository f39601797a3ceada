/**
 * Packs a subscription into the few bits that the watch compares: status and tier as a number, custom fields as a
 * fingerprint, the id as a hash. Pure.
 */
import { hashText, type Digest } from '../hash.ts';
import { isRecord } from '../is-record.ts';
import type { Dated } from './watermark.ts';

/** The part of a subscription that is watched; every subscription of the API fits. */
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

/** A status and tier that occurs; a packed entry keeps its index in the list. Tier null stands for any tier. */
export type StatusAndTier = readonly [status: string, tier: string | null];

/** Most combinations of status and tier: their index fits the ten bits of a mark beside the pass, counted by three. */
const maxEntries = 341;
/** Beyond this number tiers are no longer distinguished, so that every status still gets a number. */
const maxExactEntries = 300;

/** The tier as one text: the word of the API, then the names of the premium tiers in alphabetical order. */
export function tierOf({ subscription_tier, subscription_premium_tier_names }: Watched): string {
  const names = Array.isArray(subscription_premium_tier_names) ? subscription_premium_tier_names.map(String) : [];
  return [subscription_tier ?? '', ...names.sort()].join('\n');
}

/** The index of a status and tier in the list; a new one is appended to the list. */
export function statusNumber(
  conditions: readonly StatusAndTier[],
  status: string,
  tier: string,
): { readonly number: number; readonly conditions: readonly StatusAndTier[] } {
  const wanted: readonly (string | null)[] = [tier, null];
  for (const kept of wanted) {
    const number = conditions.findIndex((condition) => condition[0] === status && condition[1] === kept);
    if (number >= 0) return { number, conditions };
    if (conditions.length < (kept === null ? maxEntries : maxExactEntries))
      return { number: conditions.length, conditions: [...conditions, [status, kept]] };
  }
  throw new RangeError(`A publication with more than ${maxEntries - maxExactEntries} statuses can't be watched.`);
}

/**
 * A fingerprint of the values of the watched custom fields, the same in any order. A field without a value counts as
 * absent. 0 where no field is watched or the record carries none.
 */
export function fieldsFingerprint({ custom_fields }: Watched, choice: FieldChoice): number {
  if (choice === 'none' || !Array.isArray(custom_fields)) return 0;
  const values = custom_fields.flatMap((field: unknown): [string, string][] => {
    const { name, value } = isRecord(field) ? field : {};
    const watched = typeof name === 'string' && (choice === 'all' || choice.includes(name));
    return watched && !isEmpty(value) ? [[name, canonical(value)]] : [];
  });
  return Math.max(1, hash32(JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)))));
}

/** A choice as a text, to detect a changed choice. */
export function choiceText(choice: FieldChoice): string {
  return typeof choice === 'string' ? choice : JSON.stringify(choice.toSorted());
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The value as text. A list is sorted, because the service states no order. */
function canonical(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value.map(canonical).sort()) : (JSON.stringify(value) ?? '');
}

/** Seeds of the two hashes, so that one tells nothing about the other. */
const idSeed: Digest = [1, 1, 1, 1];

const fingerprintSeed: Digest = [2, 2, 2, 2];

/** Numbers below 2^48, evenly spread, from any text. */
export function hash48(text: string): number {
  const [low, high] = hashText(text, idSeed);
  return (high & 0xffff) * 0x1_0000_0000 + (low >>> 0);
}

/** Numbers below 2^32, evenly spread, from any text; independent of {@link hash48}. */
export function hash32(text: string): number {
  return hashText(text, fingerprintSeed)[0] >>> 0;
}
