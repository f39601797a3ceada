/**
 * A replica of the list that is built from events alone, unpacked. It checks every event against its state, and its
 * state against the list.
 */
import { isRemoved, type SubscriptionEvent, type Watched } from '@newsletter-kit/core/watch';

type ListedRecord = Pick<Watched, 'id' | 'created' | 'status' | 'subscription_tier' | 'custom_fields'>;

const tierOf = ({ subscription_tier }: ListedRecord): string => subscription_tier ?? '';
/** An empty text is no value. */
const fieldsOf = ({ custom_fields }: ListedRecord): string =>
  JSON.stringify((custom_fields ?? []).filter(({ value }) => value !== '').map(({ name, value }) => [name, value]));
const hasLeft = (status: string | null): boolean =>
  status !== null && !['validating', 'invalid', 'pending', 'active', 'needs_attention', 'paused'].includes(status);

/** Whether a status has an event of its own: the person became active, or left. */
const hasArrival = (from: string | null, to: string): boolean => to === 'active' || (hasLeft(to) && !hasLeft(from));

/** The compared values of a subscription as one text. */
const textOf = (record: ListedRecord): string => [record.status, tierOf(record), fieldsOf(record)].join(' ');
const describe = (record: ListedRecord | undefined): string => (record === undefined ? 'no record' : textOf(record));

export class Replica {
  readonly #records = new Map<string, ListedRecord>();
  readonly #created = new Set<string>();
  readonly problems: string[] = [];

  /** Adds a subscription that existed before the watch, for which there is no event. */
  add(record: ListedRecord): void {
    if (!this.#records.has(record.id)) this.#records.set(record.id, record);
  }

  /** Applies the events of one poll. */
  apply(events: readonly SubscriptionEvent[]): void {
    // The first status of a new subscription is reported by the same poll.
    for (const [index, event] of events.entries()) {
      if (event.type === 'removed') this.#remove(events, index);
      else if (event.type === 'created') this.#create(event.subscription, events);
      else if (event.type === 'status_changed') this.#changeStatus(event, events);
      else if (event.type === 'updated') this.#update(event.subscription, event.changed);
      else if (event.from === null && !this.#created.has(event.subscription.id))
        this.#addProblem(`${event.type} from null of a subscription that is not new`);
    }
    const arrivals = events.filter(({ type }) => type === 'became_active' || type === 'unsubscribed').length;
    const expected = events.filter((event) => {
      if (event.type === 'created') return hasArrival(null, event.subscription.status);
      return event.type === 'status_changed' && hasArrival(event.from, event.to);
    }).length;
    if (arrivals !== expected)
      this.#addProblem(`${arrivals} became_active and unsubscribed events, expected ${expected}`);
  }

  /** Problems of the events so far, and differences between the replica and the list. */
  compare(rows: readonly ListedRecord[]): string[] {
    const missed = rows.filter((row) => {
      const known = this.#records.get(row.id);
      return known === undefined || textOf(known) !== textOf(row);
    });
    const present = new Set(rows.map(({ id }) => id));
    const leftovers = [...this.#records.keys()].filter((id) => !present.has(id));
    return [
      ...this.problems,
      ...missed.map((row) => `missed: ${row.id} is ${textOf(row)}, replica has ${describe(this.#records.get(row.id))}`),
      ...leftovers.map((id) => `no event for the removal of ${id}`),
    ];
  }

  #create(subscription: ListedRecord, events: readonly SubscriptionEvent[]): void {
    if (this.#created.has(subscription.id)) this.#addProblem(`two created events: ${subscription.id}`);
    if (this.#records.has(subscription.id))
      this.#addProblem(`created event for a known subscription: ${subscription.id}`);
    this.#created.add(subscription.id);
    this.#records.set(subscription.id, subscription);
    const firstStatuses = events.filter(
      (event) => 'from' in event && event.from === null && event.subscription.id === subscription.id,
    );
    const expected = Number(hasArrival(null, subscription.status));
    if (firstStatuses.length !== expected)
      this.#addProblem(`${firstStatuses.length} first statuses of ${subscription.id}`);
  }

  #changeStatus(
    event: Extract<SubscriptionEvent, { from: string | null }>,
    events: readonly SubscriptionEvent[],
  ): void {
    const { subscription, from, to } = event;
    const known = this.#records.get(subscription.id);
    if (known?.status !== from)
      this.#addProblem(`${subscription.id}: event from ${from}, replica has ${known?.status}`);
    if (subscription.status !== to || from === to)
      this.#addProblem(`${subscription.id}: event ${from} to ${to}, record has ${subscription.status}`);
    if (known === undefined) return;
    this.#records.set(subscription.id, { ...known, status: subscription.status });
    const arrivals = events.filter(
      (other) =>
        'from' in other &&
        other.type !== 'status_changed' &&
        other.subscription === subscription &&
        other.from === from,
    );
    if (arrivals.length !== Number(hasArrival(from, to)))
      this.#addProblem(`${arrivals.length} became_active or unsubscribed events for ${from} to ${to}`);
  }

  #update(subscription: ListedRecord, changed: readonly string[]): void {
    const known = this.#records.get(subscription.id);
    if (known === undefined) return this.#addProblem(`updated event for an unknown subscription: ${subscription.id}`);
    const expected = [
      ...(tierOf(known) === tierOf(subscription) ? [] : ['tier']),
      ...(fieldsOf(known) === fieldsOf(subscription) ? [] : ['custom_fields']),
    ];
    if (expected.join() !== changed.join())
      this.#addProblem(`${subscription.id}: event says ${changed.join()} changed, expected ${expected.join()}`);
    this.#records.set(subscription.id, { ...subscription, status: known.status });
  }

  #remove(events: readonly SubscriptionEvent[], index: number): void {
    const event = events[index];
    if (event?.type !== 'removed') return;
    const [removed, another] = [...this.#records.values()].filter((record) => isRemoved(event, record));
    if (removed === undefined || another !== undefined)
      return this.#addProblem('a removed event that matches no subscription or several');
    this.#records.delete(removed.id);
  }

  #addProblem(problem: string): void {
    this.problems.push(problem);
  }
}
