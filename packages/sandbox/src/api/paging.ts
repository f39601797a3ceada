/** Cuts a list into pages: opaque cursors that survive inserts, and the deprecated page numbers with their two headers. */
import { pageLimit } from '@newsletter-kit/core/contract';
import type { Position, Stretch } from '../store/subscriptions.ts';
import { apiError } from './errors.ts';
import type { Reply } from './handler.ts';

export interface PagingQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly page?: number | undefined;
}

/** What a list has to offer to be paged. */
export interface Listing<Row extends Position> {
  readonly direction: 'asc' | 'desc';
  readonly rows: (stretch: Stretch) => readonly Row[];
  /** Counts all rows; asked only with page numbers. */
  readonly total: () => number;
  readonly record: (row: Row) => unknown;
}

/**
 * One page: by page number where one is asked for, otherwise by cursor. A cursor is the place of the last row seen, so
 * rows that come or go elsewhere move nothing.
 */
export function paged<Row extends Position>(query: PagingQuery, listing: Listing<Row>): Reply {
  const limit = query.limit ?? pageLimit.default;
  if (query.page === undefined) return byCursor(query.cursor, limit, listing);
  if (query.cursor !== undefined) throw apiError(400, 'INVALID_PAGINATION', 'Use either "cursor" or "page", not both.');
  return byPage(query.page, limit, listing);
}

function byCursor<Row extends Position>(cursor: string | undefined, limit: number, listing: Listing<Row>): Reply {
  const { direction } = listing;
  const after = cursor === undefined ? undefined : readCursor(cursor, direction);
  const found = listing.rows({ direction, limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const has_more = found.length > limit;
  return {
    body: { data: rows.map(listing.record), limit, has_more, next_cursor: has_more && last ? writeCursor(last, direction) : null },
  };
}

function byPage<Row extends Position>(page: number, limit: number, listing: Listing<Row>): Reply {
  const rows = listing.rows({ direction: listing.direction, limit, offset: (page - 1) * limit });
  const total_results = listing.total();
  return {
    body: { data: rows.map(listing.record), limit, page, total_results, total_pages: Math.ceil(total_results / limit) },
    headers: deprecation,
  };
}

/** The specification names the headers and leaves their texts open. */
const deprecation = {
  'X-Pagination-Warning': 'Offset pagination is deprecated and reaches no further than page 100. Use cursor pagination instead.',
  'X-Pagination-Migration-Guide': 'Leave out "page"; send the "next_cursor" of each answer as "cursor" until "has_more" is false.',
} as const;

/** The direction is part of a cursor: behind a row means something else in the other order. */
function writeCursor(at: Position, direction: 'asc' | 'desc'): string {
  return Buffer.from(`1:${direction}:${at.created}:${at.seq}`).toString('base64url');
}

/** @throws ApiError 400 for anything this sandbox did not write for this order */
function readCursor(cursor: string, direction: 'asc' | 'desc'): Position {
  const [, written, created, seq] = /^1:(asc|desc):(\d{1,12}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const position = { created: Number(created), seq: Number(seq) };
  if (written === undefined || writeCursor(position, written === 'asc' ? 'asc' : 'desc') !== cursor) {
    throw apiError(400, 'INVALID_CURSOR', '"cursor" is not a cursor of this list. Use the "next_cursor" of an earlier answer as it came.');
  }
  if (written !== direction) {
    throw apiError(400, 'INVALID_CURSOR', `"cursor" was given for direction=${written}. Repeat the parameters of the first request with every page.`);
  }
  return position;
}
