/**
 * What a field is beside its type: its description, and how the tolerant reading of an answer takes it. That reading is
 * derived from the strict one: unknown keys are kept, enums are open, formats and bounds are not checked, an optional
 * field may be null, and {@link lenient} fields may be missing. The service adds fields and words without notice, and a
 * client must not fail for one.
 */
import * as z from 'zod/mini';

// zod's message for each kind of problem, as in zod's classic schemas: those of zod/mini have none of their own.
if (!z.config().localeError) z.config(z.locales.en());

interface Mark {
  readonly missing?: true;
  readonly accepted?: z.ZodMiniType;
  readonly open?: true;
}
const marked = new WeakMap<z.core.$ZodType, Mark>();

/** A copy of the schema with the description and default of one field. The copy refers to the schema's name, if any. */
export function field<Schema extends z.ZodMiniType>(schema: Schema, description: string, value?: unknown): Schema {
  const copy = schema.clone(schema.def, { parent: true });
  z.globalRegistry.add(copy, { description, ...(value !== undefined && { default: value }) });
  marked.set(copy, { ...marked.get(schema) });
  return copy;
}

/** A field that the specification requires and clients do without: the service has been seen to leave some out. */
export function lenient<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  const copy = field(schema, description);
  marked.set(copy, { ...marked.get(schema), missing: true });
  return copy;
}

/** A field that has been seen in another form than the strict one; the tolerant reading takes `accepted`. */
export function accepting<Schema extends z.ZodMiniType>(schema: Schema, accepted: z.ZodMiniType): Schema {
  marked.set(schema, { accepted });
  return schema;
}

/** Values of a request that the specification does not show: these are known, and others are sent and told. */
export function open<const Words extends readonly string[]>(words: Words) {
  const schema = z.enum(words);
  marked.set(schema, { open: true });
  return schema;
}

/** Whether a request may hold other values than the schema lists. */
export const isOpen = (schema: z.core.$ZodType): schema is z.ZodMiniEnum =>
  schema instanceof z.ZodMiniEnum && marked.get(schema)?.open === true;

/** Whether the tolerant reading does without this field. */
export function mayBeMissing(schema: z.core.$ZodType): boolean {
  return marked.get(schema)?.missing === true || schema instanceof z.ZodMiniOptional;
}

/** What the tolerant reading takes for a field in place of the strict schema. */
export function acceptedFor(schema: z.core.$ZodType): z.core.$ZodType {
  return marked.get(schema)?.accepted ?? schema;
}

const loosened = new WeakMap<z.core.$ZodType, z.ZodMiniType>();

/** A schema of requests that lets names through which it does not know, and values of {@link open} lists. */
export function loose(schema: z.core.$ZodType): z.ZodMiniType {
  const known = loosened.get(schema);
  if (known) return known;
  const made = loosen(schema);
  loosened.set(schema, made);
  return made;
}

function loosen(schema: z.core.$ZodType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional) return z.optional(loose(schema.def.innerType));
  if (schema instanceof z.ZodMiniNullable) return z.nullable(loose(schema.def.innerType));
  if (schema instanceof z.ZodMiniObject) return z.looseObject(mapShape(schema, loose));
  if (isOpen(schema)) return z.string();
  // Bounds of the list stay with it.
  if (schema instanceof z.ZodMiniArray) return schema.clone({ ...schema.def, element: loose(schema.def.element) });
  return schema as z.ZodMiniType;
}

function mapShape({ shape }: z.ZodMiniObject, read: (inner: z.core.$ZodType) => z.ZodMiniType) {
  return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, read(inner)]));
}

/** An object of zod/mini that is compiled where the host allows that, as those of zod are: lists hold many. */
const CompiledObject = z.core.$constructor<z.ZodMiniObject>('CompiledObject', (object, definition) => {
  for (const { init } of [z.core.$ZodObjectJIT, z.ZodMiniType]) init(object, definition);
});

const derived = new WeakMap<z.core.$ZodType, z.ZodMiniType>();

/** The tolerant reading of a strict schema. */
export function tolerant(schema: z.core.$ZodType): z.ZodMiniType {
  const known = derived.get(schema);
  if (known) return known;
  const made = derive(acceptedFor(schema));
  const reading = mayBeMissing(schema) ? z.nullish(made) : made;
  derived.set(schema, reading);
  return reading;
}

function derive(schema: z.core.$ZodType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    return z.nullish(tolerant(schema.def.innerType));
  if (schema instanceof z.ZodMiniObject)
    return new CompiledObject({ type: 'object', shape: mapShape(schema, tolerant), catchall: z.unknown() });
  if (schema instanceof z.ZodMiniArray) return z.array(tolerant(schema.def.element));
  if (schema instanceof z.ZodMiniRecord) return z.record(z.string(), z.nullish(tolerant(schema.def.valueType)));
  if (schema instanceof z.ZodMiniUnion) return z.union(schema.def.options.map(tolerant));
  if (schema instanceof z.ZodMiniEnum || schema instanceof z.ZodMiniString) return z.string();
  if (schema instanceof z.ZodMiniNumber) return z.number();
  if (schema instanceof z.ZodMiniBoolean || schema instanceof z.ZodMiniNull || schema instanceof z.ZodMiniUnknown)
    return schema;
  throw new TypeError(`There is no tolerant reading of a schema of type ${schema._zod.def.type}.`);
}
