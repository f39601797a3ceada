/**
 * What a field is beside its type: its description, and how a client takes it. `npm run generate` writes the shapes of
 * requests and answers from schemas and marks: a client must not fail because the service adds fields and words without
 * notice, so that answers have open enums, no formats and no bounds, and {@link lenient} fields may be missing.
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

/** A field that has been seen in another form than the strict one; the client takes `accepted`. */
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

/** Whether a client does without this field of an answer. */
export const isLenient = (schema: z.core.$ZodType): boolean => marked.get(schema)?.missing === true;

/** What a client takes for a field of an answer in place of the strict schema. */
export const acceptedFor = (schema: z.core.$ZodType): z.core.$ZodType => marked.get(schema)?.accepted ?? schema;
