/** Checks requests and answers against the schemas. Problems name the field, never the value: it may be an address. */
import * as z from 'zod';
import type { OperationId } from '../contract/index.ts';
import { schemas, type OperationSchemas } from './index.ts';
import { tolerant } from './tolerant.ts';

type Parts = {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | null;
};
type Checked<T> = { readonly value: T } | { readonly problems: readonly string[] };

const all: Readonly<Record<OperationId, OperationSchemas>> = schemas;

/** How often a schema was used, and its compiled form once that is often enough. */
const uses = new Map<z.ZodType, { schema: z.ZodType; count: number }>();

/**
 * Uses of a schema after which it is compiled, where the platform allows it. A compiled schema checks a page of 100
 * subscriptions in a third of the time; compiling takes about 10 ms, which a few calls do not win back.
 */
const compileAfter = 20;

function compiledWhenUsedOften(schema: z.ZodType): z.ZodType {
  let use = uses.get(schema);
  if (!use) uses.set(schema, (use = { schema, count: 0 }));
  if (++use.count === compileAfter) use.schema = z.compile(schema);
  return use.schema;
}

/** The request as it should be sent (addresses normalised), or what is wrong with it. */
export function checkRequest(id: OperationId, parts: Parts): Checked<Parts> {
  const { query: querySchema, body: bodySchema } = all[id];
  const query = querySchema && compiledWhenUsedOften(querySchema).safeParse(parts.query);
  const body = bodySchema && compiledWhenUsedOften(bodySchema).safeParse(parts.body);
  const issues = [...(query?.error?.issues ?? []), ...(body?.error?.issues ?? [])];
  if (issues.length > 0) return { problems: issues.map(problem) };
  return {
    value: {
      query: (query?.data as Parts['query'] | undefined) ?? parts.query,
      body: (body?.data as Parts['body'] | undefined) ?? parts.body,
    },
  };
}

/** The answer as it came, unknown keys included, or what is wrong with it by the tolerant reading. */
export function checkAnswer(id: OperationId, value: unknown): Checked<unknown> {
  const schema = compiledWhenUsedOften(tolerant(all[id].answer));
  // The tolerant reading changes no value, so no copy is made of it.
  const error = z.validate(schema, value) ? undefined : schema.safeParse(value).error;
  return error ? { problems: error.issues.map(problem) } : { value };
}

/** `custom_fields[2].name: expected string` – where, and what was expected. */
export function problem(issue: z.core.$ZodIssue): string {
  const where = issue.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${String(key)}` : String(key)),
    '',
  );
  return where ? `"${where}" ${issue.message.replace(/^Invalid input: /, '')}` : issue.message;
}
