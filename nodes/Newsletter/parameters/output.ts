/** "Output": in which form a record is given. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Form } from '../records/present.ts';
import type { RecordShape } from '../records/shape.ts';
import { byName } from './choice.ts';
import { readParameter, type ItemParameters } from './read.ts';

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
export function readForm(item: ItemParameters, shape: RecordShape): Form {
  const chosen = readParameter(item, output) ?? 'simplified';
  if (chosen !== 'selected') return { output: chosen === 'raw' ? 'raw' : 'simplified' };
  const [, choice = fields] = outputOf(shape);
  const names = readParameter(item, choice);
  return { output: 'selected', fields: Array.isArray(names) ? names.map(String) : [] };
}

/** `utm_source` as people write it. */
function fieldOption(name: string): INodePropertyOptions {
  const words = name.split('_').map((word) => abbreviations.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1));
  return { name: words.join(' '), value: name };
}

const abbreviations = new Map([
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['url', 'URL'],
  ['utm', 'UTM'],
  ['by', 'by'],
  ['for', 'for'],
  ['at', 'at'],
]);
