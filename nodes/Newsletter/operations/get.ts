/** Makes the operation that reads one record by what its locator names. */
import type { Arguments } from '@newsletter-kit/core/engine';
import type { OperationId } from '@newsletter-kit/core/contract';
import type { INodeProperties } from 'n8n-workflow';
import { collection } from '../parameters/collection.ts';
import { readFields } from '../parameters/read.ts';
import { recordIn } from '../records/record.ts';
import type { RecordShape } from '../records/shape.ts';
import type { ItemOperation } from './definition.ts';
import { readPath, type Path } from './path.ts';

type GetId = Extract<OperationId, `${string}.get`>;

/** What tells reading one record from reading another. */
interface Getting {
  readonly id: GetId;
  /** With its article, as it stands in a sentence: "an automation". */
  readonly singular: string;
  readonly record: RecordShape;
  readonly path: Path;
  /** Named as the query parameters of the operation. */
  readonly options?: readonly INodeProperties[];
}

export function get({ id, singular, record, path, options = [] }: Getting): ItemOperation {
  return {
    name: 'Get',
    description: `Get ${singular}`,
    action: `Get ${singular}`,
    record,
    properties: [...Object.values(path), ...collection('options', 'Options', 'Add option', options)],
    async execute(context) {
      const args: object = { ...readPath(context, path), ...readFields(context, 'options', options) };
      return [recordIn(await context.engine.call(id, args as Arguments<GetId>, context.call))];
    },
  };
}
