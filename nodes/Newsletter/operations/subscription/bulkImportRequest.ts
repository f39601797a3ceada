/** Bulk Import: builds the subscription of an input item, by either mapping mode. */
import type { INodeProperties } from 'n8n-workflow';
import { customFields, readCustomFieldsOf, readInput, toSentFields } from '../../parameters/customFields.ts';
import { quoted, select } from '../../parameters/properties.ts';
import { ParameterMismatch, readParameter } from '../../parameters/read.ts';
import { email } from '../../parameters/subscription.ts';
import type { OperationContext } from '../definition.ts';
import { type ItemConsent, type Json, meansEmail } from './bulkImportConsent.ts';
import { mappedFields, readRequest, requestFields } from './create.ts';

const mapping = select({
  displayName: 'Mapping Column Mode',
  name: 'mapping',
  noDataExpression: true,
  default: 'autoMapInputData',
  options: [
    {
      name: 'Map Automatically',
      value: 'autoMapInputData',
      description:
        'Look for input fields named like a parameter or like a custom field. Case, spaces, hyphens and underscores do not matter, and headings of other services such as "Email Address" are known.',
    },
    {
      name: 'Map Each Column Manually',
      value: 'defineBelow',
      description:
        'Set the value for each field. With thousands of items, expressions that only name an input field are the fastest.',
    },
  ],
});

const shown = { displayOptions: { show: { mapping: ['defineBelow'] } } };

/** The custom fields have no mode of their own: automatic mapping includes them. */
function withoutMode({ typeOptions = {} }: INodeProperties): NonNullable<INodeProperties['typeOptions']> {
  const { resourceMapper } = typeOptions;
  return { ...typeOptions, ...(resourceMapper && { resourceMapper: { ...resourceMapper, supportAutoMap: false } }) };
}

/** The parameters of the mapping. */
export const mappingFields: readonly INodeProperties[] = [
  mapping,
  ...requestFields.map((field) => ({
    ...field,
    ...(field.name === email.name && { default: '={{ $json.email }}' }),
    ...(field.name === customFields.name && { typeOptions: withoutMode(field) }),
    ...shown,
  })),
];

/** The subscription of an input item. */
export interface ReadItem {
  readonly subscription: Fields;
  /** Custom fields of the item that the publication does not have; the subscription does not contain them. */
  readonly dropped: readonly string[];
  /** Input fields that match no field. */
  readonly unused: readonly string[];
  /** The user's name for a field of the API: its label, or the name of the input field. */
  nameOf(field: string): string;
}

export const isMappedManually = (first: OperationContext): boolean => readParameter(first, mapping) === 'defineBelow';

/**
 * Creates the reader of the items. It throws ParameterMismatch where a value does not fit its field; core's importer
 * checks the rest.
 *
 * @param first - the first item, for parameters that take no expression
 * @param consent - the input fields that fill nothing
 * @param explained - gives an item with the values that only their whole field explains
 */
export function itemReader(
  first: OperationContext,
  { unused }: Pick<ItemConsent, 'unused'>,
  explained: (json: Json) => Json,
): (context: OperationContext) => Promise<ReadItem> {
  const { node } = first;
  const input = node.getInputData();
  if (!isMappedManually(first))
    return (context) => fromInput(explained(input[context.itemIndex]?.json ?? {}), unused, context);

  return async (context) => {
    const request = await readRequest(context);
    return {
      ...(await withoutUnknown(request, context.engine)),
      unused: [],
      nameOf: (field) => labels.get(field) ?? field,
    };
  };
}

const labels: ReadonlyMap<string, string> = new Map(mappedFields.map(({ name, displayName }) => [name, displayName]));

async function fromInput(
  item: Json,
  left: ReadonlySet<string>,
  { node, engine }: Pick<OperationContext, 'node' | 'engine'>,
): Promise<ReadItem> {
  const json = left.size === 0 ? item : Object.fromEntries(Object.entries(item).filter(([name]) => !left.has(name)));
  const { values, named, custom, unused } = await readInput(json, { engine, parameters: mappedFields });
  if (!named.has(email.name)) throw new ParameterMismatch(missingAddress(item));
  const { kinds } = await readCustomFieldsOf(engine);
  const known = new Map([...custom].filter(([name]) => kinds.has(name)));
  const custom_fields = await toSentFields(known, node, engine);
  return {
    subscription: { ...values, ...(custom_fields.length > 0 && { custom_fields }) },
    dropped: [...custom.keys()].filter((name) => !kinds.has(name)),
    unused,
    nameOf: (field) => named.get(field)?.from ?? field,
  };
}

function missingAddress(item: Json): string {
  const [empty] = Object.entries(item).find(([name, value]) => meansEmail(name) && !String(value ?? '').trim()) ?? [];
  if (empty !== undefined) return `"${empty}" is empty. Enter the address, or leave the item out`;
  const names = Object.keys(item);
  return `"email" is missing: the item has ${names.length === 0 ? 'no fields' : quoted(names, 'and')}. Name the field with the address "email", or choose Map Each Column Manually`;
}

/** The fields of a request that are read here. */
interface Fields {
  readonly email?: unknown;
  readonly custom_fields?: readonly { readonly name?: string | undefined }[] | undefined;
}

/** Removes unknown custom fields: the service drops them from an import without a report. */
async function withoutUnknown(
  { custom_fields: values = [], ...others }: Fields,
  engine: OperationContext['engine'],
): Promise<Pick<ReadItem, 'subscription' | 'dropped'>> {
  if (values.length === 0) return { subscription: others, dropped: [] };
  const { kinds } = await readCustomFieldsOf(engine);
  const isKnown = ({ name = '' }: { readonly name?: string | undefined }): boolean => kinds.has(name);
  const custom_fields = values.filter(isKnown);
  return {
    subscription: { ...others, ...(custom_fields.length > 0 && { custom_fields }) },
    dropped: values.filter((field) => !isKnown(field)).map(({ name = '' }) => name),
  };
}
