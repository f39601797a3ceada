/**
 * The tolerant reading of an answer, derived from the strict one: unknown keys are kept, enums are open, formats and
 * bounds are not checked, an optional field may be null, and {@link lenient} fields may be missing. The service adds
 * fields and words without notice, and a client must not fail for one.
 */
import * as z from 'zod';

const marked = new WeakMap<z.core.$ZodType, { readonly missing?: true; readonly accepted?: z.ZodType }>();

/** A field that the specification requires and clients do without: the service has been seen to leave some out. */
export function lenient<Schema extends z.ZodType>(schema: Schema): Schema {
  marked.set(schema, { ...marked.get(schema), missing: true });
  return schema;
}

/** A field that has been seen in another form than the strict one; the tolerant reading takes `accepted`. */
export function accepting<Schema extends z.ZodType>(schema: Schema, accepted: z.ZodType): Schema {
  marked.set(schema, { ...marked.get(schema), accepted });
  return schema;
}

/** Whether the tolerant reading does without this field. */
export function mayBeMissing(schema: z.core.$ZodType): boolean {
  return marked.get(schema)?.missing === true || schema instanceof z.ZodOptional;
}

/** What the tolerant reading takes for a field in place of the strict schema. */
export function acceptedFor(schema: z.core.$ZodType): z.core.$ZodType {
  return marked.get(schema)?.accepted ?? schema;
}

/** A schema of requests that lets names through which it does not know. */
export function loose(schema: z.core.$ZodType): z.ZodType {
  const known = loosened.get(schema);
  if (known) return known;
  const made = loosen(schema);
  loosened.set(schema, made);
  return made;
}

const loosened = new WeakMap<z.core.$ZodType, z.ZodType>();

function loosen(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return loose(schema.unwrap()).optional();
  if (schema instanceof z.ZodNullable) return loose(schema.unwrap()).nullable();
  if (schema instanceof z.ZodObject) {
    return z.looseObject(
      Object.fromEntries(Object.entries<z.ZodType>(schema.shape).map(([name, field]) => [name, loose(field)])),
    );
  }
  // Bounds of the list stay with it.
  if (schema instanceof z.ZodArray) return new z.ZodArray({ ...schema._zod.def, element: loose(schema.element) });
  return schema as z.ZodType;
}

const derived = new WeakMap<z.core.$ZodType, z.ZodType>();

/** The tolerant reading of a strict schema. */
export function tolerant(schema: z.core.$ZodType): z.ZodType {
  const known = derived.get(schema);
  if (known) return known;
  const made = derive(acceptedFor(schema));
  const reading = mayBeMissing(schema) ? made.nullish() : made;
  derived.set(schema, reading);
  return reading;
}

function derive(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return tolerant(schema.unwrap()).nullish();
  if (schema instanceof z.ZodObject) {
    return z.looseObject(
      Object.fromEntries(Object.entries<z.ZodType>(schema.shape).map(([name, field]) => [name, tolerant(field)])),
    );
  }
  if (schema instanceof z.ZodArray) return z.array(tolerant(schema.element));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), tolerant(schema.valueType).nullish());
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(tolerant));
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodString || schema instanceof z.ZodISODateTime) {
    return z.string();
  }
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodBoolean || schema instanceof z.ZodNull || schema instanceof z.ZodUnknown) return schema;
  throw new TypeError(`There is no tolerant reading of a schema of type ${schema._zod.def.type}.`);
}
