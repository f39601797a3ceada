/**
 * The two imports: in bulk, with up to a thousand rows in a call, and one by one, with an answer for each row. Opens
 * the journal, reads rows into batches, delivers them, and sums up the result.
 */
import { bulkUpdateLimit } from '../contract/values.ts';
import { messagesIn } from '../engine/deviations.ts';
import type { ServiceMessage } from '../engine/errors.ts';
import type { CallOptions } from '../engine/options.ts';
import type { Subscription, SubscriptionRequest } from '../schema/types.ts';
import { type CommonOptions, type ImportResult, type ImportSettings, ProgressCounter } from './options.ts';
import type { Host } from '../engine/host.ts';
import type { Digest } from '../hash.ts';
import type { BatchRow } from './batch.ts';
import { BatchReader } from './batch-reader.ts';
import { Delivery } from './delivery.ts';
import { memoryJournal, readResumeState, ResumeState, type ImportMode, type Journal } from './journal.ts';
import { pull, type ImportRow, type ImportSource, type Rows } from './source.ts';

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
  /** Most calls in flight. Default 4; the engine's pacer may delay them further. */
  readonly concurrency?: number | undefined;
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
    mode: 'bulk',
    limit: batchSize,
    bytes: batchBytes,
    concurrency: 4,
    async send({ rows, resent }) {
      const subscriptions = rows.map((row) => requestOf(row, resent));
      const { import_id: importId } = await engine.call(
        'subscriptions.bulkCreate',
        { publicationId, subscriptions },
        callOptions,
      );
      return {
        id: textOr(importId, ''),
        notify: () =>
          options.onAccepted?.({ rows: rows.map(({ row }) => row), resent, importId: textOr(importId, '') }),
      };
    },
    failed: ({ rows, resent }, error) => options.onFailed?.({ rows: rows.map(({ row }) => row), resent, error }),
  });
}

/** A row that is sent again reactivates nobody: its first request may have arrived, and the person have left since. */
function requestOf({ request }: BatchRow, resent: boolean): SubscriptionRequest {
  return resent && request.reactivate_existing === true ? { ...request, reactivate_existing: false } : request;
}

/** An id of the service where it sent one. */
function textOr<Missing>(value: unknown, missing: Missing): string | Missing {
  return typeof value === 'string' ? value : missing;
}

/** The answer of the service to one row. */
export interface ImportedRow {
  /** The row's number. */
  readonly row: number;
  readonly subscription: Subscription;
  /** Values the service did not apply, for example custom fields the publication does not have. */
  readonly warnings: readonly ServiceMessage[];
  /** Whether an earlier run had sent the row and its response was lost. */
  readonly resent: boolean;
}

/** Options of {@link importOneByOne}. */
export interface OneByOneOptions extends CommonOptions {
  /** Most calls in flight. Default 8; the engine's pacer may delay them further. */
  readonly concurrency?: number | undefined;
  /** Passed to each call. Default: a stream of the import's own, so that it takes turns with other calls. */
  readonly call?: Omit<CallOptions, 'signal'> | undefined;
  /**
   * Called with each answer as it comes, after the journal has it; awaited. With one call at a time
   * (`concurrency: 1`) they come in the order of the rows. Answers of earlier runs are not reported again.
   */
  readonly onAnswer?: ((answer: ImportedRow) => unknown) | undefined;
  /** Called with each row whose call failed for good in this run; awaited. The next run sends it again. */
  readonly onFailed?: ((failure: { readonly row: number; readonly error: unknown }) => unknown) | undefined;
}

/**
 * Creates subscriptions row by row, with everything else as in `importSubscriptions`: checks, duplicates, journal,
 * resume, result. It makes a thousand times more calls: with a rate limit, a million rows take days instead of minutes.
 *
 * @throws JournalError, SourceChangedError, and errors of the source, the journal and the callbacks
 */
export function importOneByOne(options: OneByOneOptions): Promise<ImportResult> {
  const { engine, publicationId } = options;
  const call = { stream: options, ...options.call };
  return runImport(options, {
    mode: 'single',
    limit: 1,
    bytes: Number.POSITIVE_INFINITY,
    concurrency: 8,
    async send({ rows: [row], resent }) {
      if (!row) return { id: undefined, notify: () => undefined };
      const { data, warnings } = await engine.call(
        'subscriptions.create',
        { publicationId, ...requestOf(row, resent) },
        call,
      );
      return {
        id: textOr(data.id, undefined),
        notify: () => options.onAnswer?.({ row: row.row, subscription: data, warnings: messagesIn(warnings), resent }),
      };
    },
    async failed({ rows: [row] }, error) {
      if (row) await options.onFailed?.({ row: row.row, error });
    },
  });
}

/**
 * Runs an import, and closes its source.
 *
 * @throws RangeError, JournalError, SourceChangedError, and the errors of the source, the journal and the callbacks; in
 *   each case after all calls in flight have ended
 */
export async function runImport(options: CommonOptions, settings: ImportSettings): Promise<ImportResult> {
  const source = asSource(options.source);
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
  const resume = await openJournal(journal, settings.mode, source.fingerprint, host);
  const progress = new ProgressCounter(() => host.monotonic(), source.total);
  progress.counts.batches = resume.batches;
  const delivery = new Delivery({ options, settings, journal, progress, importIds: resume.importIds });

  const ended = await readAll(
    source,
    new BatchReader({ settings, resume, progress, delivery, keepOut: options.keepOut }),
    delivery,
    options,
  );
  if (delivery.stopReason?.isThrown) throw delivery.stopReason.error;
  delivery.reportProgress();
  return resultOf(ended, options, progress, delivery);
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
  { signal }: CommonOptions,
  progress: ProgressCounter,
  { stopReason, lastFailure, importIds }: Delivery,
): ImportResult {
  const { counts, resumed, resent } = progress;
  const isComplete = ended && progress.settled === counts.read;
  const error = stopReason?.error ?? lastFailure;
  return {
    outcome: isComplete ? 'complete' : signal?.aborted && !stopReason ? 'interrupted' : 'incomplete',
    ...(error !== undefined && { error }),
    ...counts,
    importIds,
    resumed,
    resent,
  };
}

function asSource(source: Rows | ImportSource): ImportSource {
  return 'rows' in source ? source : { rows: source };
}

/** Reads the state of earlier runs from the journal, or writes the first record of a new import. */
async function openJournal(
  journal: Journal,
  mode: ImportMode,
  fingerprint: string | undefined,
  { random }: Pick<Host, 'random'>,
): Promise<ResumeState> {
  const resume = await readResumeState(journal);
  if (resume) {
    resume.checkStart(mode, fingerprint);
    return resume;
  }
  const word = (): number => Math.floor(random() * 2 ** 32) | 0;
  const seed: Digest = [word(), word(), word(), word()];
  const started = {
    type: 'started',
    version: 1,
    mode,
    seed,
    ...(fingerprint !== undefined && { fingerprint }),
  } as const;
  await journal.append(started);
  return new ResumeState(started);
}
