/** Counts what a whole plan would do, batch by batch. Pure. */
import { isClear, isOverwrite } from './changes.ts';
import type { Finding } from './findings.ts';
import type { Overwrites, PlannedBatch, SyncCounts } from './plan.ts';

export class Tally {
  contacts = 0;
  subscriptions = 0;
  pairs = 0;
  /** Contacts whose link moves to another subscription. */
  moved = 0;
  readonly #counts = {
    contactCreates: 0,
    contactUpdates: 0,
    subscriptionCreates: 0,
    confirmations: 0,
    subscriptionUpdates: 0,
    unsubscribes: 0,
    clears: 0,
    optOuts: 0,
    contactsOfOne: 0,
    conflicts: 0,
    waiting: 0,
    findings: 0,
    newFindings: 0,
  };
  /** Values that are replaced by others, by side and field. */
  readonly #overwrites = new Map<string, Overwrites>();

  /** @param contacts - records of the batch */
  add(batch: PlannedBatch, contacts: number): void {
    const counts = this.#counts;
    const { waiting, subscriptionCreates, findings } = batch;
    const pairs = [...batch.pairs, ...waiting.pairs];
    const writes = pairs.flatMap(({ subscriptionWrites }) => subscriptionWrites);
    const changes = pairs.flatMap((pair) => pair.changes);
    this.contacts += contacts;
    counts.contactCreates += batch.contactCreates.length + waiting.contactCreates.length;
    for (const { contactWrites } of pairs) counts.contactsOfOne = Math.max(counts.contactsOfOne, contactWrites.length);
    counts.contactUpdates += pairs.reduce((sum, { contactWrites }) => sum + contactWrites.length, 0);
    counts.subscriptionCreates += subscriptionCreates.length;
    counts.confirmations += subscriptionCreates.filter(({ request }) => request.double_opt_override === 'on').length;
    counts.subscriptionUpdates += writes.length;
    counts.unsubscribes += writes.filter(({ unsubscribe }) => unsubscribe).length;
    counts.clears += pairs.filter((pair) => pair.changes.some(isClear)).length;
    counts.optOuts += changes.filter(({ kind }) => kind === 'opt_out').length;
    counts.conflicts += changes.filter(({ reason }) => reason === 'newsletter_wins' || reason === 'crm_wins').length;
    counts.waiting += waiting.pairs.length + waiting.contactCreates.length;
    for (const { side, field } of changes.filter(isOverwrite)) {
      const key = `${side} ${field}`;
      this.#overwrites.set(key, { side, field, count: (this.#overwrites.get(key)?.count ?? 0) + 1 });
    }
    this.addFindings(findings);
  }

  addFindings(findings: readonly Finding[]): void {
    this.#counts.findings += findings.length;
    this.#counts.newFindings += findings.filter(({ isNew }) => isNew).length;
  }

  /** The counts, with those that are not about batches. */
  total(others: Pick<SyncCounts, 'removals' | 'withoutContact' | 'unknownContacts' | 'limit'>): SyncCounts {
    const { contacts, subscriptions, pairs, moved } = this;
    const overwrites = [...this.#overwrites]
      .toSorted(([oneKey, one], [otherKey, other]) => other.count - one.count || (oneKey < otherKey ? -1 : 1))
      .map(([, each]) => each);
    return { contacts, subscriptions, pairs, moved, ...this.#counts, ...others, overwrites };
  }
}
