/** Building blocks of the schemas: open enums, identifiers, the envelope of an answer. */
import * as z from 'zod';
import { lastOffsetPage, pageLimit } from '../contract/values.ts';

/**
 * A word of a known set, or any other: the service adds values without notice, and an answer must not fail for one.
 * The type still completes the known ones.
 */
export function openEnum<const Values extends readonly string[]>(values: Values) {
  return z.union([z.enum(values), z.string()]) as z.ZodType<Values[number] | (string & {}), string>;
}

/** A field the service may leave out or send as null; the two mean the same. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish();
}

/** Whole seconds since the Unix epoch. */
export const unixSeconds = z.int();

/** A prefixed identifier, for example `prefixedId('pub')` for `pub_<uuid>`. */
export function prefixedId(prefix: string) {
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-zA-Z-]+$`), `must look like ${prefix}_<uuid>`);
}

/** One message of the service: in an error body, or in the warnings of a success. */
export const errorDetail = z.looseObject({ message: z.string(), code: z.string() });

/** The body of every error of the API. */
export const errorBody = z.looseObject({ status: z.int(), statusText: z.string(), errors: z.array(errorDetail) });

/** `{ data: … }`, the wrapper of nearly every success. */
export function enveloped<Schema extends z.ZodType>(data: Schema) {
  return z.looseObject({ data });
}

/** Paging fields as they may stand beside `data` or nested under `pagination`; none is promised by every list. */
const pagingFields = {
  limit: optional(z.int()),
  has_more: optional(z.boolean()),
  next_cursor: optional(z.string()),
  page: optional(z.int()),
  total_results: optional(z.int()),
  total_pages: optional(z.int()),
};

/** A list answer: items in `data`, paging fields at top level or under `pagination`. */
export function listOf<Schema extends z.ZodType>(item: Schema) {
  return z.looseObject({
    data: z.array(item),
    ...pagingFields,
    pagination: optional(z.looseObject(pagingFields)),
  });
}

/** Number as it stands in a query string (text) or in code (number). */
const queryInteger = (min: number, max: number) => z.coerce.number<number>().int().min(min).max(max);

export const limit = queryInteger(pageLimit.min, pageLimit.max).optional();
export const page = queryInteger(1, lastOffsetPage).optional();
export const cursor = z.string().min(1).optional();

/** A query parameter that may be repeated: `expand[]=a&expand[]=b`. */
export function repeated<Schema extends z.ZodType>(item: Schema) {
  return z.array(item).optional();
}
