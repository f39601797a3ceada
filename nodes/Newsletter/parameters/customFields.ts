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
  typeOptions: {
    loadOptionsDependsOn: ['publicationId.value'],
    resourceMapper: {
      resourceMapperMethod: 'getCustomFields',
      mode: 'add',
      valuesLabel: 'Custom Fields',
      fieldWords: { singular: 'custom field', plural: 'custom fields' },
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
 * Reads what was mapped for one item. With automatic mapping every input field that bears a custom field's name is taken.
 *
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function readCustomFields(node: ReadableNode, itemIndex: number, engine: Engine): Promise<SentField[]> {
  const automatic = node.getNodeParameter('customFields.mappingMode', itemIndex, 'defineBelow') === 'autoMapInputData';
  const entered: unknown = automatic
    ? node.getInputData()[itemIndex]?.json
    : node.getNodeParameter('customFields.value', itemIndex, {});
  return toSentFields(entered, engine, automatic ? 'leave out' : 'send');
}

/**
 * What is sent of these values by name; what is empty is left out.
 *
 * @param unknown - what to do with a name that is no custom field: the service says what it drops
 * @throws ParameterMismatch where a value does not fit the field's kind
 */
export async function toSentFields(entered: unknown, engine: Engine, unknown: 'leave out' | 'send'): Promise<SentField[]> {
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
    if (sent === undefined) throw new ParameterMismatch(`The custom field "${name}" must be ${conversion?.must ?? 'a text'}`);
    return [{ name, value: sent }];
  });
}
