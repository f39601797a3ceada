/** Makes the operation that reads a list: filters, options, Return All and Limit are the same for each of them. */
import { operation } from '@newsletter-kit/core/contract';
import type { Arguments, ListId } from '@newsletter-kit/core/engine';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collection } from '../parameters/collection.ts';
import { largestPage, listLength, readLength } from '../parameters/list.ts';
import { readFields } from '../parameters/read.ts';
import { toRecord } from '../records/record.ts';
import type { RecordShape } from '../records/shape.ts';
import type { ItemOperation } from './definition.ts';
import { readPath, type Path } from './path.ts';

/** What tells one list from another. */
interface Listing {
  readonly id: ListId;
  /** As it stands in a sentence: "automations". */
  readonly plural: string;
  readonly record: RecordShape;
  readonly name?: string;
  readonly action?: string;
  readonly description?: string;
  readonly path?: Path;
  /** Named as the query parameters of the list; what narrows it down. */
  readonly filters?: readonly INodeProperties[];
  /** Named as the query parameters of the list; how it is given. */
  readonly options?: readonly INodeProperties[];
}

export function list({ id, plural, record, path = {}, filters = [], options = [], ...words }: Listing): ItemOperation {
  const paged = operation(id).query.some((name) => name === 'limit');
  return {
    name: 'Get Many',
    description: `Get many ${plural}`,
    action: `Get many ${plural}`,
    ...words,
    record,
    properties: [
      ...Object.values(path),
      ...listLength,
      ...collection('filters', 'Filters', 'Add Filter', filters),
      ...collection('options', 'Options', 'Add option', options),
    ],
    async execute(context) {
      const most = readLength(context);
      const args = {
        ...readPath(context, path),
        ...readFields(context, 'filters', filters),
        ...readFields(context, 'options', options),
        ...(paged && { limit: Math.min(most, largestPage) }),
      } as Arguments<ListId>;
      const records: IDataObject[] = [];
      for await (const item of context.engine.list(id, args, context.call)) {
        if (records.push(toRecord(item)) >= most) break;
      }
      return records;
    },
  };
}
