/** Bulk Import: the outcome of each input item, and its words. */
import type { Rejection } from '@newsletter-kit/core/import';
import type { IDataObject } from 'n8n-workflow';
import { quoted } from '../../parameters/properties.ts';
import { ParameterMismatch } from '../../parameters/read.ts';
import type { NodeFailure } from '../../transport/failure.ts';
import type { ItemOutcome, OperationContext } from '../definition.ts';
import type { ItemConsent } from './bulkImportConsent.ts';
import type { ReadItem } from './bulkImportRequest.ts';

/** An accepted call. */
interface AcceptedBatch {
  readonly importId: string | null;
}

type RowOutcome =
  | { readonly batch: AcceptedBatch }
  | { readonly status: keyof typeof meanings; readonly reason: string }
  | { readonly error: NodeFailure };

/** What a status means, for the error output, where an item has the reason but no status. */
const meanings = {
  rejected: '',
  duplicate: '',
  left: 'This person has left, and stays out. ',
  unconfirmed: 'This person never confirmed, and stays out. ',
} as const;

const isStatus = (kind: string): kind is keyof typeof meanings => kind in meanings;

/** The outcome of each item, with only the fields that the output needs. Rows are numbered from 1, as the items. */
export class Outcomes {
  readonly #items: readonly OperationContext[];
  readonly #consent: ItemConsent;
  readonly #emails: (string | undefined)[] = [];
  readonly #outcomes: (RowOutcome | undefined)[] = [];
  #last: { readonly row: number } & Pick<ReadItem, 'nameOf'> = { row: 0, nameOf: (field) => field };
  readonly #droppedOf: (readonly string[] | undefined)[] = [];
  /** Custom fields of items that the publication does not have. */
  readonly dropped = new Set<string>();
  /** Input fields that match no field. */
  readonly unused = new Set<string>();
  /** Custom fields that items were sent with. */
  readonly sent = new Set<string>();

  constructor(items: readonly OperationContext[], consent: ItemConsent) {
    this.#items = items;
    this.#consent = consent;
  }

  read(row: number, parsed: ReadItem): void {
    const { subscription, dropped, unused } = parsed;
    this.#last = { row, nameOf: parsed.nameOf };
    if (typeof subscription.email === 'string') this.#emails[row] = subscription.email;
    if (dropped.length > 0) this.#droppedOf[row] = dropped;
    for (const name of dropped) this.dropped.add(name);
    for (const { name = '' } of subscription.custom_fields ?? []) this.sent.add(name);
    for (const name of unused) this.unused.add(name);
  }

  /** The address of an item, as it came where the item cannot be read; null where it has none. */
  emailOf(row: number): string | null {
    const email = this.#emails[row] ?? this.#consent.emailOf(row - 1);
    return email?.trim() ? email : null;
  }

  accepted(rows: readonly number[], importId: string | undefined): void {
    this.#set(rows, { batch: { importId: importId ?? null } });
  }

  failed(rows: readonly number[], error: NodeFailure): void {
    this.#set(rows, { error });
  }

  /** The importer uses the API's names of fields, and checks a row before it reads the next one. */
  rejected({ row, kind, reason }: Pick<Rejection, 'row' | 'kind' | 'reason'>): void {
    const { row: last, nameOf } = this.#last;
    const named = row === last ? reason.replace(/^"(\w+)/, (_, field: string) => `"${nameOf(field)}`) : reason;
    this.#outcomes[row] = { status: isStatus(kind) ? kind : 'rejected', reason: reasonOf(named, this.#items) };
  }

  /** Sets the error of all items without an outcome: they were never sent. */
  notTried(error: NodeFailure): void {
    for (let row = 1; row <= this.#items.length; row += 1) this.#outcomes[row] ??= { error };
  }

  /**
   * One an item, in the order of the items. Batches are numbered in that order too, whichever was answered first.
   *
   * @param hasErrorOutput - whether items that were left out go to the node's error output
   */
  inOrder(hasErrorOutput: boolean): readonly ItemOutcome[] {
    const numbers = new Map<AcceptedBatch, number>();
    return this.#items.flatMap(({ itemIndex }, index): ItemOutcome[] => {
      const outcome = this.#outcomes[index + 1];
      if (outcome === undefined) return [];
      if ('error' in outcome) return [{ itemIndex, error: outcome.error }];
      if ('status' in outcome && hasErrorOutput)
        return [{ itemIndex, error: new ParameterMismatch(meanings[outcome.status] + outcome.reason) }];
      return [{ itemIndex, json: this.#json(index + 1, outcome, numbers) }];
    });
  }

  #json(
    row: number,
    outcome: Exclude<RowOutcome, { readonly error: NodeFailure }>,
    numbers: Map<AcceptedBatch, number>,
  ): IDataObject {
    const email = this.emailOf(row);
    if ('status' in outcome)
      return { email, import_status: outcome.status, import_id: null, batch: null, reason: outcome.reason };
    const { batch } = outcome;
    if (!numbers.has(batch)) numbers.set(batch, numbers.size + 1);
    const dropped = this.#droppedOf[row];
    return {
      email,
      import_status: 'accepted',
      import_id: batch.importId,
      batch: numbers.get(batch) ?? null,
      reason: dropped
        ? `The publication has no custom field ${quoted(dropped, 'or')}; the rest of the item was imported`
        : null,
    };
  }

  #set(rows: readonly number[], outcome: RowOutcome): void {
    for (const row of rows) this.#outcomes[row] = outcome;
  }
}

/** Items of one publication; all items of the node are counted. */
type Counted = readonly Pick<OperationContext, 'itemIndex'>[];

/** The number of an item as people count: from 1, as the rows below a heading. */
export const itemNumber = (row: number, items: Counted): number => (items[row - 1]?.itemIndex ?? row - 1) + 1;

/** A reason of the importer as the node words it. */
export function reasonOf(reason: string, items: Counted): string {
  const [, row = '', says] = /^row (\d+) (.*)$/s.exec(reason) ?? [];
  const item = itemNumber(Number(row), items);
  if (says === undefined) return reason.replace(/^column/, 'Column');
  return says === 'has the same address'
    ? `An earlier item has the same address: item ${item}`
    : `Item ${item} ${says}`;
}
