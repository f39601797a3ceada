/** Checks a row against what a SubscriptionRequest may hold. Texts name the field, never the value. */
import type { ObjectShape, Shape } from '../contract/shape.ts';
import { subscriptionRequest } from '../contract/shapes.ts';
import { readObject } from '../engine/check.ts';
import { redact } from '../engine/redact.ts';
import { fieldPath } from '../field-path.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import { isRecord } from '../is-record.ts';

/** A name that a SubscriptionRequest takes. */
export type RequestField = keyof SubscriptionRequest;

/** Every field and what it takes. */
export const requestFields: ObjectShape['of'] = subscriptionRequest.of;

/** A request that can be sent, or everything that is wrong with it. */
export type CheckedRequest = { readonly request: SubscriptionRequest } | { readonly problem: string };

/** Normalises the address and the words of enumerations, leaves out what is null or undefined, and checks the rest. */
export function checkRequest(row: unknown): CheckedRequest {
  if (!isRecord(row)) return { problem: 'the row must be an object with at least "email"' };
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(row)) {
    const entry = row[name];
    if (entry === undefined || entry === null || (name === 'email' && entry === '')) continue;
    given[name] = inSpelling(requestFields[name], entry);
  }
  const { value, problems, unknown } = readObject(subscriptionRequest, given);
  const all = [
    ...problems,
    ...unknown.map(({ path }) =>
      path.length === 1
        ? `"${redact(fieldPath(path))}" is no field of a subscription; what the publication defined itself belongs into "custom_fields"`
        : `"${redact(fieldPath(path))}" is no part of a custom field, which has a name and a value`,
    ),
    ...namelessFields(value['custom_fields']),
  ];
  // The shape has every key of the type.
  return all.length > 0 ? { problem: all.join('; ') } : { request: value as unknown as SubscriptionRequest };
}

export function isRequestField(name: string): name is RequestField {
  return Object.hasOwn(requestFields, name);
}

/** `Premium` of a spreadsheet as `premium`. */
function inSpelling(shape: Shape | undefined, value: unknown): unknown {
  if (shape?.is !== 'string' || !shape.words || typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  return shape.words.includes(word) ? word : value;
}

/** The service would drop a value without a name, and say nothing. */
function namelessFields(fields: unknown): readonly string[] {
  const nameless = Array.isArray(fields) ? fields.findIndex((field) => isRecord(field) && !field['name']) : -1;
  return nameless < 0 ? [] : [`"custom_fields[${nameless}].name" must be the display text of a custom field`];
}
