/** Finds the changes of a bulk update that the service did not make, by comparing them with the subscription. Pure. */
import { dateIn, utcOf } from '../facts/dates.ts';
import { hasLeft } from '../facts/subscriber-status.ts';
import { isRecord } from '../is-record.ts';
import type { BulkUpdateItem, Subscription } from '../schema/types.ts';

/** Whether the list has every one of the texts; undefined where there is no list. */
export const includesAll = (requested: readonly string[], current: unknown): boolean | undefined =>
  Array.isArray(current) ? requested.every((one) => current.includes(one)) : undefined;

/** The objects of a list; none where the service sent something else. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
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
  const time = written.includes('T') ? dateIn(written) : undefined;
  return time === undefined ? written : String(utcOf(time));
}

/** Names of the fields of a bulk update that were not applied. */
export function changesNotApplied(change: Omit<BulkUpdateItem, 'subscription_id'>, record: Subscription): string[] {
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

/** Whether the subscription shows that the changes were made; a change that no record shows proves nothing. */
export function isApplied(change: Partial<BulkUpdateItem>, record: Subscription): boolean {
  const { tier, unsubscribe, custom_fields, newsletter_list_ids, unsubscribe_newsletter_list_ids } = change;
  const lists = newsletter_list_ids ?? unsubscribe_newsletter_list_ids;
  return (
    [tier, unsubscribe, custom_fields, lists].some((each) => each !== undefined) &&
    (custom_fields === undefined || Array.isArray(record.custom_fields)) &&
    (lists === undefined || Array.isArray(record.newsletter_list_ids)) &&
    changesNotApplied(change, record).length === 0
  );
}
