/** Custom Field: Create. */
import type { INodeProperties } from 'n8n-workflow';
import type { Arguments } from '@newsletter-kit/core/engine';
import { readParameter } from '../../parameters/read.ts';
import { recordIn } from '../../records/record.ts';
import * as records from '../../records/records.ts';
import type { ItemOperation } from '../definition.ts';
import { display } from './display.ts';
import { customFieldWords } from '@newsletter-kit/core/contract';
import { describe } from '../../parameters/words.ts';

const kind: INodeProperties = {
  displayName: 'Kind',
  name: 'kind',
  type: 'options',
  required: true,
  default: 'string',
  description: describe(customFieldWords.kind),
  options: [
    { name: 'Boolean', value: 'boolean' },
    { name: 'Date', value: 'date' },
    { name: 'Date and Time', value: 'datetime' },
    { name: 'List', value: 'list' },
    { name: 'Number', value: 'double' },
    { name: 'Text', value: 'string' },
    { name: 'Whole Number', value: 'integer' },
  ],
};

export const create: ItemOperation = {
  name: 'Create',
  description: 'Create a custom field',
  action: 'Create a custom field',
  record: records.customField,
  properties: [display, kind],
  async execute(context) {
    const args = {
      display: readParameter(context, display),
      kind: readParameter(context, kind),
    } as Arguments<'customFields.create'>;
    return [recordIn(await context.engine.call('customFields.create', args, context.call))];
  },
};
