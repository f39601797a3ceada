/** Building blocks of the schemas: objects with a name, optional fields, identifiers, pages, the wrapper of answers. */
import * as z from 'zod/mini';
import { lastOffsetPage, pageLimit } from '../contract/values.ts';
import { field, lenient } from '../schema/marks.ts';
import { isAddress, normalizeAddress } from '../signup/address.ts';

/** An object of a request or an answer, under the name it has in types and in the OpenAPI document. */
export function record<Shape extends z.core.$ZodLooseShape>(id: string, description: string, shape: Shape) {
  return z.strictObject(shape).register(z.globalRegistry, { id, description });
}

/** A field that may be left out. @param value - the default that the service uses */
export function optional<Schema extends z.ZodMiniType>(schema: Schema, description: string, value?: unknown) {
  return field(z.optional(schema), description, value);
}

export const count = z.int().check(z.minimum(0));

/** Whole seconds since the Unix epoch. */
export const unixSeconds = z.int().check(z.minimum(0));

/** A prefixed identifier, for example `prefixedId('pub')` for `pub_<uuid>`. */
export function prefixedId(prefix: string) {
  return z.string().check(z.regex(new RegExp(`^${prefix}_[0-9a-zA-Z-]+$`), `must look like ${prefix}_<uuid>`));
}

/** Description of the ID of an automation. */
export const automationId = 'Prefixed ID of the automation, `aut_<uuid>`.';

/** An e-mail address; trimmed and composed, its domain lower-cased. International addresses are addresses. */
export const address = z
  .string()
  .check(z.overwrite(normalizeAddress), z.refine(isAddress, 'must be an e-mail address such as name@example.com'))
  .register(z.globalRegistry, { format: 'idn-email' });

/** One message of the service: in an error body, or in the warnings of a success. */
export const errorDetail = record('ErrorDetail', 'A message of the service: one error, or one warning of a success.', {
  message: field(z.string(), 'What happened, in words.'),
  code: field(z.string(), 'Code of the message. Its values are not specified; do not branch on it.'),
});

/** The body of every error of the API. */
export const errorBody = record('ErrorBody', 'Body of every error of the API.', {
  status: field(z.int(), 'The HTTP status.'),
  statusText: field(z.string(), 'Name of the status, for example `bad_request`.'),
  errors: field(z.array(errorDetail), 'What is wrong, at least one message.'),
});

/** An answer without a body. */
export const empty = z.null();

/** `{ data: … }`, the wrapper of nearly every success. */
export function enveloped<Schema extends z.ZodMiniType>(data: Schema, description: string) {
  return z.strictObject({ data: field(data, description) });
}

const ordinal = z.int().check(z.minimum(1));
const pageSize = lenient(ordinal, 'The page size that was used.');
const has_more = lenient(z.boolean(), 'Whether another page follows.');
const next_cursor = lenient(z.nullable(z.string()), 'The `cursor` of the next page; null when `has_more` is false.');
const pageNumber = lenient(ordinal, 'Number of this page.');
const total_results = lenient(count, 'Number of records on all pages.');
const total_pages = lenient(count, 'Number of pages.');

const items = <Item extends z.ZodMiniType>(item: Item) => field(z.array(item), 'The records of this page.');

/** A list that comes whole, with nothing beside `data`. */
export const wholeList = <Item extends z.ZodMiniType>(item: Item) => z.strictObject({ data: items(item) });

/** A list that comes whole, with its length beside `data`. */
export const countedList = <Item extends z.ZodMiniType>(item: Item) =>
  z.strictObject({ data: items(item), total_results });

/** A page of a list that takes `cursor` alone. */
export const cursorList = <Item extends z.ZodMiniType>(item: Item) =>
  z.strictObject({ data: items(item), limit: pageSize, has_more, next_cursor });

/** A page of a list that takes `page` alone. */
export const offsetList = <Item extends z.ZodMiniType>(item: Item) =>
  z.strictObject({ data: items(item), limit: pageSize, page: pageNumber, total_results, total_pages });

/**
 * A page of a list that takes `cursor` or `page`, and answers the fields of the one it was asked by. Answers by cursor
 * carry no totals, save where the specification lists `total_results` for them.
 */
export const cursorOrOffsetList = <Item extends z.ZodMiniType>(item: Item, { total = false } = {}) =>
  z
    .strictObject({
      data: items(item),
      limit: pageSize,
      has_more: optional(z.boolean(), 'Whether another page follows. Cursor pagination only.'),
      next_cursor: optional(
        z.nullable(z.string()),
        'The `cursor` of the next page; null when `has_more` is false. Cursor pagination only.',
      ),
      page: optional(ordinal, 'Number of this page. Offset pagination only.'),
      total_results: optional(count, `Number of records on all pages.${total ? '' : ' Offset pagination only.'}`),
      total_pages: optional(count, 'Number of pages. Offset pagination only.'),
    })
    .check(
      z.refine(
        (list) => {
          const has = (...names: readonly (keyof typeof list)[]) => names.map((name) => list[name] !== undefined);
          return list.page === undefined
            ? has('has_more', 'next_cursor').every(Boolean) &&
                !has('total_pages')[0] &&
                (total || !has('total_results')[0])
            : has('total_results', 'total_pages').every(Boolean) && !has('has_more', 'next_cursor').some(Boolean);
        },
        { error: 'must carry either has_more and next_cursor, or page, total_results and total_pages' },
      ),
    );

/** Number as it stands in a query string (text) or in code (number). */
const queryInteger = (min: number, max: number) =>
  z.coerce.number<number>().check(z.int(), z.minimum(min), z.maximum(max));

/** The parameters of lists that are paged. */
export const limit = optional(
  queryInteger(pageLimit.min, pageLimit.max),
  'Number of records per page, from 1 to 100.',
  pageLimit.default,
);
export const page = optional(
  queryInteger(1, lastOffsetPage),
  'Number of the page, from 1 to 100. Offset pagination is deprecated; use `cursor` where the list has one.',
  1,
);
export const cursor = optional(
  z.string().check(z.minLength(1)),
  'Where the page starts: the `next_cursor` of the previous answer, unchanged. Cannot be combined with `page`.',
);

/** The parameter that adds data to the records of an answer. */
export const expand = <const Words extends readonly string[]>(values: Words, description: string) =>
  repeated(z.enum(values), description);

/** A query parameter that may be repeated: `expand[]=a&expand[]=b`. */
export function repeated<Schema extends z.ZodMiniType>(item: Schema, description: string) {
  return optional(z.array(item), description);
}
