/**
 * Words that count as a no and that nobody has confirmed: statuses that the specification lacks, and what contacts show
 * of the opt-out. They hold the plan until a person accepts it. Pure.
 */
import { redact } from '../../engine/redact.ts';
import { isUnknownStatus } from '../../facts/subscriber-status.ts';
import type { ReadyMapping, SyncSubscription } from '../mapping/prepare-mapping.ts';
import { maxEntries, type SyncState } from '../mapping/state.ts';
import type { ChangeKind } from './changes.ts';
import type { HeldReason } from './findings.ts';
import type { PairPlan } from './plan.ts';

type Known = Readonly<Record<'state', SyncState>> & Readonly<Record<'mapping', ReadyMapping>>;

/** Most words that a message names, and their longest part. */
const mostWords = 5;
const wordLength = 40;

export class UnclearWords {
  /** Statuses of people whose contacts would be opted out, with the numbers of people. */
  readonly #statuses = new Map<string, number>();
  /** What contacts show that is neither yes, no nor usual, with the numbers of contacts. */
  readonly #optOuts = new Map<string, number>();

  /** Notes what contacts show of the opt-out. */
  add(texts: readonly string[]): void {
    for (const text of texts) this.#optOuts.set(text, (this.#optOuts.get(text) ?? 0) + 1);
  }

  /**
   * Notes the words that a pair depends on.
   *
   * @param texts - what its contacts show of the opt-out that is not usual
   * @returns whether it waits for an answer
   */
  addPair(
    { status }: SyncSubscription,
    plans: readonly PairPlan[],
    texts: readonly string[],
    { state, mapping }: Known,
  ): boolean {
    const does = (kind: ChangeKind): boolean => plans.some(({ changes }) => changes.some((each) => each.kind === kind));
    const isStatus = isUnknownStatus(status) && !state.statuses.includes(status) && does('opt_out');
    if (isStatus) this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    const isOpen = mapping.optOut?.ordinary === null;
    if (!(isOpen ? plans.some(({ contactWrite }) => contactWrite) : does('unsubscribe'))) return isStatus;
    this.add(texts);
    return isStatus || (isOpen && texts.length > 0);
  }

  /** Why the words hold the plan. @param limit - how many contacts may show words once it is known what is usual */
  problems({ optOut }: ReadyMapping, limit: number): [HeldReason, string][] {
    const problems: [HeldReason, string][] = [];
    const lacking = 'People wait who would be opted out for a status that the specification lacks:';
    if (this.#statuses.size > 0) problems.push(['status_unknown', `${lacking} ${listed(this.#statuses)}.`]);
    const shown = `Contacts wait that count as opted out by what "${optOut?.contact}" shows:`;
    if (sumOf(this.#optOuts) > (optOut?.ordinary === null ? 0 : limit))
      problems.push(['opt_out_unclear', `${shown} ${listed(this.#optOuts)}.`]);
    return problems;
  }

  /**
   * What the next run has to know. Where a person has accepted the plan, everything filled is an opt-out from then on.
   * What the settings say is not kept.
   */
  answers(
    { state, mapping: { optOut } }: Known,
    { mapping: given, accept }: Pick<Known, 'mapping'> & { readonly accept?: boolean | undefined },
  ): Pick<SyncState, 'optOut' | 'statuses'> {
    const ordinary = optOut?.ordinary ?? (accept && this.#optOuts.size > 0 ? [] : null);
    const statuses = accept ? [...new Set([...state.statuses, ...this.#statuses.keys()])] : state.statuses;
    const isLearned = given.optOut?.ordinary === null;
    return {
      optOut: optOut && ordinary && isLearned ? { field: optOut.contact, ordinary } : state.optOut,
      statuses: statuses.slice(0, maxEntries),
    };
  }
}

const sumOf = (words: Iterable<readonly [string, number]>): number =>
  [...words].reduce((sum, [, count]) => sum + count, 0);

/** The words that most have, with the numbers; nothing of addresses. */
function listed(words: ReadonlyMap<string, number>): string {
  const sorted = [...words].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  const named = sorted.slice(0, mostWords).map(([word, count]) => `"${redact(word).slice(0, wordLength)}" (${count})`);
  const others = sorted.slice(mostWords);
  return `${named.join(', ')}${others.length > 0 ? `, ${others.length} others (${sumOf(others)})` : ''}`;
}
