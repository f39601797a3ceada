/**
 * Converts entered values into the arguments of an operation, by the descriptions of the parameters. Empty values count
 * as not set; a wrong value fails before anything is sent.
 */
import { isRecord } from '@newsletter-kit/core/engine';
import { fieldValueReader } from '@newsletter-kit/core/import';
import { type IExecuteFunctions, type INodeProperties, tryToParseDateTime } from 'n8n-workflow';

/** A value that does not fit its parameter, which the message names. */
export class ParameterMismatch extends Error {
  override readonly name = 'ParameterMismatch';
}

/** Where parameters are read from: a node, and the input item they are evaluated for. */
export interface ItemParameters {
  readonly node: Pick<IExecuteFunctions, 'getNodeParameter'> & Partial<Pick<IExecuteFunctions, 'getTimezone'>>;
  readonly itemIndex: number;
  /**
   * Values that were evaluated for this item already, by the name of the parameter: evaluating an expression takes n8n
   * up to half a millisecond.
   */
  readonly evaluated?: ReadonlyMap<string, unknown>;
}

/** A trigger or the editor, which have no input items: n8n reads their parameters without an index. */
export interface WithoutItems {
  getNodeParameter(name: string, fallback?: unknown, options?: { readonly extractValue?: boolean }): unknown;
}

export function withoutItems(node: WithoutItems): ItemParameters {
  const read = (name: string, _itemIndex: number, fallback?: unknown, options?: object): unknown =>
    node.getNodeParameter(name, fallback, options);
  return { node: { getNodeParameter: read as ItemParameters['node']['getNodeParameter'] }, itemIndex: 0 };
}

/**
 * Reads a parameter of the operation; undefined where nothing was entered.
 *
 * @throws ParameterMismatch, also where a required one is empty
 */
export function readParameter({ node, itemIndex, evaluated }: ItemParameters, property: INodeProperties): unknown {
  const entered = evaluated?.has(property.name)
    ? evaluated.get(property.name)
    : node.getNodeParameter(property.name, itemIndex, property.default);
  const value = readValue(property, entered, node.getTimezone?.());
  if (value === undefined && property.required) throw new ParameterMismatch(`"${property.displayName}" is empty`);
  return value;
}

/**
 * Reads the collection of this name.
 *
 * @throws ParameterMismatch
 */
export function readFields(
  { node, itemIndex }: ItemParameters,
  name: string,
  properties: readonly INodeProperties[],
): Record<string, unknown> {
  return properties.length === 0
    ? {}
    : readCollection(properties, node.getNodeParameter(name, itemIndex, {}), node.getTimezone?.());
}

/**
 * Reads a collection whose parameters bear the API's own names.
 *
 * @throws ParameterMismatch
 */
export function readCollection(
  properties: readonly INodeProperties[],
  entered: unknown,
  zone?: string,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!isRecord(entered)) return values;
  for (const property of properties) {
    const value = readValue(property, entered[property.name], zone);
    if (value !== undefined) values[property.name] = value;
  }
  return values;
}

/**
 * Reads one value; undefined where nothing was entered.
 *
 * @param zone - the time zone of dates that name none
 * @throws ParameterMismatch
 */
export function readValue(property: INodeProperties, value: unknown, zone = 'UTC'): unknown {
  if (value === undefined || value === null || value === '') return undefined;
  if (property.type === 'resourceLocator') return readLocated(property, value);
  if (property.type === 'fixedCollection') return readGroups(property, value);
  if (property.type === 'json') return readObject(property, value);
  if (property.type === 'boolean') return readBoolean(property, value);
  if (property.type === 'number') return readNumber(property, value);
  if (property.type === 'dateTime')
    return property.typeOptions?.dateOnly ? readDay(property, value, zone) : readMoment(property, value, zone);
  if (property.type === 'multiOptions' || property.typeOptions?.multipleValues === true)
    return readList(property, value);
  return checkChoice(property, readText(property, value));
}

function readText(property: INodeProperties, value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (typeof value === 'number') return String(value);
  throw new ParameterMismatch(`"${property.displayName}" must be a text`);
}

/** The chosen or typed ID; an expression or an agent may give the bare value. */
function readLocated(property: INodeProperties, value: unknown): string | undefined {
  const chosen = isRecord(value) ? value['value'] : value;
  return chosen === undefined || chosen === null ? undefined : readText(property, chosen);
}

/** IDs of a fixed collection with one locator each; an expression or an agent may give a list of IDs. */
function readGroups(property: INodeProperties, value: unknown): string[] | undefined {
  if (!isRecord(value)) return readList(property, value);
  const groups = Object.values(value).flatMap((of): unknown[] => (Array.isArray(of) ? of : [of]));
  const chosen = groups
    .flatMap((group) => (isRecord(group) ? Object.values(group) : [group]))
    .map((one) => readLocated(property, one));
  const named = chosen.filter((one) => one !== undefined);
  return named.length > 0 ? named : undefined;
}

function readNumber(property: INodeProperties, value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  const { minValue = Number.NEGATIVE_INFINITY, maxValue = Number.POSITIVE_INFINITY } = property.typeOptions ?? {};
  if (typeof number === 'number' && number >= minValue && number <= maxValue) return number;
  const range = [Number.isFinite(minValue) && `from ${minValue}`, Number.isFinite(maxValue) && `to ${maxValue}`]
    .filter(Boolean)
    .join(' ');
  throw new ParameterMismatch(`"${property.displayName}" must be a number ${range}`.trim());
}

function readBoolean(property: INodeProperties, value: unknown): boolean {
  const read = fieldValueReader('boolean').read(value);
  if (typeof read === 'boolean') return read;
  throw new ParameterMismatch(`"${property.displayName}" must be true or false`);
}

/** An object, or its JSON text. */
function readObject(property: INodeProperties, value: unknown): Record<string, unknown> {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    if (isRecord(read)) return read;
  } catch {
    // refused below, without the text
  }
  throw new ParameterMismatch(`"${property.displayName}" must be a JSON object, such as { "name": "value" }`);
}

/** A list, or a text with commas between the entries. */
function readList(property: INodeProperties, value: unknown): string[] | undefined {
  const entries: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
  const texts = entries
    .map((entry) => checkChoice(property, readText(property, entry)))
    .filter((text) => text !== undefined);
  return texts.length > 0 ? texts : undefined;
}

/** A day as the API takes it, YYYY/MM/DD, from an expression or the date picker. A text has the day that is written. */
function readDay(property: INodeProperties, value: unknown, zone: string): string {
  const text = value instanceof Date ? momentOf(value, zone)?.toISODate() : String(value);
  const [, year, month, day] = /^(\d{4})[-/](\d{2})[-/](\d{2})(?:\D|$)/.exec(text ?? '') ?? [];
  if (day === undefined) throw new ParameterMismatch(`"${property.displayName}" must be a date such as 2026-11-20`);
  return `${year}/${month}/${day}`;
}

/** The DateTime of n8n, of whichever copy of Luxon. */
interface DateTime {
  toISODate(): string | null;
  toISO(options: { suppressMilliseconds: boolean }): string | null;
  toUnixInteger(): number;
}

export function isDateTime(value: unknown): value is DateTime {
  return typeof value === 'object' && value !== null && 'toISODate' in value && 'toISO' in value;
}

/** A date of the picker or of an expression; undefined for other texts, of which n8n reads some, such as `day 3`. */
function momentOf(value: unknown, zone: string): DateTime | undefined {
  if (!(value instanceof Date) && !/^\s*\d{4}-/.test(String(value))) return undefined;
  try {
    const moment: unknown = tryToParseDateTime(value, zone);
    return isDateTime(moment) ? moment : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Unix seconds.
 *
 * @throws ParameterMismatch
 */
function readMoment(property: INodeProperties, value: unknown, zone: string): number {
  const seconds = momentOf(value, zone)?.toUnixInteger();
  if (seconds !== undefined) return seconds;
  throw new ParameterMismatch(`"${property.displayName}" must be a date such as 2026-11-20 or 2026-11-20T09:30:00`);
}

/** The value of the option. A sheet or a model may have its name, or either one in another spelling. */
function checkChoice(property: INodeProperties, text: string | undefined): string | undefined {
  if (text === undefined || (property.type !== 'options' && property.type !== 'multiOptions')) return text;
  // Options loaded by the editor are checked by the service.
  if (property.typeOptions?.loadOptionsMethod !== undefined) return text;
  const options = (property.options ?? []).flatMap((option) => ('value' in option ? [option] : []));
  const choices = options.map(({ value }) => String(value));
  if (choices.includes(text)) return text;
  const word = wordKey(text);
  const [meant, ...others] = options.filter(({ name, value }) => [String(value), name].map(wordKey).includes(word));
  if (meant !== undefined && others.length === 0) return String(meant.value);
  throw new ParameterMismatch(`"${property.displayName}" must be one of ${choices.join(', ')}`);
}

/** Equal for spellings that differ in case, spaces, hyphens and underscores. */
const wordKey = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]+/g, '');
