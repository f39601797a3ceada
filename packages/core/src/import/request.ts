/**
 * Checks a row against what a SubscriptionRequest may hold, without a schema library. Texts name the field, never the
 * value.
 */
import { doubleOptOverrides, subscriptionTiers } from '../contract/values.ts';
import { redact } from '../engine/redact.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';
import { isRecord } from '../is-record.ts';

/** A name that a SubscriptionRequest takes. */
export type RequestField = keyof SubscriptionRequest;

/** What kind of value a field of a SubscriptionRequest takes. */
export type FieldKind = 'address' | 'text' | 'boolean' | 'texts' | 'customFields';

interface FieldDefinition {
  readonly kind: FieldKind;
  /** The values of an enumeration. */
  readonly values?: readonly string[];
  /** What its identifiers begin with. */
  readonly prefix?: string;
}

const text: FieldDefinition = { kind: 'text' };

/** Every field and what it takes; a test compares with the schema. */
export const requestFields: Readonly<Record<RequestField, FieldDefinition>> = {
  email: { kind: 'address' },
  reactivate_existing: { kind: 'boolean' },
  send_welcome_email: { kind: 'boolean' },
  utm_source: text,
  utm_medium: text,
  utm_campaign: text,
  utm_term: text,
  utm_content: text,
  referring_site: text,
  referral_code: text,
  custom_fields: { kind: 'customFields' },
  double_opt_override: { kind: 'text', values: doubleOptOverrides },
  tier: { kind: 'text', values: subscriptionTiers },
  premium_tiers: { kind: 'texts' },
  premium_tier_ids: { kind: 'texts', prefix: 'tier' },
  payments_customer_id: text,
  automation_ids: { kind: 'texts', prefix: 'aut' },
  newsletter_list_ids: { kind: 'texts', prefix: 'nl_list' },
  skip_newsletter_list_auto_subscribe: { kind: 'boolean' },
  complimentary_gift_id: { kind: 'text', prefix: 'comp_access' },
};

/** A request that can be sent, or everything that is wrong with it. */
export type CheckedRequest = { readonly request: SubscriptionRequest } | { readonly problem: string };

/** Normalises the address and the words of enumerations, leaves out what is null or undefined, and checks the rest. */
export function checkRequest(value: unknown): CheckedRequest {
  if (!isRecord(value)) return { problem: 'the row must be an object with at least "email"' };
  const request: Partial<Record<RequestField, unknown>> = {};
  const problems =
    value['email'] === undefined || value['email'] === null || value['email'] === '' ? ['"email" is missing'] : [];
  for (const name of Object.keys(value)) {
    const entry = value[name];
    if (entry === undefined || entry === null || (name === 'email' && entry === '')) continue;
    if (!isRequestField(name)) {
      problems.push(
        `"${redact(name)}" is no field of a subscription; what the publication defined itself belongs into "custom_fields"`,
      );
      continue;
    }
    const sent =
      name === 'email' && typeof entry === 'string' ? normalizeAddress(entry) : inSpelling(requestFields[name], entry);
    const problem = problemOf(requestFields[name], sent);
    if (problem !== null) problems.push(`"${name}" ${problem}`);
    request[name] = sent;
  }
  // The loop above has looked at every key the type has.
  return problems.length > 0 ? { problem: problems.join('; ') } : { request: request as SubscriptionRequest };
}

export function isRequestField(name: string): name is RequestField {
  return Object.hasOwn(requestFields, name);
}

/** `Premium` of a spreadsheet as `premium`. */
function inSpelling({ values }: FieldDefinition, value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return values?.find((each) => each === word) ?? value;
}

function problemOf({ kind, values, prefix }: FieldDefinition, value: unknown): string | null {
  switch (kind) {
    case 'address':
      return typeof value === 'string' && isAddress(value)
        ? null
        : 'must be an e-mail address such as name@example.com';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'text':
      if (typeof value !== 'string') return 'must be a text';
      if (values && !values.includes(value)) return `must be one of ${values.map((each) => `"${each}"`).join(', ')}`;
      return prefix && !isId(prefix, value) ? `must look like ${prefix}_<uuid>` : null;
    case 'texts':
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return 'must be a list of texts';
      return prefix && !value.every((item) => isId(prefix, item)) ? `must hold ids such as ${prefix}_<uuid>` : null;
    case 'customFields':
      if (!Array.isArray(value)) return 'must be a list of {name, value}';
      for (const [index, field] of value.entries()) {
        const problem = customFieldProblem(field);
        if (problem !== null) return `${problem}, but entry ${index + 1} does not`;
      }
      return null;
  }
}

/** On the wire the name may be missing, but the service would drop the value without an error. */
function customFieldProblem(field: unknown): string | null {
  if (!isRecord(field) || Object.keys(field).some((key) => key !== 'name' && key !== 'value'))
    return 'must hold {name, value}';
  const { name, value } = field;
  if (typeof name !== 'string' || name === '') return 'must hold names (the display text of the custom field)';
  return isCustomFieldValue(value)
    ? null
    : 'must hold values that are a text, a number, true, false or a list of texts';
}

function isCustomFieldValue(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

function isId(prefix: string, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-9a-zA-Z-]+$/.test(value.slice(prefix.length + 1));
}
