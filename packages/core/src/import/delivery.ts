/** Sends the batches of an import, several in flight at once, and writes each outcome to the journal. */
import { hex } from '../hash.ts';
import { classifyError, divide, namedRows, samplesOf, type Batch, type BatchFailure } from './batch.ts';
import type { ImportRun, ImportSettings } from './options.ts';
import type { Rejection } from './source.ts';

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

/** A call whose content the service refused. */
type RefusedCall = Extract<BatchFailure, { readonly kind: 'refused' }> & { readonly error: unknown };

/** A row that was refused alone. */
interface RefusedRow {
  readonly batch: Batch;
  readonly refusal: RefusedCall;
}

export class Delivery {
  /** The last error of a batch that the service has not taken. */
  lastFailure: unknown;
  /** Why the import stopped early; undefined while it goes on. */
  stopReason: StopReason | undefined;
  readonly #run: ImportRun;
  readonly #inFlight = new Set<Promise<void>>();
  #failuresInSuccession = 0;

  constructor(run: ImportRun) {
    this.#run = run;
  }

  /** Stops the import; the first reason counts. */
  stop(error: unknown, isThrown: boolean): void {
    this.stopReason ??= { error, isThrown };
  }

  /** Starts to send a batch, once fewer calls than allowed are in flight. */
  async dispatch(batch: Batch): Promise<void> {
    const concurrency = Math.max(1, this.#run.options.concurrency ?? 4);
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
    this.#run.progress.counts[countOf[rejection.kind]] += 1;
    await this.#run.options.onRejected?.(rejection);
  }

  reportProgress(): void {
    this.#run.options.onProgress?.(this.#run.progress.progress());
  }

  #isEnding(): boolean {
    return this.stopReason !== undefined || (this.#run.options.signal?.aborted ?? false);
  }

  /** @param isSampled - whether rows of it were tried already, to find whose fault a refusal is */
  async #deliver(batch: Batch, isSampled = false): Promise<void> {
    const refusal = await this.#send(batch);
    if (refusal) await this.#handleRefusal(batch, refusal, isSampled);
  }

  /** @returns why the service refused the content; undefined where it took it, or did not answer for the content */
  async #send(batch: Batch): Promise<RefusedCall | undefined> {
    const { first, last, rows } = batch;
    const end = rows.at(-1);
    if (!end) return undefined;
    await this.#run.journal.append({ type: 'sending', first, last, rows: rows.length, digest: hex(end.digest) });
    let sent: Awaited<ReturnType<ImportSettings['send']>>;
    try {
      sent = await this.#run.settings.send(batch);
    } catch (error) {
      const failure = classifyError(error);
      if (failure.kind === 'refused') return { ...failure, error };
      if (failure.kind === 'fatal' && !batch.resent) await this.#run.journal.append({ type: 'released', first, last });
      await this.#fail(batch, error, failure.kind === 'fatal');
      return undefined;
    }
    const id = sent.id === undefined ? {} : { id: sent.id };
    await this.#run.journal.append({ type: 'accepted', first, last, rows: rows.length, ...id });
    this.#countAccepted(batch, sent.id);
    await sent.notify();
    this.reportProgress();
    return undefined;
  }

  #countAccepted({ rows, resent }: Batch, importId: string | undefined): void {
    this.#failuresInSuccession = 0;
    this.#run.progress.counts.accepted += rows.length;
    this.#run.progress.counts.batches += 1;
    if (resent) this.#run.progress.resent += rows.length;
    if (importId !== undefined) this.#run.resume.importIds.push(importId);
  }

  /**
   * Finds the refused rows by dividing the batch. The request itself is at fault only where three rows from different
   * parts are refused alone and none is taken, whatever the words are: then the import ends, and nobody is rejected.
   */
  async #handleRefusal(batch: Batch, refusal: RefusedCall, isSampled: boolean): Promise<void> {
    const { first, last, rows } = batch;
    if (rows.length === 1) return this.#reject({ batch, refusal });
    await this.#run.journal.append({ type: 'released', first, last });
    const named = namedRows(batch, refusal.messages);
    const samples = isSampled || named.length > 0 ? [] : samplesOf(batch);
    const parts = divide(batch, samples.length > 0 ? samples : named);
    if (samples.length === 0) return this.#deliverParts(parts, isSampled);

    const sampled = new Set(samples.map((index) => rows[index]));
    const singles = parts.filter((part) => sampled.has(part.rows[0]));
    const refused: RefusedRow[] = [];
    for (const single of singles) {
      if (this.#isEnding()) return;
      const refusalOfRow = await this.#send(single);
      if (refusalOfRow) refused.push({ batch: single, refusal: refusalOfRow });
    }
    if (refused.length === singles.length) return this.#blameRequest(batch, refused, refusal.error);
    for (const row of refused) await this.#reject(row);
    return this.#deliverParts(
      parts.filter((part) => !singles.includes(part)),
      true,
    );
  }

  /** Every request is refused: what was tried waits for the next run, and the import ends. */
  async #blameRequest(batch: Batch, refused: readonly RefusedRow[], error: unknown): Promise<void> {
    for (const { batch: single } of refused) {
      const { first, last } = single;
      await this.#run.journal.append({ type: 'released', first, last });
    }
    await this.#fail(batch, error, true);
  }

  async #reject({ batch: { first, last, rows }, refusal: { reason } }: RefusedRow): Promise<void> {
    const [row] = rows;
    if (!row) return;
    await this.#run.journal.append({ type: 'refused', first, last, reason });
    await this.reject({ row: row.row, kind: 'refused', reason, original: row.original });
    this.reportProgress();
  }

  async #deliverParts(parts: readonly Batch[], isSampled: boolean): Promise<void> {
    for (const part of parts) {
      if (this.#isEnding()) return;
      await this.#deliver(part, isSampled);
    }
  }

  /** A batch failed in this run; the next run sends it again. */
  async #fail(batch: Batch, error: unknown, isFatal: boolean): Promise<void> {
    this.lastFailure = error;
    this.#run.progress.counts.failed += batch.rows.length;
    this.#failuresInSuccession += 1;
    if (isFatal || this.#failuresInSuccession >= (this.#run.options.giveUpAfter ?? 5)) this.stop(error, false);
    await this.#run.settings.failed(batch, error);
    this.reportProgress();
  }
}
