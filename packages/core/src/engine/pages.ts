/** Lists: `await` gives a page, `for await` gives items across all pages. */
import type { Pagination } from '../contract/types.ts';
import { lastOffsetPage } from '../contract/values.ts';
import { isRecord } from '../is-record.ts';
import { DerivedPromise, responseInfo, type Head, type ResponseInfo, type WithResponse } from './api-promise.ts';
import type { FieldDeviation } from './deviations.ts';

/** Where a page of a list begins: at a cursor, or as a page number. */
export type Continuation = { readonly cursor: string } | { readonly page: number };

/** What a page number begins with where it is stored in place of a cursor. */
const pageMark = 'page number ';

/** A continuation as one text, to be stored. */
export function placeOf(at: Continuation): string {
  return 'cursor' in at ? at.cursor : `${pageMark}${at.page}`;
}

/** The continuation of a stored text: arguments of the list. */
export function continuationAt(
  place: string,
): { readonly cursor: string; readonly page?: undefined } | { readonly page: number; readonly cursor?: undefined } {
  return place.startsWith(pageMark) ? { page: Number(place.slice(pageMark.length)) } : { cursor: place };
}

/** The paging fields of a list answer, at top level or nested; absent and null are the same. */
export interface Paging {
  readonly limit: number | null;
  /** Whether another page follows; also true where nothing in the answer says that it was the last. */
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly page: number | null;
  readonly totalPages: number | null;
  readonly totalResults: number | null;
}

/** What the answer states: null where a field is absent, null, or in a form that cannot be read. */
interface Stated extends Omit<Paging, 'hasMore'> {
  readonly hasMore: boolean | null;
  readonly unreadable: readonly string[];
  readonly deviations: readonly FieldDeviation[];
}

/** Reads the paging fields at top level, else under `pagination`. */
function statedPaging(answer: Readonly<Record<string, unknown>>): Stated {
  const nested = answer['pagination'];
  const inner = isRecord(nested) ? nested : {};
  const unreadable: string[] = [];
  const deviations: FieldDeviation[] = [];
  function field<T>(name: string, expected: string, read: (value: unknown) => T | undefined): T | null {
    const value = answer[name] ?? inner[name];
    if (value === undefined || value === null) return null;
    const result = read(value);
    if (result === undefined) unreadable.push(name);
    if (result !== value)
      deviations.push({ field: name, problem: `expected ${expected}${result === undefined ? '' : '; read as one'}` });
    return result ?? null;
  }
  const cursor = field('next_cursor', 'string', (value) =>
    typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined,
  );
  return {
    limit: field('limit', 'number', wholeNumber),
    hasMore: field('has_more', 'boolean', flag),
    nextCursor: cursor === '' ? null : cursor,
    page: field('page', 'number', wholeNumber),
    totalPages: field('total_pages', 'number', wholeNumber),
    totalResults: field('total_results', 'number', wholeNumber),
    unreadable,
    deviations,
  };
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function flag(value: unknown): boolean | undefined {
  if (value === true || value === 'true' || value === 1) return true;
  return value === false || value === 'false' || value === 0 ? false : undefined;
}

/** What is known of a list before one of its pages is read. */
export interface Trail {
  /** Where the page begins. */
  readonly at: Continuation;
  /** Records on the pages before; null where the list was begun in its middle. */
  readonly read: number | null;
  /** The ids of the page before: the same again are the same page. */
  readonly ids: string | null;
  /** The field that says that there is this page; null where it was asked for to see whether there is. */
  readonly statedBy: string | null;
  readonly cursors: CursorTrail;
}

/** Finds a cycle of cursors with one remembered cursor (Brent's algorithm), after at most three times its length. */
interface CursorTrail {
  readonly remembered: string | null;
  /** Pages since it was remembered, and after how many the next one is. */
  readonly pages: number;
  readonly power: number;
}

/** The trail before the first page that is asked for. */
export function startTrail(at: Continuation = { page: 1 }): Trail {
  const read = 'page' in at && at.page <= 1 ? 0 : null;
  return { at, read, ids: null, statedBy: 'page', cursors: { remembered: null, pages: 0, power: 1 } };
}

/** The problem of a list whose next page is asked for, and does not come. */
export function noFurtherPage(statedBy: string): string {
  return statedBy === 'limit'
    ? 'the list may go on after this full page (see "limit"), but no paging field leads to its next page'
    : `"${statedBy}" says that the list goes on, but its next page cannot be read`;
}

/** Nothing says how a list goes on, and its second page cannot be read. */
export const takenAsWhole: FieldDeviation = {
  field: 'has_more',
  problem: 'nothing says whether the list goes on, and it has no further page; taken as whole',
};

/** How a list goes on after a page. */
export interface ReadPage {
  readonly paging: Paging;
  /** The trail to the next page; null at the end, and where a `problem` keeps it from being read. */
  readonly next: Trail | null;
  /** Why the list cannot be read on although it may go on; null where it can, or has ended. */
  readonly problem: string | null;
  /** Whether this is the page before once more; its records were given already. */
  readonly repeats: boolean;
  readonly deviations: readonly FieldDeviation[];
}

/** The list that a page belongs to. */
export interface ReadList {
  readonly pagination: Pagination;
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** The page size that was asked for. */
  readonly limit?: unknown;
}

/** A list that is known by its path alone. */
const anyList: ReadList = { pagination: 'cursor-or-offset', query: ['cursor', 'page'] };

/**
 * Decides how a list goes on, so that it is read to its end or ends with an error. The fields are believed in this
 * order: `has_more`, `total_pages`, `next_cursor`, `total_results`. Where all are silent, a full page is followed by a
 * question for the next, which is empty at the end of the list.
 *
 * @param answer - with the records in `data`
 * @param trail - of the page before; left out for the first page
 * @param list - default: a list that takes `cursor` and `page`
 */
export function readPage(
  answer: Readonly<Record<string, unknown>>,
  trail: Trail = startTrail(),
  list: ReadList = anyList,
): ReadPage {
  const items: readonly unknown[] = Array.isArray(answer['data']) ? answer['data'] : [];
  const { unreadable, deviations, ...stated } = statedPaging(answer);
  const { hasMore, nextCursor, totalPages, totalResults } = stated;
  const asked = 'page' in trail.at ? trail.at.page : null;
  const page = stated.page ?? asked;
  const size = stated.limit ?? (typeof list.limit === 'number' ? list.limit : null);
  const skipped = trail.read ?? (asked === null ? null : (asked - 1) * (size ?? items.length));
  const read = skipped === null ? null : skipped + items.length;
  // Records without an id are compared as a whole.
  const ids =
    items.length === 0 ? null : JSON.stringify(items.map((item) => (isRecord(item) ? (item['id'] ?? item) : item)));
  const end = (problem: string | null, more: readonly FieldDeviation[] = [], repeats = false): ReadPage => ({
    paging: { ...stated, hasMore: problem !== null && !repeats },
    next: null,
    problem,
    repeats,
    deviations: [...deviations, ...more],
  });

  if (ids !== null && ids === trail.ids)
    return trail.statedBy === null ? end(null, [takenAsWhole], true) : end(noFurtherPage(trail.statedBy), [], true);

  let statedBy: string | null = null;
  if (hasMore !== null) statedBy = hasMore ? 'has_more' : 'end';
  else if (totalPages !== null && page !== null) statedBy = page < totalPages ? 'total_pages' : 'end';
  else if (nextCursor !== null) statedBy = 'next_cursor';
  else if (asked === null) {
    if (unreadable.includes('next_cursor')) return end('"next_cursor" could not be read, and may lead to a next page');
    statedBy = 'end';
  } else if (totalResults !== null && read !== null) {
    statedBy = read < totalResults && items.length > 0 ? 'total_results' : 'end';
  } else if (list.pagination === 'none' || items.length < (stated.limit ?? 1)) statedBy = 'end';
  if (statedBy === 'end') return end(null);

  // The list may go on after a full page, and where a field that cannot be read may say so.
  const doubt =
    unreadable.find((name) => name !== 'limit' && name !== 'page') ?? (stated.limit === null ? null : 'limit');
  const goesByPage = stated.page !== null || totalPages !== null || totalResults !== null || statedBy === null;
  const at: Continuation | null =
    nextCursor !== null ? { cursor: nextCursor } : goesByPage && page !== null ? { page: page + 1 } : null;
  if (at === null) return end(`"${statedBy}" says that the list goes on, but there is no "next_cursor" to go on with`);
  const problem = wrongTurn(trail, at);
  if (problem !== null) return end(problem);
  const byPage = {
    field: 'page',
    problem: 'asked for the next page by it, which the specification does not list for this operation',
  };
  return {
    paging: { ...stated, hasMore: true },
    next: { at, read, ids, statedBy: statedBy ?? doubt, cursors: follow(trail.cursors, at) },
    problem: null,
    repeats: false,
    deviations: 'page' in at && !list.query.includes('page') ? [...deviations, byPage] : deviations,
  };
}

/** Why the next page cannot be asked for, or null where it can. */
function wrongTurn({ at: before, cursors }: Trail, next: Continuation): string | null {
  if ('page' in next) {
    if ('page' in before && next.page <= before.page) return 'the list points back to the page just read';
    return next.page > lastOffsetPage
      ? `offset pagination ends at page ${lastOffsetPage} and the list goes on; use cursor pagination or narrower filters`
      : null;
  }
  if ('cursor' in before && before.cursor === next.cursor) return 'the list points back to the page just read';
  return cursors.remembered === next.cursor ? 'the cursors of the list go round in a circle' : null;
}

function follow({ remembered, pages, power }: CursorTrail, next: Continuation): CursorTrail {
  return 'cursor' in next && pages + 1 === power
    ? { remembered: next.cursor, pages: 0, power: power * 2 }
    : { remembered, pages: pages + 1, power };
}

/** What a page is made of beside its items. */
export interface PageDetails {
  readonly paging: Paging;
  readonly head: Head;
  readonly continuation: Continuation | null;
  readonly leftOut: readonly unknown[];
}

/** One page of a list. */
export class Page<T> implements Paging {
  /** The items of this page, each with an `id`. */
  readonly items: readonly T[];
  /** Records that could not be used, as they came: no objects, or without an `id`. {@link Deviation} tells of them. */
  readonly leftOut: readonly unknown[];
  /** Where the next page begins; null at the end, and where the answer does not say. */
  readonly continuation: Continuation | null;
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

  constructor(
    items: readonly T[],
    { paging, head, continuation, leftOut }: PageDetails,
    next: () => Promise<Page<T>> | null,
  ) {
    this.items = items;
    this.leftOut = leftOut;
    this.continuation = continuation;
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

  /**
   * Where the next page begins, as a text to be stored: see {@link continuationAt}. Null at the end.
   *
   * @throws InvalidAnswerError where the list may go on and the answer does not say how
   */
  async place(): Promise<string | null> {
    if (this.continuation === null && this.hasMore) await this.#next();
    return this.continuation && placeOf(this.continuation);
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
    super(() => {}); // `then` never reads this promise itself
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
