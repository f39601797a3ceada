/** Bulk Import: the subscription that an input item asks for, whichever way its fields are mapped. */
import type { INodeProperties } from 'n8n-workflow';
import { fieldsOfItem } from '../../parameters/customFields.ts';
import { email } from '../../parameters/email.ts';
import { readCollection, readParameter } from '../../parameters/read.ts';
import type { OperationContext } from '../definition.ts';
import { columnReader } from './bulkImportColumns.ts';
import { additionalFields, readRequest, requestFields } from './requestFields.ts';

const mapping: INodeProperties = {
  displayName: 'Mapping',
  name: 'mapping',
  type: 'options',
  noDataExpression: true,
  default: 'autoMapInputData',
  options: [
    {
      name: 'Map Automatically',
      value: 'autoMapInputData',
      description:
        'Take the input fields named as a field of a subscription, such as email, utm_source or UTM Source, or as a custom field',
    },
    {
      name: 'Map Each Field Below',
      value: 'defineBelow',
      description:
        'Say for each field where it comes from. With thousands of items, expressions that only name an input field are the fastest.',
    },
  ],
};

const shown = { displayOptions: { show: { mapping: ['defineBelow'] } } };

/** The parameters that say what an item asks for. */
export const mappingFields: readonly INodeProperties[] = [
  mapping,
  ...requestFields.map((field) => ({
    ...field,
    ...(field.name === email.name && { default: '={{ $json.email }}' }),
    ...shown,
  })),
];

/**
 * Makes what reads an item; whether the service takes what it says is left to core's importer. The reader throws
 * ParameterMismatch where a value does not fit its field.
 *
 * @param first - the first item: what takes no expression is the same for all of them
 */
export function itemReader(first: OperationContext): (context: OperationContext) => Promise<object> {
  const input = first.node.getInputData();
  if (readParameter(first, mapping) === 'defineBelow') {
    const node = columnReader(first.node.getNode().parameters, requestFields, input);
    return node === null ? readRequest : (context) => readRequest({ ...context, node });
  }
  return (context) => fromInput(input[context.itemIndex]?.json ?? {}, context);
}

const takenFields = [email, ...additionalFields];
const takenNames: ReadonlySet<string> = new Set(takenFields.map(({ name }) => name));

async function fromInput(json: Readonly<Record<string, unknown>>, { engine }: OperationContext): Promise<object> {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(json)) {
    const field = takenNames.has(name)
      ? name
      : name
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, '_');
    if (takenNames.has(field)) named[field] ??= value;
  }
  const values = await fieldsOfItem(json, engine);
  return { ...readCollection(takenFields, named), ...(values.length > 0 && { custom_fields: values }) };
}
