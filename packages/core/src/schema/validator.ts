/** Checks requests and answers against the schemas. Problems name the field, never the value: it may be an address. */
import * as z from 'zod/mini';
import type { OperationId } from '../contract/index.ts';
import type { FieldDeviation } from '../engine/deviations.ts';
import { misspelt, nearMiss, unknownTexts } from '../engine/near-miss.ts';
import { isRecord } from '../is-record.ts';
import { fieldOf, fieldPath } from './fields.ts';
import { schemas, type OperationSchemas } from '../records/index.ts';
import { isOpen, loose, tolerant } from './tolerant.ts';

type Parts = {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
};
type Path = readonly PropertyKey[];

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

/**
 * The request as it should be sent (addresses normalised) and what in it is not known, or what is wrong with it. A name
 * that is not known is sent, and so is a value where the specification shows none; one that is nearly known is wrong.
 */
export function checkRequest(
  id: OperationId,
  parts: Parts,
): { readonly value: Parts; readonly unknown: readonly FieldDeviation[] } | { readonly problems: readonly string[] } {
  const { query: querySchema, body: bodySchema } = all[id];
  const unknown = new Map<string, FieldDeviation>();
  const problems: string[] = [];
  const read = (schema: z.ZodMiniObject | undefined, value: Parts['body']): Parts['body'] => {
    if (!schema || value === null) return value;
    const strict = schema.safeParse(value);
    if (strict.success) return strict.data;
    for (const { path, given, known, as } of strict.error.issues.flatMap((issue) => unknownIn(issue, schema, value))) {
      const meant = nearMiss(given, known);
      if (meant === undefined) unknown.set(fieldOf(path), { field: fieldOf(path), problem: unknownTexts[as] });
      else problems.push(misspelt(fieldPath(path), meant, as));
    }
    const tolerated = loose(schema).safeParse(value);
    if (!tolerated.success) problems.push(...tolerated.error.issues.map(problem));
    return tolerated.data as Parts['body'];
  };
  const value = { query: read(querySchema, parts.query) ?? {}, body: read(bodySchema, parts.body) };
  return problems.length > 0 ? { problems } : { value, unknown: [...unknown.values()] };
}

/** A name, or a value of an open list, that is not known. */
interface Unknown {
  readonly as: 'name' | 'value';
  readonly path: Path;
  readonly given: string;
  /** Those that are known in its place. */
  readonly known: readonly string[];
}

function unknownIn(issue: z.core.$ZodIssue, schema: z.ZodMiniObject, value: unknown): readonly Unknown[] {
  if (issue.code !== 'unrecognized_keys' && issue.code !== 'invalid_value') return [];
  let [part, given]: [z.core.$ZodType, unknown] = [schema, value];
  for (const key of issue.path) {
    if (part instanceof z.ZodMiniArray) part = inner(part.def.element);
    else if (part instanceof z.ZodMiniObject) part = inner(part.shape[String(key)] ?? part);
    given = isRecord(given) || Array.isArray(given) ? Reflect.get(given, key) : undefined;
  }
  if (issue.code === 'unrecognized_keys') {
    const known = part instanceof z.ZodMiniObject ? Object.keys(part.shape) : [];
    return issue.keys.map((name) => ({ as: 'name', path: [...issue.path, name], given: name, known }));
  }
  if (!isOpen(part) || typeof given !== 'string') return [];
  return [{ as: 'value', path: issue.path, given, known: part.options.map(String) }];
}

/** A schema without what makes it optional or nullable. */
function inner(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable
    ? inner(schema.def.innerType)
    : schema;
}

/** What in an answer is not as the tolerant reading takes it: each field once, with the number of its records. */
export function checkAnswer(id: OperationId, value: unknown): readonly FieldDeviation[] {
  const { error } = tolerant(all[id].answer).safeParse(value);
  const found = new Map<string, { problem: string; records: Set<PropertyKey> }>();
  for (const issue of error?.issues ?? []) {
    const field = fieldOf(issue.path);
    const known = found.get(field) ?? { problem: issue.message.replace(/^Invalid input: /, ''), records: new Set() };
    found.set(field, known);
    known.records.add(issue.path[0] === 'data' && typeof issue.path[1] === 'number' ? issue.path[1] : 0);
  }
  return [...found].map(([field, { problem: text, records }]) => ({ field, problem: text, records: records.size }));
}

/** `custom_fields[2].name: expected string` – where, and what was expected. */
export function problem(issue: z.core.$ZodIssue): string {
  const where = fieldPath(issue.path);
  return where ? `"${where}" ${issue.message.replace(/^Invalid input: /, '')}` : issue.message;
}
