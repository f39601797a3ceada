/**
 * A model of the service's list in descending order of `created`: whole seconds, opaque cursors, inserts while it is
 * read.
 */
import { BadRequestError } from '@newsletter-kit/core/engine';
import type { CreatedPage, Dated } from '@newsletter-kit/core/watch';

/** The list, the clock that dates its records, and readers of its pages. */
export class Publication {
  records: Dated[] = [];
  now = 1_767_225_600;
  requests = 0;
  #cursors = new Map<string, Dated>();

  /** Adds records in the current second. */
  insert(count: number): Dated[] {
    const added = Array.from({ length: count }, (_, index) => ({
      id: `sub_${this.records.length + index}`,
      created: this.now,
    }));
    this.records.push(...added);
    return added;
  }

  /** Makes the service accept no earlier cursor. */
  forgetCursors(): void {
    this.#cursors.clear();
  }

  /**
   * A reader of pages of this size. Newest first; within a second in order of id, which is not the order of insertion.
   */
  reader(limit: number): (cursor: string | null) => Promise<CreatedPage<Dated>> {
    return async (cursor) => {
      this.requests++;
      const last = cursor === null ? null : this.#cursors.get(cursor);
      if (last === undefined) {
        throw new BadRequestError('subscriptions.list', {
          status: 400,
          statusText: 'Bad Request',
          errors: [],
          retryAfterMs: undefined,
          requestId: null,
        });
      }
      const rest = this.records.toSorted(order).filter((record) => last === null || order(last, record) < 0);
      const items = rest.slice(0, limit);
      const end = items.at(-1);
      if (rest.length <= limit || end === undefined) return { items, nextCursor: null };
      const nextCursor = `after-${end.id}`;
      this.#cursors.set(nextCursor, end);
      return { items, nextCursor };
    };
  }
}

function order(a: Dated, b: Dated): number {
  return b.created - a.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
