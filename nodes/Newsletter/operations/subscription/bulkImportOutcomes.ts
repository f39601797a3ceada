/** Bulk Import: what became of each item. Of an item no more is kept than what it comes out with. */
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../isRecord.ts';
import type { NodeFailure } from '../../transport/failure.ts';
import type { ItemOutcome, OperationContext } from '../definition.ts';

/** A call that the service took. */
interface Batch {
  readonly importId: string | null;
  readonly firstRow: number;
}

type Outcome =
  | { readonly batch: Batch }
  | { readonly status: 'rejected' | 'duplicate'; readonly reason: string }
  | { readonly error: NodeFailure };

/** Rows are numbered from 1, in the order of the items. */
export class Outcomes {
  readonly #items: readonly OperationContext[];
  readonly #emails: (string | undefined)[] = [];
  readonly #outcomes: (Outcome | undefined)[] = [];
  readonly #batches: Batch[] = [];

  constructor(items: readonly OperationContext[]) {
    this.#items = items;
  }

  read(row: number, subscription: object): void {
    const email = isRecord(subscription) ? subscription['email'] : undefined;
    if (typeof email === 'string') this.#emails[row] = email;
  }

  accepted(rows: readonly number[], importId: string | undefined): void {
    const batch = { importId: importId ?? null, firstRow: Math.min(...rows) };
    this.#batches.push(batch);
    this.#set(rows, { batch });
  }

  failed(rows: readonly number[], error: NodeFailure): void {
    this.#set(rows, { error });
  }

  rejected(row: number, status: 'rejected' | 'duplicate', reason: string): void {
    this.#outcomes[row] = { status, reason };
  }

  /** Whoever has no outcome yet was never sent. */
  notTried(error: NodeFailure): void {
    for (let row = 1; row <= this.#items.length; row += 1) this.#outcomes[row] ??= { error };
  }

  /** One an item, in the order of the items. Batches are numbered in that order too, whichever was answered first. */
  inOrder(): readonly ItemOutcome[] {
    const numbers = new Map(
      this.#batches.toSorted((a, b) => a.firstRow - b.firstRow).map((batch, index) => [batch, index + 1]),
    );
    return this.#items.flatMap(({ itemIndex }, index): ItemOutcome[] => {
      const outcome = this.#outcomes[index + 1];
      if (outcome === undefined) return [];
      return 'error' in outcome
        ? [{ itemIndex, error: outcome.error }]
        : [{ itemIndex, json: this.#json(index + 1, outcome, numbers) }];
    });
  }

  #json(
    row: number,
    outcome: Exclude<Outcome, { readonly error: NodeFailure }>,
    numbers: ReadonlyMap<Batch, number>,
  ): IDataObject {
    const email = this.#emails[row] ?? null;
    if ('batch' in outcome)
      return {
        email,
        status: 'accepted',
        import_id: outcome.batch.importId,
        batch: numbers.get(outcome.batch) ?? null,
        reason: null,
      };
    return { email, status: outcome.status, import_id: null, batch: null, reason: this.#reason(outcome) };
  }

  /** People count input items from 0, as n8n does. */
  #reason({ status, reason }: { readonly status: string; readonly reason: string }): string {
    const before = status === 'duplicate' ? Number(/\d+/.exec(reason)?.[0]) : Number.NaN;
    return Number.isNaN(before)
      ? reason
      : `An earlier item has the same address: item ${this.#items[before - 1]?.itemIndex ?? before - 1}`;
  }

  #set(rows: readonly number[], outcome: Outcome): void {
    for (const row of rows) this.#outcomes[row] = outcome;
  }
}
