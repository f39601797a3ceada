/** Custom fields on a subscription: matched by their display text, the rest dropped with a warning. */
import type { ServiceMessage as ErrorDetail } from '@newsletter-kit/core/engine';
import type { CustomFieldValue } from '@newsletter-kit/core/schema';
import type { CustomFieldRow, CustomFields } from '../store/custom-fields.ts';

/** A value for a field that exists; null takes the value away. */
export interface MatchedValue {
  readonly field: number;
  readonly value: NonNullable<CustomFieldValue['value']> | null;
}

/**
 * Finds the field of each entry by its exact display text. Unknown and unnamed entries are dropped with a warning; the
 * warning says so where only the letters' case or spaces around the name differ. An entry without a value changes
 * nothing.
 */
export function matchCustomFields(
  store: CustomFields,
  publicationId: string,
  entries: readonly CustomFieldValue[],
): { readonly values: readonly MatchedValue[]; readonly warnings: readonly ErrorDetail[] } {
  if (entries.length === 0) return { values: [], warnings: [] };
  const fields = store.ofPublication(publicationId);
  const byDisplay = new Map(fields.map((field) => [field.display, field]));
  const values: MatchedValue[] = [];
  const warnings: ErrorDetail[] = [];
  for (const [index, { name, value }] of entries.entries()) {
    const field = name === undefined ? undefined : byDisplay.get(name);
    if (field) {
      if (value !== undefined) values.push({ field: field.seq, value });
    } else warnings.push(name ? unknownField(name, fields) : unnamedField(index));
  }
  return { values, warnings };
}

/** Sets and clears values; true when there was anything to do. */
export function applyCustomFields(store: CustomFields, subscription: number, values: readonly MatchedValue[]): boolean {
  for (const { field, value } of values) {
    if (value === null) store.clearValue(subscription, field);
    else store.setValue(subscription, field, JSON.stringify(value));
  }
  return values.length > 0;
}

function unknownField(name: string, fields: readonly CustomFieldRow[]): ErrorDetail {
  const loosely = (text: string): string => text.normalize('NFC').trim().toLowerCase();
  const near = fields.find((field) => loosely(field.display) === loosely(name));
  const hint = near ? ` There is "${near.display}"; the name must match exactly.` : '';
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return {
    message: `Custom field "${shown}" does not exist on this publication; its value was dropped.${hint}`,
    code: 'CUSTOM_FIELD_NOT_FOUND',
  };
}

function unnamedField(index: number): ErrorDetail {
  return {
    message: `"custom_fields[${index}]" has no name; its value was dropped.`,
    code: 'CUSTOM_FIELD_NAME_MISSING',
  };
}
