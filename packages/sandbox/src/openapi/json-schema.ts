/** Core's zod schemas as the JSON Schema of OpenAPI 3.1, with references to the named components. */
import * as z from 'zod';

/** A JSON Schema object. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Turns schemas into references and inline parts, and collects every component that was referred to on the way. */
export interface SchemaWriter {
  /** @param io - `input` for what is sent to the API, `output` for what it answers */
  write(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
}

export function createSchemaWriter(): SchemaWriter {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    write(schema, io) {
      const written = z.toJSONSchema(schema, { io });
      const { $defs = {}, ...own } = written;
      for (const [name, component] of Object.entries($defs)) components[name] ??= tidyObject(component);
      const id = z.globalRegistry.get(schema)?.id;
      if (id === undefined) return tidyObject(own);
      components[id] ??= tidyObject(own);
      return { $ref: `#/components/schemas/${id}` };
    },
  };
}

/** What zod adds for itself and a reader has no use for. */
const internal = new Set(['$schema', 'id', '$id', '~standard']);

/** The same schema with references that fit the document and without what says nothing. */
function tidyObject(schema: object): JsonSchema {
  const tidied: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (internal.has(key) || isDefault(key, value)) continue;
    if (key === 'properties') {
      const properties = Object.entries(value as Readonly<Record<string, object>>);
      tidied[key] = Object.fromEntries(properties.map(([name, property]) => [name, tidyObject(property)]));
    } else if (key === '$ref') tidied[key] = String(value).replace('#/$defs/', '#/components/schemas/');
    else if (key === 'anyOf') tidied[key] = (value as object[]).map(tidyObject).flatMap(flat);
    else tidied[key] = tidy(value);
  }
  return tidied;
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  return typeof value === 'object' && value !== null ? tidyObject(value) : value;
}

/** A choice that is itself part of a choice. */
function flat(schema: JsonSchema): JsonSchema[] {
  return Object.keys(schema).length === 1 && Array.isArray(schema['anyOf'])
    ? (schema['anyOf'] as JsonSchema[])
    : [schema];
}

/** The bounds of JavaScript's whole numbers, and additional properties that may be anything. */
function isDefault(key: string, value: unknown): boolean {
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return (
    key === 'additionalProperties' && typeof value === 'object' && value !== null && Object.keys(value).length === 0
  );
}
