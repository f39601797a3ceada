/** Counts what a whole plan would do, batch by batch. Pure. */
import { isClear, isOverwrite } from './changes.ts';
import type { Finding } from './findings.ts';
import type { Overwrites, PlannedBatch, SyncCounts } from './plan.ts';

/** What a batch adds to the counts. */
function countsOf({ waiting, subscriptionCreates, findings, ...now }: PlannedBatch) {
  const pairs = [...now.pairs, ...waiting.pairs];
  const writes = pairs.flatMap(({ subscriptionWrites }) => subscriptionWrites);
  const changes = pairs.flatMap((pair) => pair.changes);
  return {
    contactCreates: now.contactCreates.length + waiting.contactCreates.length,
    contactUpdates: pairs.reduce((sum, { contactWrites }) => sum + contactWrites.length, 0),
    subscriptionCreates: subscriptionCreates.length,
    confirmations: subscriptionCreates.filter(({ request }) => request.double_opt_override === 'on').length,
    subscriptionUpdates: writes.length,
    unsubscribes: writes.filter(({ unsubscribe }) => unsubscribe).length,
    clears: pairs.filter((pair) => pair.changes.some(isClear)).length,
    removals: pairs.filter((pair) => pair.changes.some(({ kind }) => kind === 'remove')).length,
    optOuts: changes.filter(({ kind }) => kind === 'opt_out').length,
    conflicts: changes.filter(({ reason }) => reason === 'newsletter_wins' || reason === 'crm_wins').length,
    waiting: waiting.pairs.length + waiting.contactCreates.length,
    findings: findings.length,
    newFindings: findings.filter(({ isNew }) => isNew).length,
  };
}

const nothing = { pairs: [], contactCreates: [], subscriptionCreates: [] };

export class Tally {
  contacts = 0;
  subscriptions = 0;
  pairs = 0;
  /** Contacts whose link moves to another subscription. */
  moved = 0;
  #contactsOfOne = 0;
  readonly #counts = countsOf({ ...nothing, waiting: nothing, urgent: [], findings: [] });
  /** Values that are replaced by others, by side and field. */
  readonly #overwrites = new Map<string, Overwrites>();

  /** @param contacts - records of the batch */
  add(batch: PlannedBatch, contacts: number): void {
    this.contacts += contacts;
    const more = countsOf(batch);
    for (const name of Object.keys(more) as (keyof typeof more)[]) this.#counts[name] += more[name];
    for (const { contactWrites, changes } of [...batch.pairs, ...batch.waiting.pairs]) {
      this.#contactsOfOne = Math.max(this.#contactsOfOne, contactWrites.length);
      for (const { side, field } of changes.filter(isOverwrite)) {
        const key = `${side} ${field}`;
        this.#overwrites.set(key, { side, field, count: (this.#overwrites.get(key)?.count ?? 0) + 1 });
      }
    }
  }

  addFindings(findings: readonly Finding[]): void {
    this.add({ ...nothing, waiting: nothing, urgent: [], findings }, 0);
  }

  /** The counts, with those that are not about batches. */
  total(others: Pick<SyncCounts, 'withoutContact' | 'unknownContacts' | 'limit'>): SyncCounts {
    const { contacts, subscriptions, pairs, moved } = this;
    const contactsOfOne = this.#contactsOfOne;
    const overwrites = [...this.#overwrites]
      .toSorted(([oneKey, one], [otherKey, other]) => other.count - one.count || (oneKey < otherKey ? -1 : 1))
      .map(([, each]) => each);
    const { removals, ...counts } = this.#counts;
    return { contacts, subscriptions, pairs, moved, ...counts, contactsOfOne, removals, ...others, overwrites };
  }
}
