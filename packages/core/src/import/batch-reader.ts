/** Reads the rows of a source, checks them, leaves out duplicates and rows of earlier runs, and forms batches. */
import { hashText, type Digest } from '../hash.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import { AddressSet } from './address-set.ts';
import { utf8Length, type Batch, type BatchRow } from './batch.ts';
import type { Delivery } from './delivery.ts';
import type { ImportRun } from './options.ts';
import { checkRequest } from './request.ts';
import { numbered, type ImportRow, type Pull, type Rejection } from './source.ts';

/** Rows between two progress reports while nothing is sent. */
const reportInterval = 10_000;

/** A row that was read and checked. */
interface CheckedRow {
  /** Its position in the source, from 1. */
  readonly ordinal: number;
  /** The number people know it by. */
  readonly row: number;
  readonly original: unknown;
  readonly checked: { readonly request: SubscriptionRequest } | Pick<Rejection, 'kind' | 'reason'>;
  /** The request as JSON; empty where there is none. */
  readonly text: string;
  /** Whether an earlier run has finished it. */
  readonly isSettled: boolean;
}

/** A batch that still takes rows. */
interface PendingBatch {
  first: number;
  readonly rows: BatchRow[];
  bytes: number;
  resent: boolean;
}

function openBatch(first: number): PendingBatch {
  return { first, rows: [], bytes: 0, resent: false };
}

export class BatchReader {
  readonly #run: ImportRun;
  readonly #delivery: Delivery;
  readonly #addresses: AddressSet;
  /** Of every row so far. */
  #digest: Digest;
  #ordinal = 0;
  #open = openBatch(1);

  constructor(run: ImportRun, delivery: Delivery) {
    this.#run = run;
    this.#delivery = delivery;
    this.#addresses = new AddressSet(run.resume.seed);
    this.#digest = run.resume.seed;
  }

  /** Reads rows and dispatches batches until the source ends or the import stops. @returns whether the source ended */
  async read(rows: Pull<ImportRow>): Promise<boolean> {
    for (;;) {
      const pulled = rows.next();
      // Most rows are there already; waiting for each would take most of the time.
      const next = pulled && 'then' in pulled ? await pulled : pulled;
      if (next?.done === true) return true;
      if (!next || this.#delivery.stopReason) return false;
      const row = this.#check(next.value);
      if (row.isSettled) {
        if (this.#open.rows.length > 0) await this.#flush();
        this.#skip(row);
      } else this.#run.progress.start();
      const rejection = this.#rejectionOf(row);
      if (rejection) {
        await this.#delivery.reject(rejection);
        continue;
      }
      if (row.isSettled) {
        this.#run.progress.counts.accepted += 1;
        continue;
      }
      const bytes = utf8Length(row.text) + 1;
      if (this.#isTooLargeWith(bytes)) await this.#flush();
      this.#add(row, bytes);
      if (this.#isComplete()) await this.#flush();
    }
  }

  /** Checks that the source holds all rows of earlier runs, and dispatches the last batch. */
  async finish(): Promise<void> {
    this.#run.resume.checkEnd(this.#ordinal);
    await this.#flush();
  }

  /** Numbers and checks a row, and compares it with earlier runs. @throws SourceChangedError */
  #check(value: ImportRow): CheckedRow {
    const ordinal = (this.#ordinal += 1);
    this.#run.progress.counts.read += 1;
    const { row, subscription, problem, kind = 'invalid', original = subscription } = numbered(value, ordinal);
    const request = problem === undefined || subscription !== undefined ? checkRequest(subscription) : undefined;
    const wrong = request && 'problem' in request ? request.problem : undefined;
    const reason = [problem, wrong].filter((each) => each !== undefined).join('; ');
    const checked = request && 'request' in request && reason === '' ? request : { kind, reason };
    const text = 'request' in checked ? JSON.stringify(checked.request) : '';
    this.#digest = hashText(text, this.#digest);
    this.#run.resume.checkRow(ordinal, this.#digest);
    return { ordinal, row, original, checked, text, isSettled: this.#run.resume.isSettled(ordinal) };
  }

  #skip({ ordinal }: CheckedRow): void {
    this.#open.first = ordinal + 1;
    this.#run.progress.resumed += 1;
    if (ordinal % reportInterval === 0) this.#delivery.reportProgress();
  }

  /** Why a row is left out: invalid, a duplicate, or refused in an earlier run; undefined where it is not. */
  #rejectionOf({ ordinal, row, original, checked, isSettled }: CheckedRow): Rejection | undefined {
    if ('reason' in checked) return { row, ...checked, original };
    const kept = this.#run.options.keepOut?.(checked.request.email);
    if (kept !== undefined) return { row, kind: 'left', reason: kept, original };
    const before = this.#addresses.add(checked.request.email, row);
    if (before !== undefined) return { row, kind: 'duplicate', reason: `row ${before} has the same address`, original };
    const reason = isSettled ? this.#run.resume.refusal(ordinal) : undefined;
    return reason === undefined ? undefined : { row, kind: 'refused', reason, original };
  }

  #isTooLargeWith(bytes: number): boolean {
    const { resent, rows } = this.#open;
    return !resent && rows.length > 0 && this.#open.bytes + bytes > this.#run.settings.bytes;
  }

  #add({ ordinal, row, original, checked }: CheckedRow, bytes: number): void {
    if (!('request' in checked)) return;
    this.#open.resent ||= this.#run.resume.lostAround(ordinal) !== undefined;
    this.#open.rows.push({ ordinal, row, request: checked.request, original, digest: this.#digest });
    this.#open.bytes += bytes;
  }

  /** Whether the batch is full. A batch whose answer was lost goes out again exactly as it was. */
  #isComplete(): boolean {
    const { resent, rows } = this.#open;
    return this.#run.resume.endsBatch(this.#ordinal) || (!resent && rows.length >= this.#run.settings.limit);
  }

  async #flush(): Promise<void> {
    const { first, rows, resent } = this.#open;
    const last = rows.at(-1)?.ordinal;
    if (last === undefined) return;
    this.#open = openBatch(last + 1);
    await this.#delivery.dispatch({ first, last, rows, resent } satisfies Batch);
  }
}
