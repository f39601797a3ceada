/**
 * Paginates lists: opaque cursors that are stable under inserts, and deprecated page numbers with their two warning
 * headers.
 */
import { type Operation, pageLimit } from '@newsletter-kit/core/contract';
import * as z from 'zod';
import type { Position, PagedRows } from '../store/database.ts';
import { apiError } from '../http/errors.ts';

export interface PagingQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly page?: number | undefined;
}

/** A list as an operation answers it. */
export interface Listing<Row extends Position> {
  /** Name of the list, part of its cursors: a cursor is valid in its own list only. */
  readonly list: string;
  /** Ascending where left out. */
  readonly direction?: 'asc' | 'desc' | undefined;
  readonly rows: PagedRows<Row>;
  readonly record: (row: Row) => unknown;
  /** Whether pages by cursor have `total_results` as well. */
  readonly total?: boolean;
}

/** A page of a list: by its number where one is given or the list has no cursors, otherwise by cursor. */
export function pageOf<Row extends Position>(
  pagination: Operation['pagination'],
  query: PagingQuery,
  listing: Listing<Row>,
) {
  const hasCursors = pagination !== 'offset';
  if (hasCursors && query.page === undefined) return cursorPage(query, listing);
  if (query.cursor !== undefined) throw apiError(400, 'INVALID_PAGINATION', 'Use either "cursor" or "page", not both.');
  const guide = hasCursors
    ? 'Leave out "page"; send the "next_cursor" of each answer as "cursor" until "has_more" is false.'
    : 'This list has no cursors yet. Keep using "page" until it has.';
  return { body: offsetPage(query, listing), ...(query.page !== undefined && { headers: deprecation(guide) }) };
}

/** A cursor is the position of the last row returned, so inserts and deletions elsewhere do not shift pages. */
function cursorPage<Row extends Position>({ cursor, limit = pageLimit.default }: PagingQuery, listing: Listing<Row>) {
  const { list, direction = 'asc', rows, record, total } = listing;
  const after = cursor === undefined ? undefined : readCursor(cursor, list, direction);
  const found = rows.rows({ direction, limit: limit + 1, after });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const has_more = found.length > limit;
  const next_cursor = has_more && last ? writeCursor(last, list, direction) : null;
  const body = { data: page.map(record), limit, has_more, next_cursor, ...(total && { total_results: rows.total() }) };
  return { body, total: () => rows.total() };
}

/**
 * A list without paging parameters: all of it. The paging fields that its answer has in the schema stand beside `data`.
 *
 * @param answer - core's schema of the answer
 */
export function wholeList<Row extends Position>(answer: z.core.$ZodType, { rows, record }: Listing<Row>) {
  const total = rows.total();
  const data = rows.rows({ direction: 'asc', limit: total }).map(record);
  const paging = {
    limit: Math.max(pageLimit.default, total),
    page: 1,
    has_more: false,
    next_cursor: null,
    total_results: total,
    total_pages: 1,
  };
  const known = answer instanceof z.core.$ZodObject ? answer._zod.def.shape : {};
  return { body: { data, ...Object.fromEntries(Object.entries(paging).filter(([field]) => field in known)) } };
}

/** A page by its number, with the totals. */
function offsetPage<Row extends Position>(
  { page = 1, limit = pageLimit.default }: PagingQuery,
  { direction = 'asc', rows, record }: Listing<Row>,
) {
  const total_results = rows.total();
  const data = rows.rows({ direction, limit, offset: (page - 1) * limit }).map(record);
  return { data, limit, page, total_results, total_pages: Math.ceil(total_results / limit) };
}

/** The specification names the headers and leaves their texts open. */
const deprecation = (guide: string): Readonly<Record<string, string>> => ({
  'X-Pagination-Warning': 'Offset pagination is deprecated and ends at page 100. Use cursor pagination instead.',
  'X-Pagination-Migration-Guide': guide,
});

/** The direction is part of a cursor: "after this row" has another meaning in the other order. */
function writeCursor(at: Position, list: string, direction: 'asc' | 'desc'): string {
  return Buffer.from(`1:${list}:${direction}:${at.created}:${at.seq}`).toString('base64url');
}

/** @throws ApiError 400 for anything this sandbox did not write for this list in this order */
function readCursor(cursor: string, list: string, direction: 'asc' | 'desc'): Position {
  const [, written, created, seq] =
    /^1:[a-z_]+:(asc|desc):(\d{1,12}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const position = { created: Number(created), seq: Number(seq) };
  if (written === undefined || writeCursor(position, list, written === 'asc' ? 'asc' : 'desc') !== cursor) {
    throw apiError(
      400,
      'INVALID_CURSOR',
      '"cursor" is not valid for this list. Send the "next_cursor" of an earlier answer unchanged.',
    );
  }
  if (written !== direction) {
    throw apiError(
      400,
      'INVALID_CURSOR',
      `"cursor" belongs to direction=${written}. Send the same parameters with every page.`,
    );
  }
  return position;
}
