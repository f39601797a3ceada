/** Reads fields of an answer that are not documented. */

/**
 * Reads a field that the service sends beyond the documented ones. Answers keep such fields, but their types do not
 * list them, so that a misspelled name does not compile.
 *
 * @example
 * ```ts
 * const customer = extraField(subscription, 'stripe_customer_id');
 * if (typeof customer === 'string') console.log(customer);
 * ```
 * @param record - any object of an answer, also a nested one
 * @param name - the field's name as the service spells it
 * @returns its value, or undefined where the record has no such field
 */
export function extraField(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Readonly<Record<string, unknown>>)[name] : undefined;
}
