/** A watch over the subscriptions of a publication, on an engine. */
import type { Arguments, CallOptions, Engine, Item, Signal } from '../engine/index.ts';
import type { FieldChoice } from './condition.ts';
import type { SubscriptionEventType } from './events.ts';
import { startWatch, type WatchState } from './state.ts';
import { pollWatch, type WatchResult } from './watch-poll.ts';

/** Watches page by cursor. */
type Query = Omit<Arguments<'subscriptions.list'>, 'page'>;
type Subscription = Item<'subscriptions.list'>;

/** Options of {@link watchSubscriptions}. */
export interface SubscriptionWatchOptions {
  /** Calls the API, tells the time and waits; a client has one as `client.engine`. */
  readonly engine: Pick<Engine, 'list' | 'host'>;
  /** The publication; may be left out where the engine has a default. */
  readonly publicationId?: string | undefined;
  /**
   * What to report. Default `['created']`, which costs one request a poll where nothing is new; any other needs the
   * scan.
   */
  readonly events?: readonly SubscriptionEventType[];
  /** Custom fields whose change is an `updated`: `all`, or names. Default `none`. */
  readonly customFields?: FieldChoice;
  /**
   * Watches the list of one status alone, which is smaller and needs a smaller state: only `unsubscribed` and
   * `became_active`, whichever of them the status means, are told, and no `from`. Default: all subscriptions.
   */
  readonly status?: 'active' | 'inactive';
  /** Further expansions that the reported subscriptions shall carry. */
  readonly expand?: Query['expand'];
  /** What an earlier watch kept; see {@link readWatchState}. Default: a new one. */
  readonly state?: WatchState;
  /** Most requests a poll makes; at least 1. Default 10. */
  readonly pages?: number;
  /** Most subscriptions to keep; more end a poll with a CapacityError. Default: no bound. */
  readonly capacity?: number;
  /** Subscriptions a page, 1 to 100. Default 100. */
  readonly limit?: number;
  /** Asked before every further page of a poll: whether there is time for one. */
  readonly hasTime?: () => boolean;
  /** For each call. */
  readonly call?: CallOptions;
}

/** How {@link SubscriptionWatch.polls} waits. */
export interface Rhythm {
  /** Milliseconds from the end of one poll to the next. Default 60,000. */
  readonly everyMs?: number;
  /** Ends the iteration. */
  readonly signal?: Signal;
}

/**
 * A watch. It keeps its own state in memory; to outlive the process, keep `state` together with the events of each
 * poll.
 */
export interface SubscriptionWatch {
  /** The state of the last poll. */
  readonly state: WatchState;
  /**
   * Polls once. A poll that is asked for while another is under way waits for it, so none sees what another did.
   *
   * @throws CapacityError, and what the engine throws where not even one page could be read; the state then stays as it
   *   was
   */
  poll(): Promise<WatchResult<Subscription>>;
  /** Poll after poll, until the signal aborts. Each is asked for when the one before has been dealt with. */
  polls(rhythm?: Rhythm): AsyncGenerator<WatchResult<Subscription>, void, undefined>;
}

/**
 * Watches the subscriptions of a publication.
 *
 * @example
 * ```ts
 * const watch = watchSubscriptions({ engine: client.engine, events: ['created', 'unsubscribed'] });
 * const { events, state } = await watch.poll();
 * ```
 */
export function watchSubscriptions(options: SubscriptionWatchOptions): SubscriptionWatch {
  const { engine, publicationId, events = ['created'], customFields = 'none', status, limit = 100, call } = options;
  const { host } = engine;
  const expand = [
    ...new Set([...(options.expand ?? []), ...(customFields === 'none' ? [] : (['custom_fields'] as const))]),
  ];
  const query: Query = {
    ...(publicationId !== undefined && { publicationId }),
    ...(expand.length > 0 && { expand }),
    ...(status !== undefined && { status }),
    order_by: 'created',
    limit,
  };

  async function read(more: Query): Promise<{ items: readonly Subscription[]; nextCursor: string | null }> {
    const page = await engine.list('subscriptions.list', { ...query, ...more }, call);
    return { items: page.items, nextCursor: page.hasMore ? page.nextCursor : null };
  }

  let state = options.state ?? startWatch(publicationId);
  let last: Promise<unknown> = Promise.resolve();

  async function pollNow(): Promise<WatchResult<Subscription>> {
    const { pages, capacity, hasTime } = options;
    const result = await pollWatch<Subscription>({
      state,
      events,
      customFields,
      list: status ?? 'all',
      ...(pages !== undefined && { pages }),
      ...(capacity !== undefined && { capacity }),
      ...(hasTime && { hasTime }),
      now: host.now(),
      read: {
        newest: (cursor) => read({ direction: 'desc', ...(cursor !== null && { cursor }) }),
        oldest: ({ cursor, day }) =>
          read({ direction: 'asc', ...(day !== null && { creation_date: day }), ...(cursor !== null && { cursor }) }),
      },
    });
    ({ state } = result);
    return result;
  }

  function poll(): Promise<WatchResult<Subscription>> {
    const result = last.then(pollNow, pollNow);
    last = result;
    return result;
  }

  return {
    get state() {
      return state;
    },
    poll,
    async *polls({ everyMs = 60_000, signal } = {}) {
      const ended = (): boolean => signal?.aborted ?? false;
      while (!ended()) {
        yield await poll();
        await host.sleep(everyMs, signal).catch((error: unknown) => {
          if (!ended()) throw error;
        });
      }
    },
  };
}
