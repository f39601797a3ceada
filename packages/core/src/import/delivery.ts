/** Sends the batches of an import, several in flight at once, and writes each outcome to the journal. */
import { hex } from '../hash.ts';
import { classifyError, divide, type Batch } from './batch.ts';
import type { Journal } from './journal.ts';
import type { ProgressCounter, CommonOptions, ImportSettings } from './options.ts';
import type { Rejection } from './source.ts';

/**
 * Most rows that the service may refuse in succession before it has taken a single one: then the import itself is taken
 * to be wrong and ends.
 */
const maxRefusedAtStart = 25;

/** Where a row that is left out is counted. */
const countOf = {
  invalid: 'rejected',
  refused: 'rejected',
  unclear: 'rejected',
  duplicate: 'duplicates',
  left: 'left',
  unconfirmed: 'unconfirmed',
} as const;

/** Why an import stopped before its end. */
interface StopReason {
  readonly error: unknown;
  /** Whether the import rejects with the error, or reports it in its result. */
  readonly isThrown: boolean;
}

/** What a delivery needs. */
export interface DeliveryOptions {
  readonly options: CommonOptions;
  readonly settings: ImportSettings;
  readonly journal: Journal;
  readonly progress: ProgressCounter;
  /** Ids that the service gave to the batches of earlier runs. */
  readonly importIds: readonly string[];
}

export class Delivery {
  /** Ids of the imports the service runs, oldest first. */
  readonly importIds: string[];
  /** The last error of a batch that the service has not taken. */
  lastFailure: unknown;
  #stopReason: StopReason | undefined;
  readonly #options: CommonOptions;
  readonly #settings: ImportSettings;
  readonly #journal: Journal;
  readonly #progress: ProgressCounter;
  readonly #inFlight = new Set<Promise<void>>();
  #failuresInSuccession = 0;
  #refused = 0;

  constructor({ options, settings, journal, progress, importIds }: DeliveryOptions) {
    this.#options = options;
    this.#settings = settings;
    this.#journal = journal;
    this.#progress = progress;
    this.importIds = [...importIds];
  }

  /** Why the import stopped early; undefined while it goes on. */
  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  /** Stops the import; the first reason counts. */
  stop(error: unknown, isThrown: boolean): void {
    this.#stopReason ??= { error, isThrown };
  }

  /** Starts to send a batch, once fewer calls than allowed are in flight. */
  async dispatch(batch: Batch): Promise<void> {
    const concurrency = Math.max(1, this.#options.concurrency ?? this.#settings.concurrency);
    while (this.#inFlight.size >= concurrency) await Promise.race(this.#inFlight);
    if (this.#isEnding()) return;
    const flight: Promise<void> = this.#deliver(batch)
      .catch((error: unknown) => this.stop(error, true))
      .finally(() => this.#inFlight.delete(flight));
    this.#inFlight.add(flight);
  }

  /** Waits until no call is in flight. */
  async drain(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }

  /** Counts and reports a row that is left out. */
  async reject(rejection: Rejection): Promise<void> {
    this.#progress.counts[countOf[rejection.kind]] += 1;
    await this.#options.onRejected?.(rejection);
  }

  reportProgress(): void {
    this.#options.onProgress?.(this.#progress.progress());
  }

  #isEnding(): boolean {
    return this.#stopReason !== undefined || (this.#options.signal?.aborted ?? false);
  }

  async #deliver(batch: Batch): Promise<void> {
    const { first, last, rows } = batch;
    const end = rows.at(-1);
    if (!end) return;
    await this.#journal.append({ type: 'sending', first, last, rows: rows.length, digest: hex(end.digest) });
    let sent: Awaited<ReturnType<ImportSettings['send']>>;
    try {
      sent = await this.#settings.send(batch);
    } catch (error) {
      return this.#handleError(batch, error);
    }
    const id = sent.id === undefined ? {} : { id: sent.id };
    await this.#journal.append({ type: 'accepted', first, last, rows: rows.length, ...id });
    this.#countAccepted(batch, sent.id);
    await sent.notify();
    this.reportProgress();
  }

  #countAccepted({ rows, resent }: Batch, importId: string | undefined): void {
    this.#failuresInSuccession = 0;
    this.#progress.counts.accepted += rows.length;
    this.#progress.counts.batches += 1;
    if (resent) this.#progress.resent += rows.length;
    if (this.#settings.mode === 'bulk' && importId !== undefined) this.importIds.push(importId);
  }

  async #handleError(batch: Batch, error: unknown): Promise<void> {
    const failure = classifyError(error);
    const { first, last, rows } = batch;
    if (failure.kind === 'refused' && rows.length === 1) return this.#refuseRow(batch, failure.reason, error);
    if (failure.kind === 'refused' || (failure.kind === 'fatal' && !batch.resent))
      await this.#journal.append({ type: 'released', first, last });
    if (failure.kind === 'refused') return this.#deliverParts(divide(batch, failure.messages));
    return this.#fail(batch, error, failure.kind === 'fatal');
  }

  /** The service refused the one row of a batch. */
  async #refuseRow({ first, last, rows: [row] }: Batch, reason: string, error: unknown): Promise<void> {
    if (!row) return;
    await this.#journal.append({ type: 'refused', first, last, reason });
    await this.reject({ row: row.row, kind: 'refused', reason, original: row.original });
    this.#refused += 1;
    if (this.#progress.counts.accepted === 0 && this.#refused >= maxRefusedAtStart) this.stop(error, false);
    this.reportProgress();
  }

  async #deliverParts(parts: readonly Batch[]): Promise<void> {
    for (const part of parts) {
      if (this.#isEnding()) return;
      await this.#deliver(part);
    }
  }

  /** A batch failed in this run; the next run sends it again. */
  async #fail(batch: Batch, error: unknown, isFatal: boolean): Promise<void> {
    this.lastFailure = error;
    this.#progress.counts.failed += batch.rows.length;
    this.#failuresInSuccession += 1;
    if (isFatal || this.#failuresInSuccession >= (this.#options.giveUpAfter ?? 5)) this.stop(error, false);
    await this.#settings.failed(batch, error);
    this.reportProgress();
  }
}
