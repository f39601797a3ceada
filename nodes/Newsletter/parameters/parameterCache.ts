/**
 * Caches parameters of thousands of items: n8n evaluates a parameter on every read, which takes up to half a
 * millisecond for one expression.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import type { IExecuteFunctions } from 'n8n-workflow';
import { remembered } from '../remembered.ts';

type ParameterReader = Pick<IExecuteFunctions, 'getNodeParameter'>;
type Node = ParameterReader & Pick<IExecuteFunctions, 'evaluateExpression' | 'getInputData' | 'getNode'>;

/** Whether a parameter depends on the item: not at all, only by names of its fields, or in another way. */
type ItemDependence = 'none' | 'fields' | 'other';

/** Exactly `={{ $json.name }}` or `={{ $json["a name"] }}`, as the editor writes it when an input field is dropped. */
const reference = /^=\{\{\s*\$json(?:\.([A-Za-z_]\w*)|\[\s*(["'])([^"'\\{}]+)\2\s*\])\s*\}\}$/;

/**
 * A `getNodeParameter` with a cache. n8n evaluates every value:
 *
 * - a parameter without expressions is read for the first item, and is the same for all
 * - where expressions only name input fields, n8n evaluates one expression for the whole column
 * - every other parameter is read for each item
 *
 * Callers must not change the values. Only for parameters whose values n8n does not validate by type.
 */
function cachedReader(node: Node): ParameterReader['getNodeParameter'] {
  const stored: unknown = node.getNode().parameters;
  const dependences = new Map<string, ItemDependence>();
  const firsts = new Map<string, unknown>();
  /** The values of an input field in the order of the items; null where n8n does not return all of them. */
  const columnOf = remembered((name: string) => evaluateColumn(node, name));
  const dependenceOf = (path: string, fallback: unknown): ItemDependence => {
    const known = dependences.get(path);
    if (known !== undefined) return known;
    const expressions = expressionsIn(within(stored, path) ?? fallback);
    const names = expressions.map(fieldNamedBy);
    const readable = names.every((name) => name !== undefined && columnOf(name) !== null);
    const dependence = expressions.length === 0 ? 'none' : readable ? 'fields' : 'other';
    dependences.set(path, dependence);
    return dependence;
  };
  /** Replaces the fields in the value of the first item by those of this item. */
  const putIn = (source: unknown, first: unknown, itemIndex: number): unknown => {
    const name = typeof source === 'string' ? fieldNamedBy(source) : undefined;
    if (name !== undefined) return columnOf(name)?.[itemIndex];
    if (Array.isArray(source) && Array.isArray(first))
      return source.map((one, index) => putIn(one, first[index], itemIndex));
    if (!isRecord(source) || !isRecord(first)) return first;
    return Object.fromEntries(Object.keys(source).map((key) => [key, putIn(source[key], first[key], itemIndex)]));
  };

  const read = (...[path, itemIndex, fallback, options]: Parameters<ParameterReader['getNodeParameter']>): unknown => {
    const dependence = dependenceOf(path, fallback);
    // n8n extracts the value from the whole parameter.
    if (dependence === 'other' || (dependence === 'fields' && options?.extractValue))
      return node.getNodeParameter(path, itemIndex, fallback, options);
    if (!firsts.has(path)) firsts.set(path, node.getNodeParameter(path, 0, fallback, options));
    const first = firsts.get(path);
    return dependence === 'none' ? first : putIn(within(stored, path) ?? fallback, first, itemIndex);
  };
  return read as ParameterReader['getNodeParameter'];
}

/** The node with a {@link cachedReader}, if it has several input items. */
export function withParameterCache(node: IExecuteFunctions): IExecuteFunctions {
  if (node.getInputData().length < 2) return node;
  return Object.create(node, { getNodeParameter: { value: cachedReader(node) } }) as IExecuteFunctions;
}

function evaluateColumn(node: Node, name: string): readonly unknown[] | null {
  try {
    const field = JSON.stringify(name);
    const column: unknown = node.evaluateExpression(`{{ $input.all().map((item) => item.json[${field}]) }}`, 0);
    return Array.isArray(column) && column.length === node.getInputData().length ? column : null;
  } catch {
    return null; // n8n says what is wrong when it reads the parameter for each item.
  }
}

/** The input field that an expression consists of; undefined for names of Object.prototype, which n8n handles. */
function fieldNamedBy(expression: string): string | undefined {
  const [, plain, , quoted] = reference.exec(expression) ?? [];
  const name = plain ?? quoted;
  return name === undefined || name in {} ? undefined : name;
}

/** The expressions of a parameter in the workflow, each with a leading `=`. */
function expressionsIn(source: unknown): readonly string[] {
  if (typeof source === 'string') return source.startsWith('=') ? [source] : [];
  return typeof source === 'object' && source !== null ? Object.values(source).flatMap(expressionsIn) : [];
}

/** The parameter at this path; `=`, an expression without a field, where a text replaces an object. */
function within(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (isRecord(value) ? value[name] : typeof value === 'string' ? '=' : undefined), values);
}
