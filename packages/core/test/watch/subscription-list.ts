/**
 * A model of the service's subscription list: whole seconds, opaque cursors, both directions, days of an unknown
 * zone.
 */
import { BadRequestError } from '@newsletter-kit/core/engine';
import type { ListPosition, Readers, Watched } from '@newsletter-kit/core/watch';

/** A subscription of the model. */
export interface Row extends Watched {
  readonly status: string;
  readonly subscription_tier: string;
  readonly custom_fields: readonly { readonly name: string; readonly value: unknown }[];
}

interface ListQuery {
  readonly direction: 'asc' | 'desc';
  readonly day: string | null;
  readonly status: string | null;
}

export class SubscriptionList {
  now = 1_767_225_600;
  requests = 0;
  /** Seconds by which the service's days begin earlier than those of UTC. */
  zone = 0;
  /** Called after each request, to change the list while it is read. */
  meanwhile: () => void = () => undefined;
  readonly #rows = new Map<string, Row>();
  #cursors = new Map<string, Row>();
  #inserted = 0;
  readonly #idOf: (number: number) => string;

  /** @param idOf - by number, counted from 0; by default ids are in no order */
  constructor(idOf = (number: number): string => `sub_${(((number + 1) * 7919) % 99_991).toString(36)}`) {
    this.#idOf = idOf;
  }

  rows(): Row[] {
    return [...this.#rows.values()];
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Adds subscriptions in the current second. */
  insert(count: number, status = 'validating'): Row[] {
    return Array.from({ length: count }, () => {
      const id = this.#idOf(this.#inserted++);
      const row: Row = { id, created: this.now, status, subscription_tier: 'free', custom_fields: [] };
      this.#rows.set(id, row);
      return row;
    });
  }

  change(id: string, change: Partial<Omit<Row, 'id' | 'created'>>): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#rows.set(id, { ...row, ...change });
  }

  remove(id: string): void {
    this.#rows.delete(id);
  }

  /** Makes the service accept no earlier cursor. */
  forgetCursors(): void {
    this.#cursors.clear();
  }

  /** Readers of pages of this size; of those with one status, or of all. */
  readers(limit: () => number, status: string | null = null): Readers<Row> {
    return {
      newest: async (cursor) => this.#page({ direction: 'desc', day: null, status }, cursor, limit()),
      oldest: async ({ cursor, day }: ListPosition) => this.#page({ direction: 'asc', day, status }, cursor, limit()),
    };
  }

  #page({ direction, day, status }: ListQuery, cursor: string | null, limit: number) {
    this.requests++;
    const list = `${direction}/${day}/${status}`;
    const last = cursor === null ? null : this.#cursors.get(`${list}:${cursor}`);
    if (last === undefined) {
      throw new BadRequestError('subscriptions.list', {
        status: 400,
        statusText: 'Bad Request',
        errors: [],
        retryAfterMs: undefined,
        requestId: null,
      });
    }
    const sign = direction === 'asc' ? 1 : -1;
    const rest = this.rows()
      .filter((row) => (status === null || row.status === status) && (day === null || this.#dayOf(row) === day))
      .sort((a, b) => sign * order(a, b))
      .filter((row) => last === null || sign * order(row, last) > 0);
    const items = rest.slice(0, limit);
    const end = items.at(-1);
    let nextCursor: string | null = null;
    if (rest.length > limit && end !== undefined) {
      nextCursor = `after-${end.id}`;
      this.#cursors.set(`${list}:${nextCursor}`, end);
    }
    this.meanwhile();
    return { items, nextCursor };
  }

  #dayOf(row: Row): string {
    return new Date((row.created + this.zone) * 1000).toISOString().slice(0, 10).replaceAll('-', '/');
  }
}

function order(a: Row, b: Row): number {
  return a.created - b.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
