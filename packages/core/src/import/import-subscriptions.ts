/**
 * The import in bulk, with up to a thousand rows in a call: opens the journal, reads rows into batches, delivers them,
 * and sums up the result.
 */
import { bulkUpdateLimit } from '../contract/values.ts';
import type { CallOptions } from '../engine/options.ts';
import type { SubscriptionRequest } from '../schema/types.ts';
import {
  type CommonOptions,
  type ImportResult,
  type ImportRun,
  type ImportSettings,
  ProgressCounter,
} from './options.ts';
import type { Host } from '../engine/host.ts';
import type { Digest } from '../hash.ts';
import type { BatchRow } from './batch.ts';
import { BatchReader } from './batch-reader.ts';
import { Delivery } from './delivery.ts';
import { memoryJournal, readResumeState, ResumeState, type Journal } from './journal.ts';
import { pull, type ImportRow, type ImportSource } from './source.ts';

/** Most rows of one call: the limit of the bulk update, because the specification names none for bulk creation. */
export const maxBatchSize = bulkUpdateLimit;

/** Stays below the usual limit of a web server for request bodies (1 MB). */
export const bulkBytes = 1_000_000;

/** One call of the import and its rows. */
export interface ImportedBatch {
  /** Numbers of the rows in it. */
  readonly rows: readonly number[];
  /** Whether an earlier run had sent the same rows and its response was lost. */
  readonly resent: boolean;
}

/** Options of {@link importSubscriptions}. */
export interface ImportOptions extends CommonOptions {
  /** Rows of a call, 1 to 1000. Default 1000. */
  readonly batchSize?: number | undefined;
  /** Most bytes of a call; a single row may be larger. Default 1,000,000. */
  readonly batchBytes?: number | undefined;
  /**
   * Passed to each call. Default: a timeout of 120,000 ms, and a stream of the import's own, so that it takes turns
   * with other calls. Its `signal` ends the calls in flight; the next run sends their rows again.
   */
  readonly call?: CallOptions | undefined;
  /** Called with each call the service accepted, after the journal has it; awaited. */
  readonly onAccepted?: ((batch: ImportedBatch & { readonly importId: string | undefined }) => unknown) | undefined;
  /** Called with each call that failed for good in this run; awaited. The next run sends its rows again. */
  readonly onFailed?: ((batch: ImportedBatch & { readonly error: unknown }) => unknown) | undefined;
}

/**
 * Imports subscriptions in bulk. Each row is normalised and checked, and left out where an earlier row has the same
 * address (the first wins). The others are sent in batches. Each batch is written to the journal before it is sent and
 * after it was accepted: the same call with the same journal resumes an earlier one, also after a kill. A batch whose
 * response was lost is sent again with the same rows, which only updates its subscriptions: it reactivates nobody,
 * because the person may have left since.
 *
 * A batch the service refuses is divided until the refused rows are found; only those are rejected. A batch that fails
 * for another reason, after the engine's retries, waits for the next run. The run ends where key, scope or publication
 * are refused (401, 403, 404), after five failed batches in succession, and where three rows from different parts of a
 * refused batch are refused alone: then every request is refused, such as after the end of a plan.
 *
 * The service imports asynchronously and has no endpoint to read the result by: what happens to a row after it was
 * accepted is unknown.
 *
 * @returns the result, once no call is in flight; failed calls are reported in it and not thrown
 * @throws RangeError for an invalid option, JournalError, SourceChangedError, and errors of the source, the journal and
 *   the callbacks
 * @example
 * ```ts
 * const result = await importSubscriptions({ engine: client.engine, source: [{ email: 'ada@example.com' }] });
 * ```
 */
export function importSubscriptions(options: ImportOptions): Promise<ImportResult> {
  const { engine, publicationId, batchSize = maxBatchSize, batchBytes = bulkBytes, call } = options;
  const callOptions = { timeoutMs: 120_000, stream: options, ...call };
  return runImport(options, {
    limit: batchSize,
    bytes: batchBytes,
    async send({ rows, resent }) {
      const subscriptions = rows.map((row) => requestOf(row, resent));
      const { import_id: importId } = await engine.call(
        'subscriptions.bulkCreate',
        { publicationId, subscriptions },
        callOptions,
      );
      const id = typeof importId === 'string' ? importId : '';
      return { id, notify: () => options.onAccepted?.({ rows: rows.map(({ row }) => row), resent, importId: id }) };
    },
    failed: ({ rows, resent }, error) => options.onFailed?.({ rows: rows.map(({ row }) => row), resent, error }),
  });
}

/** A row that is sent again reactivates nobody: its first request may have arrived, and the person have left since. */
function requestOf({ request }: BatchRow, resent: boolean): SubscriptionRequest {
  return resent && request.reactivate_existing === true ? { ...request, reactivate_existing: false } : request;
}

/**
 * Runs an import, and closes its source.
 *
 * @throws RangeError, JournalError, SourceChangedError, and the errors of the source, the journal and the callbacks; in
 *   each case after all calls in flight have ended
 */
export async function runImport(options: CommonOptions, settings: ImportSettings): Promise<ImportResult> {
  const source: ImportSource = 'rows' in options.source ? options.source : { rows: options.source };
  try {
    return await importFrom(source, options, settings);
  } finally {
    await source.close?.();
  }
}

async function importFrom(
  source: ImportSource,
  options: CommonOptions,
  settings: ImportSettings,
): Promise<ImportResult> {
  const { limit } = settings;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxBatchSize)
    throw new RangeError(`batchSize must be a whole number from 1 to ${maxBatchSize}.`);
  const { host } = options.engine;
  const journal = options.journal ?? memoryJournal();
  const resume = await openJournal(journal, source.fingerprint, host);
  const progress = new ProgressCounter(() => host.monotonic(), source.total);
  progress.counts.batches = resume.batches;
  const run = { options, settings, journal, resume, progress };
  const delivery = new Delivery(run);
  const ended = await readAll(source, new BatchReader(run, delivery), delivery, options);
  if (delivery.stopReason?.isThrown) throw delivery.stopReason.error;
  delivery.reportProgress();
  return resultOf(ended, run, delivery);
}

/** Reads the source to its end and waits for all calls in flight. @returns whether the source ended */
async function readAll(
  source: ImportSource,
  reader: BatchReader,
  delivery: Delivery,
  { signal }: CommonOptions,
): Promise<boolean> {
  const rows = pull<ImportRow>(source.rows, signal);
  let ended = false;
  try {
    ended = await reader.read(rows);
    if (ended && !delivery.stopReason) await reader.finish();
  } catch (error) {
    delivery.stop(error, true);
  }
  await delivery.drain();
  if (!ended) await rows.close().catch((error: unknown) => delivery.stop(error, true));
  return ended;
}

function resultOf(
  ended: boolean,
  { options, progress, resume }: ImportRun,
  { stopReason, lastFailure }: Delivery,
): ImportResult {
  const { counts, resumed, resent } = progress;
  const isComplete = ended && progress.settled === counts.read;
  const error = stopReason?.error ?? lastFailure;
  return {
    outcome: isComplete ? 'complete' : options.signal?.aborted && !stopReason ? 'interrupted' : 'incomplete',
    ...(error !== undefined && { error }),
    ...counts,
    importIds: resume.importIds,
    resumed,
    resent,
  };
}

/** Reads the state of earlier runs from the journal, or writes the first record of a new import. */
async function openJournal(
  journal: Journal,
  fingerprint: string | undefined,
  { random }: Pick<Host, 'random'>,
): Promise<ResumeState> {
  const resume = await readResumeState(journal);
  if (resume) {
    resume.checkStart(fingerprint);
    return resume;
  }
  const word = (): number => Math.floor(random() * 2 ** 32) | 0;
  const seed: Digest = [word(), word(), word(), word()];
  const started = {
    type: 'started',
    version: 1,
    seed,
    ...(fingerprint !== undefined && { fingerprint }),
  } as const;
  await journal.append(started);
  return new ResumeState(started);
}
