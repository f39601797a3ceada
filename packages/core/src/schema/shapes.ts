/** Building blocks of the schemas: records with a name, fields with words, identifiers, the envelope of an answer. */
import * as z from 'zod';
import type { ParameterWords } from '../contract/words/index.ts';
import { lastOffsetPage, pageLimit } from '../contract/values.ts';
import { lenient } from './tolerant.ts';

/** An object that an answer holds, under the name it has in types and in the OpenAPI document. */
export function record<Shape extends z.core.$ZodLooseShape>(id: string, description: string, shape: Shape) {
  return z.strictObject(shape).meta({ id, description });
}

/** An object of a request. Each field takes its description and default from the contract's words. */
export function request<Shape extends Readonly<Record<string, z.ZodType>>>(
  words: Readonly<Record<keyof Shape & string, ParameterWords>>,
  shape: Shape,
) {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const { text, default: value } = words[name as keyof Shape & string];
    return [name, schema.meta({ description: text, ...(value !== undefined && { default: value }) })];
  });
  return z.strictObject(Object.fromEntries(fields) as Shape);
}

/** Whole seconds since the Unix epoch. */
export const unixSeconds = z.int().min(0);

/** A prefixed identifier, for example `prefixedId('pub')` for `pub_<uuid>`. */
export function prefixedId(prefix: string) {
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-zA-Z-]+$`), `must look like ${prefix}_<uuid>`);
}

/** One message of the service: in an error body, or in the warnings of a success. */
export const errorDetail = record('ErrorDetail', 'A message of the service: one error, or one warning of a success.', {
  message: z.string().describe('What happened, in words.'),
  code: z.string().describe('Code of the message. Its values are not specified; do not branch on it.'),
});

/** The body of every error of the API. */
export const errorBody = record('ErrorBody', 'Body of every error of the API.', {
  status: z.int().describe('The HTTP status.'),
  statusText: z.string().describe('Name of the status, for example `bad_request`.'),
  errors: z.array(errorDetail).describe('What is wrong, at least one message.'),
});

/** `{ data: … }`, the wrapper of nearly every success. */
export function enveloped<Schema extends z.ZodType>(data: Schema, description: string) {
  return z.strictObject({ data: data.describe(description) });
}

const paging = {
  limit: lenient(z.int().min(1).describe('The page size that was used.')),
  has_more: lenient(z.boolean().describe('Whether another page follows.')),
  next_cursor: lenient(z.string().nullable().describe('The `cursor` of the next page; null when `has_more` is false.')),
  page: lenient(z.int().min(1).describe('Number of this page.')),
  total_results: lenient(z.int().min(0).describe('Number of records on all pages.')),
  total_pages: lenient(z.int().min(0).describe('Number of pages.')),
};
const { limit: pageSize, has_more, next_cursor, page: pageNumber, total_results, total_pages } = paging;

const items = <Item extends z.ZodType>(item: Item) => z.array(item).describe('The records of this page.');

/** A list that comes whole, with nothing beside `data`. */
export const wholeList = <Item extends z.ZodType>(item: Item) => z.strictObject({ data: items(item) });

/** A list that comes whole, with its length beside `data`. */
export const countedList = <Item extends z.ZodType>(item: Item) => z.strictObject({ data: items(item), total_results });

/** A page of a list that takes `cursor` alone. */
export const cursorList = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: items(item), limit: pageSize, has_more, next_cursor });

/** A page of a list that takes `page` alone. */
export const offsetList = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: items(item), limit: pageSize, page: pageNumber, total_results, total_pages });

/**
 * A page of a list that takes `cursor` or `page`, and answers the fields of the one it was asked by. Answers by cursor
 * carry no totals, save where the specification lists `total_results` for them.
 */
export const cursorOrOffsetList = <Item extends z.ZodType>(item: Item, { total = false } = {}) =>
  z
    .strictObject({
      data: items(item),
      limit: pageSize,
      has_more: z.boolean().optional().describe('Whether another page follows. Cursor pagination only.'),
      next_cursor: z
        .string()
        .nullable()
        .optional()
        .describe('The `cursor` of the next page; null when `has_more` is false. Cursor pagination only.'),
      page: z.int().min(1).optional().describe('Number of this page. Offset pagination only.'),
      total_results: z
        .int()
        .min(0)
        .optional()
        .describe(`Number of records on all pages.${total ? '' : ' Offset pagination only.'}`),
      total_pages: z.int().min(0).optional().describe('Number of pages. Offset pagination only.'),
    })
    .refine(
      (list) => {
        const has = (...names: readonly (keyof typeof list)[]) => names.map((name) => list[name] !== undefined);
        return list.page === undefined
          ? has('has_more', 'next_cursor').every(Boolean) &&
              !has('total_pages')[0] &&
              (total || !has('total_results')[0])
          : has('total_results', 'total_pages').every(Boolean) && !has('has_more', 'next_cursor').some(Boolean);
      },
      { error: 'must carry either has_more and next_cursor, or page, total_results and total_pages' },
    );

/** Number as it stands in a query string (text) or in code (number). */
const queryInteger = (min: number, max: number) => z.coerce.number<number>().int().min(min).max(max);

export const limit = queryInteger(pageLimit.min, pageLimit.max).optional();
export const page = queryInteger(1, lastOffsetPage).optional();
export const cursor = z.string().min(1).optional();

/** A query parameter that may be repeated: `expand[]=a&expand[]=b`. */
export function repeated<Schema extends z.ZodType>(item: Schema) {
  return z.array(item).optional();
}
