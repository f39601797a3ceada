/**
 * A consumer that believes what it is told, and the questions its beliefs must answer. It keeps whole ids and values,
 * none of it packed, and checks every event against what it believed before.
 */
import { isRemoved, type SubscriptionEvent, type Watched } from '@newsletter-kit/core/watch';

type Look = Pick<Watched, 'id' | 'created' | 'status' | 'subscription_tier' | 'custom_fields'>;

const tierOf = ({ subscription_tier }: Look): string => subscription_tier ?? '';
/** An empty text is no value. */
const fieldsOf = ({ custom_fields }: Look): string =>
  JSON.stringify((custom_fields ?? []).filter(({ value }) => value !== '').map(({ name, value }) => [name, value]));
/** What can be compared of a subscription. */
const face = (look: Look): string => [look.status, tierOf(look), fieldsOf(look)].join(' ');
const believedFace = (look: Look | undefined): string => (look === undefined ? 'nothing' : face(look));

export class Ledger {
  readonly #believed = new Map<string, Look>();
  readonly #created = new Set<string>();
  readonly problems: string[] = [];

  /** What the first look at a subscription showed, where no event told of it. */
  learn(look: Look): void {
    if (!this.#believed.has(look.id)) this.#believed.set(look.id, look);
  }

  /** Takes in what one poll told. */
  hear(events: readonly SubscriptionEvent[]): void {
    // A new subscription's first status is told with it.
    for (const [index, event] of events.entries()) {
      if (event.type === 'removed') this.#forget(events, index);
      else if (event.type === 'created') this.#meet(event.subscription, events);
      else if (event.type === 'status_changed') this.#follow(event, events);
      else if (event.type === 'updated') this.#update(event.subscription, event.changed);
      else if (event.from === null && !this.#created.has(event.subscription.id))
        this.#complain(`${event.type} from null of one that is not new`);
    }
    const arrivals = events.filter(({ type }) => type === 'became_active' || type === 'unsubscribed').length;
    const expected = events.filter((event) => {
      const to = event.type === 'created' ? event.subscription.status : event.type === 'status_changed' ? event.to : '';
      return to === 'active' || to === 'inactive';
    }).length;
    if (arrivals !== expected) this.#complain(`${arrivals} arrivals told, ${expected} there were`);
  }

  /** What of the truth it was not told, or told wrongly. */
  compare(rows: readonly Look[]): string[] {
    const missed = rows.filter((row) => {
      const believed = this.#believed.get(row.id);
      return believed === undefined || face(believed) !== face(row);
    });
    const there = new Set(rows.map(({ id }) => id));
    const ghosts = [...this.#believed.keys()].filter((id) => !there.has(id));
    return [
      ...this.problems,
      ...missed.map((row) => `missed: ${row.id} is ${face(row)}, believed ${believedFace(this.#believed.get(row.id))}`),
      ...ghosts.map((id) => `never told that ${id} is gone`),
    ];
  }

  #meet(subscription: Look, events: readonly SubscriptionEvent[]): void {
    if (this.#created.has(subscription.id)) this.#complain(`created twice: ${subscription.id}`);
    if (this.#believed.has(subscription.id)) this.#complain(`created, though known: ${subscription.id}`);
    this.#created.add(subscription.id);
    this.#believed.set(subscription.id, subscription);
    const firsts = events.filter(
      (event) => 'from' in event && event.from === null && event.subscription.id === subscription.id,
    );
    const expected = ['active', 'inactive'].includes(subscription.status) ? 1 : 0;
    if (firsts.length !== expected) this.#complain(`${firsts.length} first statuses of ${subscription.id}`);
  }

  #follow(event: Extract<SubscriptionEvent, { from: string | null }>, events: readonly SubscriptionEvent[]): void {
    const { subscription, from, to } = event;
    const believed = this.#believed.get(subscription.id);
    if (believed?.status !== from)
      this.#complain(`${subscription.id}: told from ${from}, believed ${believed?.status}`);
    if (subscription.status !== to || from === to)
      this.#complain(`${subscription.id}: told ${from} to ${to}, is ${subscription.status}`);
    if (believed === undefined) return;
    this.#believed.set(subscription.id, { ...believed, status: subscription.status });
    const alike = events.filter(
      (other) =>
        'from' in other &&
        other.type !== 'status_changed' &&
        other.subscription === subscription &&
        other.from === from,
    );
    if (alike.length !== (to === 'active' || to === 'inactive' ? 1 : 0))
      this.#complain(`${alike.length} arrivals for ${from} to ${to}`);
  }

  #update(subscription: Look, changed: readonly string[]): void {
    const believed = this.#believed.get(subscription.id);
    if (believed === undefined) return this.#complain(`updated, though unknown: ${subscription.id}`);
    const expected = [
      ...(tierOf(believed) === tierOf(subscription) ? [] : ['tier']),
      ...(fieldsOf(believed) === fieldsOf(subscription) ? [] : ['custom_fields']),
    ];
    if (expected.join() !== changed.join())
      this.#complain(`${subscription.id}: told ${changed.join()} changed, it was ${expected.join()}`);
    this.#believed.set(subscription.id, { ...subscription, status: believed.status });
  }

  #forget(events: readonly SubscriptionEvent[], index: number): void {
    const event = events[index];
    if (event?.type !== 'removed') return;
    const [gone, another] = [...this.#believed.values()].filter((look) => isRemoved(event, look));
    if (gone === undefined || another !== undefined) return this.#complain('removed, but not clear who');
    this.#believed.delete(gone.id);
  }

  #complain(problem: string): void {
    this.problems.push(problem);
  }
}
