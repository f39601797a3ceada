/** Custom fields of a subscription: one input per field of the publication, typed by the field's kind. */
import type { Engine } from '@newsletter-kit/core/engine';
import type { FieldType, IExecuteFunctions, INodeProperties, ResourceMapperField } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { readKinds } from '../transport/customFieldKinds.ts';
import { ParameterMismatch } from './read.ts';
import { conversions, type SentValue } from './customFieldValue.ts';

/** A custom field as the API takes it; the name is the field's `display` text. */
export interface SentField {
  readonly name: string;
  readonly value: SentValue;
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
      // n8n asks for them before it has put a credential into a new node; then nothing is known of the publication.
      noFieldsError: 'No custom fields have been read yet.',
      addAllFields: false,
      supportAutoMap: true,
    },
  },
};

/** n8n's input for each kind; a kind that came later is a text. */
const inputs: Readonly<Record<string, FieldType>> = {
  string: 'string',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  date: 'dateTime',
  datetime: 'dateTime',
  list: 'array',
};

/** The fields the editor offers. */
export async function mapperFields(engine: Engine): Promise<ResourceMapperField[]> {
  const kinds = await readKinds(engine);
  return [...kinds].map(([name, kind]) => ({
    id: name,
    displayName: name,
    required: false,
    defaultMatch: false,
    display: true,
    type: inputs[kind] ?? 'string',
  }));
}

/** Where custom fields are read from. */
export type ReadableNode = Pick<IExecuteFunctions, 'getNodeParameter' | 'getInputData'>;

/**
 * Reads what was mapped for one item; with automatic mapping, what the input item holds.
 *
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function readCustomFields(node: ReadableNode, itemIndex: number, engine: Engine): Promise<SentField[]> {
  if (node.getNodeParameter('customFields.mappingMode', itemIndex, 'defineBelow') === 'autoMapInputData') {
    return fieldsOfItem(node.getInputData()[itemIndex]?.json ?? {}, engine);
  }
  return toSentFields(node.getNodeParameter('customFields.value', itemIndex, {}), engine, 'send');
}

/**
 * The custom fields of an input item: those that stand together under `custom_fields`, as subscriptions and signups
 * have them, and every field that bears the name of one.
 *
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function fieldsOfItem(json: Readonly<Record<string, unknown>>, engine: Engine): Promise<SentField[]> {
  return [
    ...(await toSentFields(together(json['custom_fields']), engine, 'send')),
    ...(await toSentFields(json, engine, 'leave out')),
  ];
}

/** `[{ name, value }]` or `{ [name]: value }`, as values by name. */
function together(fields: unknown): unknown {
  return Array.isArray(fields)
    ? Object.fromEntries(fields.filter(isRecord).map(({ name, value }) => [String(name), value]))
    : fields;
}

/**
 * What is sent of these values by name; what is empty is left out.
 *
 * @param unknown - what to do with a name that is no custom field: the service says what it drops
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
async function toSentFields(entered: unknown, engine: Engine, unknown: 'leave out' | 'send'): Promise<SentField[]> {
  const values = Object.entries(isRecord(entered) ? entered : {}).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  if (values.length === 0) return [];

  const kinds = await readKinds(engine);
  return values.flatMap(([name, value]) => {
    const kind = kinds.get(name);
    if (kind === undefined && unknown === 'leave out') return [];
    const conversion = conversions[kind ?? 'string'] ?? conversions['string'];
    const sent = conversion?.convert(value);
    if (sent === undefined)
      throw new ParameterMismatch(`The custom field "${name}" must be ${conversion?.must ?? 'a text'}`);
    return [{ name, value: sent }];
  });
}
