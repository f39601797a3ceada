/** The fields that a schema declares, by their path in the answer. */
import * as z from 'zod/mini';

/** A field that a schema declares. */
export interface DeclaredField {
  /** The words of its enumeration, where it has one. */
  readonly words?: readonly unknown[];
}

/**
 * Every field of an answer, by its path: `data[].stats.open_rate`. `[]` is each element of a list, `*` each key of an
 * object whose keys are free, as in `data[].social_media_links.*`.
 *
 * @param schema - the strict reading of an answer
 */
export function fieldsIn(schema: z.core.$ZodType): ReadonlyMap<string, DeclaredField> {
  const fields = new Map<string, DeclaredField>();
  collect(schema, '', fields);
  return fields;
}

function collect(schema: z.core.$ZodType, path: string, fields: Map<string, DeclaredField>): void {
  const add = (inner: z.core.$ZodType, name: string): void => {
    const field = name === '[]' || path === '' ? `${path}${name}` : `${path}.${name}`;
    if (!fields.has(field)) fields.set(field, {});
    collect(inner, field, fields);
  };
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    collect(schema.def.innerType, path, fields);
  else if (schema instanceof z.ZodMiniUnion) for (const option of schema.def.options) collect(option, path, fields);
  else if (schema instanceof z.ZodMiniArray) add(schema.def.element, '[]');
  else if (schema instanceof z.ZodMiniRecord) add(schema.def.valueType, '*');
  else if (schema instanceof z.ZodMiniObject)
    for (const [name, inner] of Object.entries(schema.shape)) add(inner, name);
  else if (schema instanceof z.ZodMiniEnum && path !== '') fields.set(path, { words: schema.options });
}
