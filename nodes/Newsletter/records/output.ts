/** The parameter Output: the form in which an operation returns its records. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { byName, titleOf } from '../parameters/propertyBuilders.ts';
import { type ItemParameters, readParameter } from '../parameters/read.ts';
import type { OutputForm } from './present.ts';
import type { RecordShape } from './shapes.ts';

const output: INodeProperties = {
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'simplified',
  description: 'Which fields of the records to return, and in which form',
  options: [
    { name: 'Raw', value: 'raw', description: 'Every field as the service sends it; times are in Unix seconds' },
    { name: 'Selected Fields', value: 'selected', description: 'Only the fields chosen below, in the simplified form' },
    {
      name: 'Simplified',
      value: 'simplified',
      description: 'The main fields; times are readable and custom fields stand under their names',
    },
  ],
};

const fields: INodeProperties = {
  displayName: 'Fields',
  name: 'fields',
  type: 'multiOptions',
  default: [],
  required: true,
  description: 'The fields to return',
  displayOptions: { show: { output: ['selected'] } },
};

/** The parameters for records of this shape. */
export function outputOf(shape: RecordShape): INodeProperties[] {
  return [output, { ...fields, options: byName([...shape.simple, ...shape.others].map(fieldOption)) }];
}

/**
 * The form asked for.
 *
 * @throws ParameterMismatch
 */
export function readOutputForm(item: ItemParameters, shape: RecordShape): OutputForm {
  const chosen = readParameter(item, output) ?? 'simplified';
  if (chosen !== 'selected') return { output: chosen === 'raw' ? 'raw' : 'simplified' };
  const [, choice = fields] = outputOf(shape);
  const names = readParameter(item, choice);
  return { output: 'selected', fields: Array.isArray(names) ? names.map(String) : [] };
}

function fieldOption(name: string): INodePropertyOptions {
  return { name: titleOf(name), value: name };
}
