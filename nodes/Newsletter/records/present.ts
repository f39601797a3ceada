/** Converts a record to the form of the parameter Output: simplified, raw, or selected fields. Pure. */
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import type { RecordShape } from './shapes.ts';

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
  if (typeof value === 'number' && times.includes(name)) return new Date(value * 1000).toISOString();
  return name === 'custom_fields' && Array.isArray(value) ? byName(value) : value;
}

/** `[{ name, kind, value }]` as `{ [name]: value }`, for expressions. */
function byName(fields: readonly unknown[]): Readonly<Record<string, unknown>> {
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
