/**
 * Custom fields of a subscription: one input per field of the publication, typed by the field's kind, and the
 * conversion of entered values to the API's form.
 */
import { type CallOptions, type Engine, isRecord } from '@newsletter-kit/core/engine';
import { isAmbiguousNumber } from '@newsletter-kit/core/facts';
import {
  type FieldValue,
  fieldValueReader,
  type HeadingMeaning,
  headingReader,
  listCustomFields,
} from '@newsletter-kit/core/import';
import { addressKey } from '@newsletter-kit/core/signup';
import {
  type FieldType,
  type IExecuteFunctions,
  type INodeProperties,
  type ResourceMapperField,
  tryToParseDateTime,
} from 'n8n-workflow';
import { quoted } from './properties.ts';
import { remembered } from '../remembered.ts';
import { isDateTime, ParameterMismatch, readValue } from './read.ts';

/** A custom field as the API takes it; the name is the field's `display` text. */
export interface SentField {
  readonly name: string;
  readonly value: FieldValue;
}

export const customFields: INodeProperties = {
  displayName: 'Custom Fields',
  name: 'customFields',
  type: 'resourceMapper',
  noDataExpression: true,
  default: { mappingMode: 'defineBelow', value: null },
  description: 'Values for the custom fields of the publication, each of the kind of its field',
  typeOptions: {
    loadOptionsDependsOn: ['publicationId.value'],
    resourceMapper: {
      resourceMapperMethod: 'getCustomFields',
      mode: 'add',
      valuesLabel: 'Custom Fields',
      fieldWords: { singular: 'custom field', plural: 'custom fields' },
      // n8n loads the fields of a new node before the node has a credential.
      noFieldsError: 'No custom fields have been read yet.',
      addAllFields: false,
      supportAutoMap: true,
    },
  },
};

/**
 * n8n's input for each kind. A list is a text, because n8n's input for lists takes JSON alone; so is a kind that came
 * later. Each input takes every fixed value that {@link convert} takes, except words such as "yes" at the switch of a
 * boolean.
 */
const inputs: Readonly<Partial<Record<string, FieldType>>> = {
  string: 'string',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  date: 'dateTime',
  datetime: 'dateTime',
  list: 'string',
};

/** The fields the editor offers. */
export async function mapperFields(engine: Engine): Promise<ResourceMapperField[]> {
  const { kinds } = await readCustomFieldsOf(engine);
  return [...kinds].map(([name, kind]) => ({
    id: name,
    displayName: name,
    required: false,
    defaultMatch: false,
    display: true,
    type: inputs[kind] ?? 'string',
  }));
}

/** The functions of a node that reading custom fields needs. */
export type ReadableNode = Pick<IExecuteFunctions, 'getNodeParameter' | 'getInputData' | 'getTimezone'>;

/** What reading the mapping of an item needs. */
export interface MappingContext {
  readonly node: ReadableNode;
  readonly itemIndex: number;
  readonly engine: Engine;
  notice(message: string): void;
}

/** What the mapping gives: custom fields, and with automatic mapping other parameters of the operation. */
export interface Mapped {
  readonly custom: readonly SentField[];
  /** By the API's name of the field. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the mapped custom fields of one item; with automatic mapping, all fields of the input item. A notice names
 * those that fill nothing.
 *
 * Skips n8n's validation of the values: it uses the types saved in the workflow, although a field may have another kind
 * since, and accepts `day 3` as a date.
 *
 * @param parameters - of the operation, which input fields of their names fill
 * @param entered - what these parameters have already, which wins
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function readMapped(
  context: MappingContext,
  parameters: readonly INodeProperties[],
  entered: Readonly<Record<string, unknown>>,
): Promise<Mapped> {
  const { node, itemIndex, engine } = context;
  if (node.getNodeParameter('customFields.mappingMode', itemIndex, 'defineBelow') !== 'autoMapInputData') {
    const mapped = node.getNodeParameter('customFields.value', itemIndex, {}, { skipValidation: true });
    const given = Object.entries(isRecord(mapped) ? mapped : {}).filter(([, value]) => !isEmpty(value));
    const custom = await toSentFields(new Map(given.map(([name, value]) => [name, { value }])), node, engine);
    return { custom, values: {} };
  }
  const { custom, values, named, unused } = await readInput(node.getInputData()[itemIndex]?.json ?? {}, {
    engine,
    parameters,
  });
  const { email, ...others } = values;
  const isAnother = email !== undefined && addressKey(String(email)) !== addressKey(String(entered['email'] ?? email));
  const left = [...unused, ...(isAnother ? [named.get('email')?.from ?? 'email'] : [])];
  if (left.length > 0) context.notice(notMapped(left));
  return { custom: await toSentFields(custom, node, engine), values: others };
}

/** The notice about input fields that fill nothing. */
export const notMapped = (names: Iterable<string>): string =>
  `No parameter of the operation and no custom field is named like the input fields ${quoted(names, 'and')}; they were left out.`;

/** A value, and the name of its input field if it differs from the name of the target field. */
export interface EnteredField {
  readonly value: unknown;
  readonly from?: string;
}

/** The fields of an input item by target field, without empty ones. */
export interface InputFields {
  /** Values for the parameters of the operation, by the API's name of the field. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The input fields of these, by the same name. */
  readonly named: ReadonlyMap<string, Required<EnteredField>>;
  /** By the display text of the custom field. */
  readonly custom: ReadonlyMap<string, EnteredField>;
  /** Names of input fields that fill nothing. */
  readonly unused: readonly string[];
}

/** What names of input fields can mean. */
interface Targets {
  readonly engine: Engine;
  /** Parameters of the operation, named as the fields of the request. */
  readonly parameters: readonly INodeProperties[];
}

/**
 * Reads an input item: custom fields together under `custom_fields`, as subscriptions and signups have them, and every
 * field whose name means a custom field or a parameter of the operation.
 *
 * @throws ParameterMismatch where a name could mean several fields, where several names mean one field and their values
 *   differ, or where a value does not fit its parameter
 */
export async function readInput(
  json: Readonly<Record<string, unknown>>,
  { engine, parameters }: Targets,
): Promise<InputFields> {
  const { meaningOf } = await readCustomFieldsOf(engine);
  const named = new Map<string, Required<EnteredField>>();
  const custom = new Map<string, Required<EnteredField>>();
  const unused: string[] = [];
  const take = (into: Map<string, Required<EnteredField>>, field: string, from: string, value: unknown): void => {
    const before = into.get(field);
    if (before === undefined) into.set(field, { value, from });
    else if (JSON.stringify(before.value) !== JSON.stringify(value))
      throw new ParameterMismatch(
        `"${before.from}" and "${from}" both fill ${into === custom ? `the custom field "${field}"` : `"${field}"`} and differ; leave one of them out`,
      );
  };
  for (const [name, value] of Object.entries(json)) {
    if (name === 'custom_fields') {
      for (const [field, of] of customFieldEntries(value)) if (!isEmpty(of)) take(custom, field, name, of);
      continue;
    }
    const meaning = meaningOf(name);
    // Whether it has a value or not: items of one table then have the same notice.
    if (meaning === undefined) {
      if (!isSignupDetails(name, value)) unused.push(name);
    } else if (isEmpty(value)) continue;
    else if ('ambiguous' in meaning)
      throw new ParameterMismatch(
        `"${name}" could mean the custom field ${meaning.ambiguous.map((field) => `"${field}"`).join(' or ')}; give it exactly one of these names`,
      );
    else if (meaning.target.startsWith(prefix)) take(custom, meaning.target.slice(prefix.length), name, value);
    // Create or Update alone reactivates, by its own parameter.
    else if (meaning.target !== 'reactivate_existing' && parameters.some((one) => one.name === meaning.target))
      take(named, meaning.target, name, value);
    else unused.push(name);
  }
  const values: Record<string, unknown> = {};
  for (const property of parameters) {
    const input = named.get(property.name);
    const read = input && readValue({ ...property, displayName: input.from }, input.value);
    if (read !== undefined) values[property.name] = read;
  }
  return { values, named, custom, unused };
}

/** Whether an input field holds what the signup trigger adds to a subscription: consent and attribution. */
const isSignupDetails = (name: string, value: unknown): boolean =>
  name === 'signup' && isRecord(value) && 'consent_given' in value;

const prefix = 'custom:';

/** `[{ name, value }]` or `{ [name]: value }`, as values by name. */
function customFieldEntries(fields: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(fields)) return fields.filter(isRecord).map(({ name, value }) => [String(name), value]);
  return isRecord(fields) ? Object.entries(fields) : [];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * Converts values to the form that the API takes. Unknown custom fields are sent too: the service warns that it drops
 * them.
 *
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function toSentFields(
  values: ReadonlyMap<string, EnteredField>,
  node: Pick<ReadableNode, 'getTimezone'>,
  engine: Engine,
): Promise<SentField[]> {
  if (values.size === 0) return [];
  const { kinds } = await readCustomFieldsOf(engine);
  return [...values].map(([name, { value, from = name }]) => {
    const converted = convert(kinds.get(name) ?? 'string', value, node.getTimezone());
    if ('sent' in converted) return { name, value: converted.sent };
    const field = `custom field "${name}"`;
    throw new ParameterMismatch(
      from === name || from === 'custom_fields'
        ? `The ${field} must be ${converted.expected}`
        : `"${from}" must be ${converted.expected}, because it fills the ${field}`,
    );
  });
}

/** The value to send, or the expected form, which completes "must be". */
type Converted = { readonly sent: FieldValue } | { readonly expected: string };

/**
 * Converts a value from any input in the same way: n8n validates some values by the type of the editor's input, and
 * others not at all.
 *
 * @param timezone - of the workflow, for times without an offset, as in n8n's own nodes
 */
function convert(kind: string, value: unknown, timezone: string): Converted {
  const { expected, read } = fieldValueReader(kind);
  const sent = read(inTextForm(kind, value, timezone));
  if (sent !== undefined) return { sent };
  const isAmbiguous = /integer|double/.test(kind) && isAmbiguousNumber(String(value));
  return { expected: isAmbiguous ? `${expected}: this text can be two numbers, so enter a number` : expected };
}

/** As e-mail headers have it (RFC 2822): `Fri, 20 Nov 2026 09:30:00 +0100`. */
const headerDate = /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d{2}:\d{2}/;

/** Dates as ISO 8601, times with their offset from UTC; every other value as it is. */
function inTextForm(kind: string, value: unknown, timezone: string): unknown {
  if (isDateTime(value)) return kind === 'date' ? value.toISODate() : value.toISO({ suppressMilliseconds: true });
  // The day of a date is the day that is written; only a time depends on a zone.
  const time = kind === 'datetime' && !(value instanceof Date) ? fieldValueReader(kind).read(value) : undefined;
  const isHeaderDate = kind.startsWith('date') && typeof value === 'string' && headerDate.test(value.trim());
  if (time === undefined && !isHeaderDate && !(value instanceof Date)) return value;
  try {
    return inTextForm(kind, tryToParseDateTime(time ?? value, timezone), timezone);
  } catch {
    return value; // rejected with its own value
  }
}

/** The custom fields of a publication. */
export interface KnownCustomFields {
  /** The kind of each field by its `display` text, the name by which subscriptions refer to it. */
  readonly kinds: ReadonlyMap<string, string>;
  /** The field of a subscription that the name of an input field stands for; undefined where there is none. */
  meaningOf(name: string): HeadingMeaning | undefined;
}

/** Cached for as long as the engine, which is one run of a node. */
const known = new WeakMap<Engine, Promise<KnownCustomFields>>();

/** The custom fields as they were when the run began to use them. */
export function readCustomFieldsOf(engine: Engine): Promise<KnownCustomFields> {
  const loading = known.get(engine) ?? loadCustomFields(engine);
  known.set(engine, loading);
  return loading;
}

/** The kind of each custom field of the publication by its `display` text, as they are now. */
export async function readKinds(engine: Engine, call?: CallOptions): Promise<ReadonlyMap<string, string>> {
  const fields = await listCustomFields(engine, { call });
  return new Map(fields.map(({ display, kind }) => [display, kind]));
}

async function loadCustomFields(engine: Engine): Promise<KnownCustomFields> {
  const kinds = await readKinds(engine);
  // Thousands of items have the same few names.
  return { kinds, meaningOf: remembered(headingReader([...kinds.keys()])) };
}
