/** Records that operations return: their fields, and the form that the parameter Output chooses. */
import { isRecord } from '@newsletter-kit/core/engine';
import { momentOf } from '@newsletter-kit/core/facts';
import { type AnswerRecord, answerRecords, operation } from '@newsletter-kit/core/contract';
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { byName, select, several, titleOf } from './parameters/properties.ts';
import { type ItemParameters, readParameter, readValue } from './parameters/read.ts';

/** Which fields a record has, and how each form of Output treats them. */
export interface RecordShape {
  /** Fields of the simplified form, in its order. */
  readonly simple: readonly string[];
  /** Every other field of the record. */
  readonly others: readonly string[];
  /** Fields that report the result of the operation; every form keeps them. */
  readonly outcome?: readonly string[];
  /** Fields that hold seconds since the Unix epoch. */
  readonly times: readonly string[];
}

/** An operation that answers a record, or a list of them. */
export type RecordId = keyof typeof answerRecords;

/** Resources whose records can be listed and read one by one. */
export const readResources: readonly string[] = Object.keys(answerRecords).flatMap((id) =>
  id.endsWith('.get') ? [id.slice(0, -'.get'.length)] : [],
);

/** Differences between the simplified form and the record of the specification. */
export interface ShapeChoice {
  /** Fields to put first. */
  readonly first?: readonly string[];
  /** Fields to leave out of the simplified form. */
  readonly others?: readonly string[];
}

/** Fields of the simplified form at most, besides those that the parameter Include adds. */
const mostSimple = 10;

/**
 * The shape of the record that an operation answers. Without `others`, the simplified form keeps the first ten fields
 * and those that `expand` adds.
 */
export function shapeOf(id: RecordId, { first = [], others }: ShapeChoice = {}): RecordShape {
  const { fields, times }: AnswerRecord = answerRecords[id];
  const expandable: readonly string[] = operation(id).expand;
  const ordered = [...new Set([...first, ...fields])];
  const hidden = others ?? ordered.filter((name) => !expandable.includes(name)).slice(mostSimple);
  return { simple: ordered.filter((name) => !hidden.includes(name)), others: hidden, times };
}

export const subscription = shapeOf('subscriptions.list', {
  first: [
    'id',
    'email',
    'status',
    'created',
    'subscription_tier',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'referring_site',
    'referral_code',
    'custom_fields',
    'newsletter_list_ids',
    'referrals',
    'stats',
  ],
  others: ['subscription_premium_tier_names', 'utm_channel', 'utm_content', 'utm_term'],
});

/** A subscription after an update, and after its job. */
export const updatedSubscription: RecordShape = {
  ...subscription,
  outcome: ['ignored_fields', 'subscription_update_id', 'job_status'],
};

/** A subscription after Create, and Create or Update. */
export const upsertedSubscription: RecordShape = {
  ...subscription,
  outcome: ['outcome', 'ignored_fields', 'stays_inactive'],
};

/** The choices of the parameter Output. */
export type OutputForm =
  | { readonly output: 'simplified' | 'raw' }
  | { readonly output: 'selected'; readonly fields: readonly string[] };

/** The record in this form. Every form keeps warnings of the service. */
export function present(record: IDataObject, shape: RecordShape, form: OutputForm): IDataObject {
  if (form.output === 'raw') return record;
  const names = form.output === 'selected' ? form.fields : shape.simple;
  const kept = [...new Set([...names, ...(shape.outcome ?? []), 'warnings'])].filter(
    (name) => record[name] !== undefined,
  );
  return toRecord(Object.fromEntries(kept.map((name) => [name, readable(name, record[name], shape)])));
}

function readable(name: string, value: unknown, { times }: RecordShape): unknown {
  const moment = typeof value === 'number' && times.includes(name) ? momentOf(value) : undefined;
  if (moment !== undefined) return new Date(moment).toISOString();
  return name === 'custom_fields' && Array.isArray(value) ? fieldsByName(value) : value;
}

/** `[{ name, kind, value }]` as `{ [name]: value }`, for expressions. */
function fieldsByName(fields: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.filter(isRecord).map(({ name, value }) => [String(name), value]));
}

/** A parsed answer as n8n's type, without a copy. */
export function toRecord(answer: object): IDataObject {
  return answer as IDataObject;
}

/** The record in the envelope of an answer; empty where the service sent none. */
export function recordIn(answer: unknown): IDataObject {
  const data = isRecord(answer) ? answer['data'] : undefined;
  return isRecord(data) ? toRecord(data) : {};
}

const output = select({
  displayName: 'Output',
  name: 'output',
  default: 'simplified',
  description: 'Which fields of the records to return, and in which form',
  options: [
    { name: 'Raw', value: 'raw', description: 'Every field as the service sends it; times are in Unix seconds' },
    {
      name: 'Selected Fields',
      value: 'selected',
      description: 'Only the fields chosen below, in the simplified form',
    },
    {
      name: 'Simplified',
      value: 'simplified',
      description: 'The main fields; times are readable and custom fields are under their names',
    },
  ],
});

const selectedFields = several({
  displayName: 'Fields',
  name: 'fields',
  required: true,
  description: 'The fields to return',
  displayOptions: { show: { output: ['selected'] } },
});

/** The parameters Output and Fields for records of this shape. */
export function outputOf(shape: RecordShape): INodeProperties[] {
  return [output, { ...selectedFields, options: byName([...shape.simple, ...shape.others].map(fieldOption)) }];
}

/**
 * Reads the form of the output.
 *
 * @throws ParameterMismatch
 */
export function readOutputForm(item: ItemParameters, shape: RecordShape): OutputForm {
  const chosen = readParameter(item, output) ?? 'simplified';
  if (chosen !== 'selected') return { output: chosen === 'raw' ? 'raw' : 'simplified' };
  const [, choice = selectedFields] = outputOf(shape);
  const names = readParameter(item, choice);
  return { output: 'selected', fields: Array.isArray(names) ? names.map(String) : [] };
}

/** Fields that `expand` adds under another name than its own. */
const expandedFields: Readonly<Record<string, string>> = { newsletter_lists: 'newsletter_list_ids' };

/**
 * What the service has to add to the records: the selected fields that it leaves out by itself; in the other forms the
 * values of Include. An empty list of Include is a choice; without the option, its default counts.
 *
 * @param include - the option, where the operation has it
 * @param entered - the collection of options
 */
export function expandOf(
  id: RecordId,
  form: OutputForm,
  include: INodeProperties | undefined,
  entered: unknown,
): readonly string[] {
  const expandable: readonly string[] = operation(id).expand;
  if (form.output === 'selected')
    return expandable.filter((value) => form.fields.includes(expandedFields[value] ?? value));
  if (include === undefined) return [];
  const values = readValue(include, (isRecord(entered) ? entered[include.name] : undefined) ?? include.default);
  return Array.isArray(values) ? values.map(String) : [];
}

function fieldOption(name: string): INodePropertyOptions {
  return { name: titleOf(name), value: name };
}
