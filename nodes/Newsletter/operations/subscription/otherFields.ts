/** Fields that a service takes and the specification does not have: a JSON object, sent beside the other fields. */
import { bulkUpdateItemWords, operation, subscriptionRequestWords } from '@newsletter-kit/core/contract';
import { isRecord, nearMiss } from '@newsletter-kit/core/engine';
import type { INodeProperties } from 'n8n-workflow';
import { customFields } from '../../parameters/customFields.ts';
import { labelsIn } from '../../parameters/properties.ts';
import { ParameterMismatch } from '../../parameters/read.ts';

export const otherFields: INodeProperties = {
  displayName: 'Other Fields (JSON)',
  name: 'otherFieldsJson',
  type: 'json',
  placeholder: 'e.g. { "loyalty_level": "gold" }',
  default: '{}',
  description: 'Fields that the service takes and this node has no parameter for, as a JSON object',
};

/** Names with a parameter, of this operation or another: consent above all is set nowhere else. */
const known = [
  ...new Set([
    ...[subscriptionRequestWords, bulkUpdateItemWords].flatMap(Object.keys),
    ...operation('subscriptions.updateStatus').body.fields,
    'status',
    'publicationId',
  ]),
];

/**
 * The fields of a collection, with those entered as JSON, and the names of the latter.
 *
 * @param parameters - of the operation, by which an error names the one to use
 * @throws ParameterMismatch for a name that is known, or nearly
 */
export function withOtherFields(
  { [otherFields.name]: entered, ...fields }: Readonly<Record<string, unknown>>,
  parameters: readonly INodeProperties[],
): { readonly fields: Readonly<Record<string, unknown>>; readonly others: readonly string[] } {
  const added = isRecord(entered) ? entered : {};
  const others = Object.keys(added);
  for (const name of others) {
    const meant = meantBy(name, fields);
    if (meant === undefined) continue;
    const label = meant === 'custom_fields' ? customFields.displayName : labelsIn(meant, parameters)[0];
    throw new ParameterMismatch(
      `"${otherFields.displayName}" must not hold "${name}"; ${label === undefined ? 'this operation does not set it' : `use "${label}" instead`}`,
    );
  }
  return { fields: { ...fields, ...added }, others };
}

function meantBy(name: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  if (name === '__proto__') return name;
  // The parameter is sent under this name to services that know no other.
  if (name === 'stripe_customer_id' && 'payments_customer_id' in fields) return 'payments_customer_id';
  return nearMiss(name, known);
}
