/** A watch over a list of subscriptions that keeps its state between polls. */
import {
  pollWatch,
  startWatch,
  subscriptionEventTypes,
  type SubscriptionEvent,
  type WatchPoll,
  type WatchState,
} from '@newsletter-kit/core/watch';
import { SubscriptionList, type Row } from './subscription-list.ts';

export type Options = Partial<Omit<WatchPoll<Row>, 'state' | 'read'>> & { readonly limit?: number };

/** A watch over a list that keeps its state between polls. */
export class Watch {
  state: WatchState = startWatch();
  readonly list: SubscriptionList;
  readonly options: Options;

  constructor(list: SubscriptionList, options: Options = {}) {
    this.list = list;
    this.options = options;
  }

  async poll(more: Options = {}) {
    const { limit = 100, ...rest } = { ...this.options, ...more };
    const result = await pollWatch<Row>({
      state: this.state,
      read: this.list.readers(() => limit, rest.list ?? null),
      events: subscriptionEventTypes,
      now: this.list.now * 1000,
      ...rest,
    });
    this.state = result.state;
    return result;
  }
}

/** Each event as a text. */
export function textsOf(events: readonly SubscriptionEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'removed') return `removed ${event.created}`;
    const detail =
      event.type === 'updated' ? ` ${event.changed.join('+')}` : 'from' in event ? ` ${event.from}>${event.to}` : '';
    return `${event.type} ${event.subscription.id}${detail}`;
  });
}

/** A publication with so many subscriptions, one a minute. */
export function publication(count: number, status = 'active', seconds = 60): { list: SubscriptionList; rows: Row[] } {
  const list = new SubscriptionList();
  const rows = Array.from({ length: count }, () => {
    list.now += seconds;
    return list.insert(1, status)[0]!;
  });
  list.now += 60;
  return { list, rows };
}
