/** Lists: `await` gives a page, `for await` gives items across all pages. */
import { lastOffsetPage } from '../contract/values.ts';
import { DerivedPromise, responseInfo, type Head, type ResponseInfo, type WithResponse } from './api-promise.ts';

/** The next page of a list: its cursor or page number. */
export type Continuation = { readonly cursor: string } | { readonly page: number };

/** The paging fields of a list answer, at top level or nested; absent and null are the same. */
export interface Paging {
  readonly limit: number | null;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly page: number | null;
  readonly totalPages: number | null;
  readonly totalResults: number | null;
}

/** Reads the paging fields at top level, else under `pagination`. */
export function readPaging(answer: Readonly<Record<string, unknown>>): Paging {
  const nested = answer['pagination'];
  const inner = typeof nested === 'object' && nested !== null ? (nested as Readonly<Record<string, unknown>>) : {};
  const field = (name: string): unknown => answer[name] ?? inner[name];
  const number = (name: string): number | null => {
    const value = field(name);
    return typeof value === 'number' ? value : null;
  };
  const cursor = field('next_cursor');
  const page = number('page');
  const totalPages = number('total_pages');
  const nextCursor = typeof cursor === 'string' && cursor !== '' ? cursor : null;
  const stated = field('has_more');
  return {
    limit: number('limit'),
    nextCursor,
    page,
    totalPages,
    totalResults: number('total_results'),
    hasMore:
      typeof stated === 'boolean'
        ? stated
        : page !== null && totalPages !== null
          ? page < totalPages
          : nextCursor !== null,
  };
}

/** The continuation after a page, or null at the end. */
export function continuation({ hasMore, nextCursor, page }: Paging): Continuation | null {
  if (!hasMore) return null;
  if (nextCursor !== null) return { cursor: nextCursor };
  return page !== null ? { page: page + 1 } : null;
}

/** Why an answer cannot be a page of a list, or null where it can. */
export function pagingProblem({ hasMore, nextCursor, page }: Paging): string | null {
  return hasMore && nextCursor === null && page === null
    ? '"has_more" is true, but there is no "next_cursor" to go on with'
    : null;
}

/** Finds a cycle of cursors with one remembered cursor (Brent's algorithm), after at most three times its length. */
export interface CursorTrail {
  readonly remembered: string | null;
  /** Pages since it was remembered, and after how many the next one is. */
  readonly pages: number;
  readonly power: number;
}

export const startTrail: CursorTrail = { remembered: null, pages: 0, power: 1 };

function follow({ remembered, pages, power }: CursorTrail, { cursor }: { readonly cursor: string }): CursorTrail {
  return pages + 1 === power
    ? { remembered: cursor, pages: 0, power: power * 2 }
    : { remembered, pages: pages + 1, power };
}

/**
 * The next step after a page: the trail to pass on, or the reason why the list cannot be followed.
 *
 * @param requested - the continuation that this page was requested with
 */
export function nextStep(
  requested: Continuation,
  next: Continuation,
  trail: CursorTrail,
): { readonly trail: CursorTrail } | { readonly problem: string } {
  if ('page' in next) {
    if (next.page > lastOffsetPage) {
      return {
        problem: `offset pagination ends at page ${lastOffsetPage} and the list goes on; use cursor pagination or narrower filters`,
      };
    }
    return 'page' in requested && next.page <= requested.page
      ? { problem: 'the list points back to the page just read' }
      : { trail };
  }
  if ('cursor' in requested && requested.cursor === next.cursor)
    return { problem: 'the list points back to the page just read' };
  if (trail.remembered === next.cursor) return { problem: 'the cursors of the list go round in a circle' };
  return { trail: follow(trail, next) };
}

/** One page of a list. */
export class Page<T> implements Paging {
  /** The items of this page. */
  readonly items: readonly T[];
  /** The page size the service used. */
  readonly limit: number | null;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  /** Number of this page; offset pagination only. */
  readonly page: number | null;
  readonly totalPages: number | null;
  /** Number of items on all pages, where the service states it. */
  readonly totalResults: number | null;
  readonly #head: Head;
  readonly #next: () => Promise<Page<T>> | null;

  constructor(items: readonly T[], paging: Paging, head: Head, next: () => Promise<Page<T>> | null) {
    this.items = items;
    this.limit = paging.limit;
    this.hasMore = paging.hasMore;
    this.nextCursor = paging.nextCursor;
    this.page = paging.page;
    this.totalPages = paging.totalPages;
    this.totalResults = paging.totalResults;
    this.#head = head;
    this.#next = next;
  }

  /** Status, headers, request id and warnings of the response this page came in. */
  get response(): ResponseInfo {
    return responseInfo(this.#head);
  }

  /** The following page, or null at the end. */
  async next(): Promise<Page<T> | null> {
    return this.#next();
  }
}

/**
 * A lazy list: nothing is sent until it is awaited (the first page) or iterated (all items).
 * A real `Promise` of the first page.
 *
 * @example
 * ```ts
 * const first = await client.subscriptions.list({ limit: 100 });
 * for await (const subscription of client.subscriptions.list()) console.log(subscription.id);
 * ```
 */
export class PagePromise<T> extends DerivedPromise<Page<T>> implements AsyncIterable<T> {
  readonly #start: (iterated: boolean) => Promise<Page<T>>;
  readonly #checkSignal: () => void;
  #first: Promise<Page<T>> | undefined;

  /**
   * @param start - reads the first page; `iterated` is true where the others are read as well
   * @param checkSignal - throws where the caller's signal has aborted: items of a page that was read are not given then
   */
  constructor(start: (iterated: boolean) => Promise<Page<T>>, checkSignal: () => void) {
    super();
    this.#start = start;
    this.#checkSignal = checkSignal;
  }

  protected override read(): Promise<Page<T>> {
    return (this.#first ??= this.#start(false));
  }

  /** The first page with status, headers, request id and warnings. */
  async withResponse(): Promise<WithResponse<Page<T>>> {
    const page = await this.read();
    return { data: page, ...page.response };
  }

  /** Every page, each requested when the one before is used up; of 100 items unless `limit` says otherwise. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    this.#first ??= this.#start(true);
    for (let page: Page<T> | null = await this.#first; page !== null; page = await page.next()) yield page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) {
      for (const item of page.items) {
        this.#checkSignal();
        yield item;
      }
    }
  }
}
