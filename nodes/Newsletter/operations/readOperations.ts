/**
 * Builds Get and Get Many from the contract: names, parameters, requests and record shapes. An operation states only
 * its differences.
 */
import {
  type AnswerRecord,
  answerRecords,
  operation,
  type Operation,
  type OperationWords,
  words,
  pageLimit,
} from '@newsletter-kit/core/contract';
import type { Arguments, ListId } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { locatorOf } from '../parameters/locators.ts';
import { byName, collection, describe, include, number, texts, titleOf, toggle } from '../parameters/properties.ts';
import { type ItemParameters, readCollection, readFields, readParameter } from '../parameters/read.ts';
import {
  expandOf,
  readOutputForm,
  type RecordId,
  recordIn,
  type RecordShape,
  type ShapeChoice,
  shapeOf,
  toRecord,
} from '../records.ts';
import type { ItemOperation, OperationContext, ResourceDefinition } from './definition.ts';

/** An operation that reads one record. */
export type GetId = Extract<RecordId, `${string}.get`>;
/** An operation that reads a list of records. */
export type ManyId = Extract<RecordId, ListId>;

/** Where an operation differs from what the contract says of it. */
export interface Differences {
  /** The record in a sentence, without its article; default: the name of the record in words. */
  readonly noun?: string;
  readonly name?: string;
  readonly description?: string;
  readonly action?: string;
  /** Locators of path parameters that have no locator of their own name. */
  readonly path?: Readonly<Record<string, INodeProperties>>;
  /** Replaces the filters derived from the query parameters. */
  readonly filters?: readonly INodeProperties[];
  /** Replaces the options derived from `expand`. */
  readonly options?: readonly INodeProperties[];
  /** Descriptions of the values of `expand`. */
  readonly included?: Readonly<Record<string, string>>;
  /** Placeholders of the filters, by name. */
  readonly placeholders?: Readonly<Record<string, string>>;
  readonly record?: RecordShape | ShapeChoice;
  /** Reads the records in place of the plain list, for filters that the service does not have. */
  readonly list?: (context: OperationContext, args: Readonly<Record<string, unknown>>) => AsyncIterable<object>;
}

/** Get: one record, chosen by the locators of its path. */
export function getOne(id: GetId, differences: Differences = {}): ItemOperation {
  const { noun = nounOf(id) } = differences;
  const sentence = `Get ${article(noun)} ${noun}`;
  const path = pathOf(id, differences);
  const options = differences.options ?? includeOf(id, differences);
  const record = shapeFor(id, differences);
  return {
    name: differences.name ?? 'Get',
    description: differences.description ?? sentence,
    action: differences.action ?? sentence,
    record,
    properties: [...Object.values(path), ...collection('options', 'Options', 'Add option', options)],
    async execute(context) {
      const args: object = { ...readPath(context, path), ...readOptions(context, id, record, options) };
      return [recordIn(await context.engine.call(id, args as Arguments<GetId>, context.call))];
    },
  };
}

const returnAll = toggle({
  displayName: 'Return All',
  name: 'returnAll',
  description: 'Whether to return all results or only up to a given limit',
});

const limit = number({
  displayName: 'Limit',
  name: 'limit',
  typeOptions: { minValue: 1 },
  default: 50,
  description: 'Max number of results to return',
  displayOptions: { show: { returnAll: [false] } },
});

/** The parameters for the number of results of a list. */
const listLength: readonly INodeProperties[] = [returnAll, limit];

/**
 * The maximum number of results; infinity for all.
 *
 * @throws ParameterMismatch
 */
function readLength(item: ItemParameters): number {
  return readParameter(item, returnAll) === true
    ? Number.POSITIVE_INFINITY
    : Number(readParameter(item, limit) ?? limit.default);
}

/** Get Many: a list with Return All, Limit, and the filters and options of its query. */
export function getMany(id: ManyId, differences: Differences = {}): ItemOperation {
  const sentence = `Get many ${pluralOf(differences.noun ?? nounOf(id))}`;
  const path = pathOf(id, differences);
  const { filters = filtersOf(id, differences), options = includeOf(id, differences) } = differences;
  const hasPages = contractOf(id).query.includes('limit');
  const record = shapeFor(id, differences);
  return {
    name: differences.name ?? 'Get Many',
    description: differences.description ?? sentence,
    action: differences.action ?? sentence,
    record,
    properties: [
      ...Object.values(path),
      ...listLength,
      ...collection('filters', 'Filters', 'Add Filter', filters),
      ...collection('options', 'Options', 'Add option', options),
    ],
    async execute(context) {
      const max = readLength(context);
      const args = {
        ...readPath(context, path),
        ...readFields(context, 'filters', filters),
        ...readOptions(context, id, record, options),
        ...(hasPages && { limit: Math.min(max, pageLimit.max) }),
      };
      const list = differences.list?.(context, args) ?? context.engine.list(id, args, context.call);
      const records: IDataObject[] = [];
      for await (const item of list) {
        if (records.push(toRecord(item)) >= max) break;
      }
      return records;
    },
  };
}

/**
 * Reads the options of a read, and what the service has to add to its records.
 *
 * @throws ParameterMismatch
 */
export function readOptions(
  item: ItemParameters,
  id: RecordId,
  record: RecordShape,
  options: readonly INodeProperties[],
): Record<string, unknown> {
  const include = options.find(({ name }) => name === 'expand');
  const entered = options.length > 0 ? item.node.getNodeParameter('options', item.itemIndex, {}) : {};
  const expand = expandOf(id, readOutputForm(item, record), include, entered);
  const others = options.filter((option) => option !== include);
  return { ...readCollection(others, entered), ...(expand.length > 0 && { expand }) };
}

/** A resource of the contract whose operations only read: `list`, and `get` where the contract has it. */
export function readOnlyResource(
  resource: string,
  { get, getMany: many }: { readonly get?: Differences; readonly getMany?: Differences } = {},
): readonly [value: string, definition: ResourceDefinition] {
  const listId = `${resource}.list` as ManyId;
  const getId = `${resource}.get` as GetId;
  const { name } = answerRecords[listId];
  return [
    name.charAt(0).toLowerCase() + name.slice(1),
    {
      contract: resource,
      name: name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '),
      ...(!contractOf(listId).path.includes('{publicationId}') && { workspace: true }),
      operations: {
        ...(getId in answerRecords && { get: getOne(getId, get) }),
        getMany: getMany(listId, many),
      },
    },
  ];
}

/**
 * Reads the records in the path of the address.
 *
 * @throws ParameterMismatch where one was not chosen
 */
export function readPath(
  item: ItemParameters,
  path: Readonly<Record<string, INodeProperties>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(path).map(([name, property]) => [name, String(readParameter(item, property))]),
  );
}

const contractOf = (id: RecordId): Operation => operation(id);
const wordsOf = (id: RecordId, parameter: string) => (words[id] as OperationWords).parameters[parameter];

function shapeFor(id: RecordId, { record }: Differences): RecordShape {
  return record && 'simple' in record ? record : shapeOf(id, record);
}

function pathOf(id: RecordId, { path = {} }: Differences): Readonly<Record<string, INodeProperties>> {
  const names = [...contractOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(
    names
      .filter((name) => name !== 'publicationId')
      .map((name) => [name, path[name] ?? locatorOf(name, id, wordsOf(id, name)?.text)]),
  );
}

/** Query parameters that no person fills in: paging, the only order there is, and `expand`, which is an option. */
const withoutFilter = new Set(['limit', 'cursor', 'page', 'order_by', 'expand[]']);

function filtersOf(id: ManyId, { placeholders = {} }: Differences): readonly INodeProperties[] {
  const { choices = {} }: AnswerRecord = answerRecords[id];
  return contractOf(id)
    .query.filter((name) => !withoutFilter.has(name))
    .map((query): INodeProperties => {
      const name = query.replace(/\[\]$/, '');
      const { text = '', default: preset } = wordsOf(id, name) ?? {};
      const described = {
        displayName: titleOf(name),
        name,
        description: describe({ text }),
        ...(placeholders[name] !== undefined && { placeholder: placeholders[name] }),
      };
      const values = choices[name];
      if (values)
        return {
          ...described,
          type: 'options',
          default: String(preset ?? values[0] ?? ''),
          options: byName(values.map((value) => ({ name: titleOf(value), value }))),
        };
      return query === name ? { ...described, type: 'string', default: '' } : texts('Add Value', described);
    });
}

function includeOf(id: RecordId, { included = {} }: Differences): readonly INodeProperties[] {
  const values = contractOf(id).expand.map((value) => ({
    name: value === 'stats' ? 'Statistics' : titleOf(value),
    value,
    ...(included[value] !== undefined && { description: included[value] }),
  }));
  return values.length > 0 ? [include(...byName(values))] : [];
}

/** `ConditionSet` as "condition set". */
function nounOf(id: RecordId): string {
  return answerRecords[id].name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

const article = (noun: string): string => (/^[aeio]/.test(noun) ? 'an' : 'a');

/** "access" as "accesses", "opportunity" as "opportunities". */
function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
