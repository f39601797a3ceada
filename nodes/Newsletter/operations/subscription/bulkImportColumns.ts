/**
 * Bulk Import: parameters that only name fields of the input item. n8n evaluates an expression in a fraction of a
 * millisecond, which makes most of the time of an import of thousands; "the field of this name" needs no evaluation.
 * Pure.
 */
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../../isRecord.ts';
import type { ReadableNode } from '../../parameters/customFields.ts';

/** Exactly `={{ $json.name }}` or `={{ $json["a name"] }}`; whatever says more is left to n8n. */
const reference = /^=\{\{\s*\$json(?:\.([A-Za-z_]\w*)|\[\s*(["'])([^"'\\]+)\2\s*\])\s*\}\}$/;

/** Whether the parameter, as it is stored, holds nothing but constants and names of fields. */
function isPlain(stored: unknown): boolean {
  if (typeof stored === 'string') return !stored.startsWith('=') || reference.test(stored);
  return typeof stored !== 'object' || stored === null || Object.values(stored).every(isPlain);
}

/** The parameter as it is stored, with the fields of this item put in. Only for what {@link isPlain}. */
function putIn(stored: unknown, json: Readonly<Record<string, unknown>>): unknown {
  if (typeof stored === 'string') {
    const [, plain, , quoted] = reference.exec(stored) ?? [];
    const name = plain ?? quoted;
    return name === undefined ? stored : json[name];
  }
  if (Array.isArray(stored)) return stored.map((one) => putIn(one, json));
  return isRecord(stored)
    ? Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, putIn(value, json)]))
    : stored;
}

/**
 * Reads these parameters as n8n would; null where one of them says more than the name of a field.
 *
 * @param stored - the parameters of the node as the workflow has them
 */
export function columnReader(
  stored: Readonly<Record<string, unknown>>,
  properties: readonly INodeProperties[],
  input: INodeExecutionData[],
): ReadableNode | null {
  if (!properties.every(({ name }) => stored[name] !== undefined && isPlain(stored[name]))) return null;
  const read = (path: string, itemIndex: number, fallback?: unknown): unknown => {
    const value = path
      .split('.')
      .reduce<unknown>((within, name) => (isRecord(within) ? within[name] : undefined), stored);
    return putIn(value, input[itemIndex]?.json ?? {}) ?? fallback;
  };
  return { getNodeParameter: read as IExecuteFunctions['getNodeParameter'], getInputData: () => input };
}
