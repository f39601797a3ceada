/** A watch over the subscriptions of a publication, on an engine. */
import type { Arguments, CallOptions, Engine, Item, Signal } from '../engine/index.ts';
import { continuationAt } from '../engine/index.ts';
import type { FieldChoice, Watched } from './fingerprint.ts';
import type { SubscriptionEventType } from './events.ts';
import type { ScanPage } from './scan.ts';
import { startWatch, type WatchState } from './state.ts';
import { pollWatch, type WatchResult } from './poll.ts';

/** A watch decides itself which page it reads. */
type WatchQuery = Omit<Arguments<'subscriptions.list'>, 'page' | 'cursor'>;

/** A subscription as a watch reports it: with the fields that it needs. */
export type WatchedSubscription = Item<'subscriptions.list'> & Watched;

/** The result of a poll, and the number of records that it left out because they cannot be watched. */
export type SubscriptionPoll = WatchResult<WatchedSubscription> & { readonly leftOut: number };

/** Options of {@link watchSubscriptions}. */
export interface SubscriptionWatchOptions {
  /** Calls the API, tells the time and waits; a client has one as `client.engine`. */
  readonly engine: Pick<Engine, 'list' | 'host'>;
  /** The publication; may be left out where the engine has a default. */
  readonly publicationId?: string | undefined;
  /**
   * Events to report. Default `['created']`, which costs one request a poll where nothing is new; any other event needs
   * the scan.
   */
  readonly events?: readonly SubscriptionEventType[] | undefined;
  /** Custom fields whose change is an `updated`: `all`, or names. Default `none`. */
  readonly customFields?: FieldChoice | undefined;
  /**
   * Watches the list of one status alone, which is smaller and needs a smaller state: only `unsubscribed` and
   * `became_active`, whichever of them the status means, are reported, without `from`. Default: all subscriptions.
   */
  readonly status?: 'active' | 'inactive' | undefined;
  /** Further `expand` values for the reported subscriptions. */
  readonly expand?: WatchQuery['expand'] | undefined;
  /** The state of an earlier watch; see {@link readWatchState}. Default: a new one. */
  readonly state?: WatchState | undefined;
  /** Most requests a poll makes; at least 1. Default 10. */
  readonly pages?: number | undefined;
  /** Most subscriptions in the state; more end a poll with a CapacityError. Default: no limit. */
  readonly capacity?: number | undefined;
  /** Subscriptions a page, 1 to 100. Default 100. */
  readonly limit?: number | undefined;
  /** Asked before every further page of a poll: whether there is time for one. */
  readonly hasTime?: (() => boolean) | undefined;
  /** For each call. */
  readonly call?: CallOptions | undefined;
}

/** When {@link SubscriptionWatch.polls} polls. */
export interface PollSchedule {
  /** Milliseconds from the end of one poll to the next. Default 60,000. */
  readonly everyMs?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: Signal | undefined;
}

/**
 * A watch. It keeps its state in memory; to resume it in another process, store `state` together with the events of
 * each poll.
 */
export interface SubscriptionWatch {
  /** The state of the last poll. */
  readonly state: WatchState;
  /**
   * Polls once. Waits for a poll in progress, so that no event is reported twice.
   *
   * @throws CapacityError, and the engine's error for the first page; the state then stays unchanged
   */
  poll(): Promise<SubscriptionPoll>;
  /** Polls repeatedly until the signal aborts. Each poll starts when the consumer asks for the next result. */
  polls(rhythm?: PollSchedule): AsyncGenerator<SubscriptionPoll, void, undefined>;
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
  const { pages, capacity, hasTime } = options;
  const expand = new Set(options.expand);
  if (customFields !== 'none') expand.add('custom_fields');
  const query: WatchQuery = { publicationId, expand: [...expand], status, order_by: 'created', limit };
  let state = options.state ?? startWatch(publicationId);
  let last: Promise<unknown> = Promise.resolve();

  async function pollNow(): Promise<SubscriptionPoll> {
    let leftOut = 0;
    const read = async (more: Arguments<'subscriptions.list'>): Promise<ScanPage<WatchedSubscription>> => {
      const page = await engine.list('subscriptions.list', { ...query, ...more }, { ...call, reader: 'watch' });
      leftOut += page.leftOut.length;
      const items = page.items as readonly WatchedSubscription[];
      return { items, nextCursor: await page.place(), leftOut: page.leftOut };
    };
    const result = await pollWatch<WatchedSubscription>({
      state,
      events,
      customFields,
      list: status ?? 'all',
      pages,
      capacity,
      hasTime,
      now: engine.host.now(),
      read: {
        newest: (place) => read({ direction: 'desc', ...(place !== null && continuationAt(place)) }),
        oldest: ({ cursor, day }) =>
          read({ direction: 'asc', creation_date: day ?? undefined, ...(cursor !== null && continuationAt(cursor)) }),
      },
    });
    ({ state } = result);
    return { ...result, leftOut };
  }

  const poll = (): Promise<SubscriptionPoll> => {
    const result = last.then(pollNow, pollNow);
    last = result;
    return result;
  };

  return {
    get state() {
      return state;
    },
    poll,
    async *polls({ everyMs = 60_000, signal } = {}) {
      const ended = (): boolean => signal?.aborted ?? false;
      while (!ended()) {
        yield await poll();
        await engine.host.sleep(everyMs, signal).catch((error: unknown) => {
          if (!ended()) throw error;
        });
      }
    },
  };
}
