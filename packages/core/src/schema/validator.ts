/** Checks requests and answers against the schemas. Problems name the field, never the value: it may be an address. */
import * as z from 'zod/mini';
import type { OperationId } from '../contract/index.ts';
import type { FieldDeviation } from '../engine/deviations.ts';
import { misspelt, nearMiss } from '../engine/near-miss.ts';
import { fieldOf, fieldPath } from './fields.ts';
import { schemas, type OperationSchemas } from '../records/index.ts';
import { loose, tolerant } from './tolerant.ts';

type Parts = {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
};
type Path = readonly PropertyKey[];

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

/**
 * The request as it should be sent (addresses normalised) and the names in it that are not known, or what is wrong with
 * it. A name that is not known is sent; one that is nearly known is wrong.
 */
export function checkRequest(
  id: OperationId,
  parts: Parts,
): { readonly value: Parts; readonly unknown: readonly string[] } | { readonly problems: readonly string[] } {
  const { query: querySchema, body: bodySchema } = all[id];
  const unknown: string[] = [];
  const problems: string[] = [];
  const read = (schema: z.ZodMiniObject | undefined, value: Parts['body']): Parts['body'] => {
    if (!schema || value === null) return value;
    const strict = schema.safeParse(value);
    if (strict.success) return strict.data;
    for (const { path, names, known } of unknownNames(strict.error.issues, schema)) {
      for (const name of names) {
        const meant = nearMiss(name, known);
        if (meant !== undefined) problems.push(misspelt(fieldPath([...path, name]), meant));
        else unknown.push(fieldOf([...path, name]));
      }
    }
    const tolerated = loose(schema).safeParse(value);
    if (!tolerated.success) problems.push(...tolerated.error.issues.map(problem));
    return tolerated.data as Parts['body'];
  };
  const value = { query: read(querySchema, parts.query) ?? {}, body: read(bodySchema, parts.body) };
  return problems.length > 0 ? { problems } : { value, unknown: [...new Set(unknown)] };
}

/** The names that are not known, and those that are known in the same object. */
function unknownNames(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodMiniObject,
): { readonly path: Path; readonly names: readonly string[]; readonly known: readonly string[] }[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    let object: z.core.$ZodType = schema;
    for (const key of issue.path) {
      if (object instanceof z.ZodMiniArray) object = inner(object.def.element);
      else if (object instanceof z.ZodMiniObject) object = inner(object.shape[String(key)] ?? object);
    }
    const known = object instanceof z.ZodMiniObject ? Object.keys(object.shape) : [];
    return [{ path: issue.path, names: issue.keys, known }];
  });
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
