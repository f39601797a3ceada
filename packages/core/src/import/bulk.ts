/** Bulk import: up to a thousand rows in a call, each call one asynchronous import at the service. */
import { bulkUpdateLimit } from '../contract/values.ts';
import type { CallOptions } from '../engine/arguments.ts';
import { runImport, type CommonOptions, type ImportResult } from './run.ts';

/**
 * Rows of one call. The specification names no most for bulk creation; that of the bulk update is kept to (its Limits).
 */
const largestBatch = bulkUpdateLimit;

/** Smaller than the body a web server in its default settings takes (1 MB). */
const defaultBytes = 1_000_000;

/** What became of one call. */
export interface ImportedBatch {
  /** Numbers of the rows in it. */
  readonly rows: readonly number[];
  /** Whether an earlier run had sent the same rows and never learned what became of them. */
  readonly resent: boolean;
}

/** Options of {@link importSubscriptions}. */
export interface ImportOptions extends CommonOptions {
  /** Rows of a call, 1 to 1000. Default 1000. */
  readonly batchSize?: number | undefined;
  /** Bytes of a call; a row that is larger by itself goes alone. Default 1,000,000. */
  readonly batchBytes?: number | undefined;
  /** Calls under way at once. Default 4; the engine's pacer may hold them back further. */
  readonly concurrency?: number | undefined;
  /**
   * Passed to each call. Default: a timeout of 120,000 ms, and a stream of the import's own, so that it takes turns
   * with other calls. Its `signal` ends the calls that are under way; the next run sends their rows again.
   */
  readonly call?: CallOptions | undefined;
  /** Called with each call the service took, after the journal has it; waited for. */
  readonly onAccepted?:
    | ((batch: ImportedBatch & { readonly importId: string | undefined }) => void | Promise<void>)
    | undefined;
  /** Called with each call that failed for good in this run; waited for. The next run sends its rows again. */
  readonly onFailed?: ((batch: ImportedBatch & { readonly error: unknown }) => void | Promise<void>) | undefined;
}

/**
 * Imports subscriptions in bulk. Each row is normalised, checked, and left out where an earlier one has the same
 * address (the first wins: rows are not kept). The rest goes out in batches, and each is written to the journal before
 * it is sent and after it was taken: the same call with the same journal goes on where any earlier one ended, also by a
 * kill. Rows of a batch whose answer was lost go out once more as they were, which only updates them.
 *
 * A batch the service refuses is divided until the rows at fault are found; only those are rejected. A batch that fails
 * for another reason, after the engine's retries, waits for the next run. Key, scope or publication refused (401, 403,
 * 404), five failed batches in succession, or 25 rows refused before any was taken end the run.
 *
 * The service imports asynchronously and offers nothing to read the import by: what it makes of each row later stays
 * its own.
 *
 * @returns how it ended, once nothing is under way any more; failed calls are told there and not thrown
 * @throws RangeError for an impossible option, JournalError, SourceChangedError, and what source, journal or callbacks
 *   throw
 * @example
 * ```ts
 * const result = await importSubscriptions({ engine: client.engine, source: [{ email: 'ada@example.com' }] });
 * ```
 */
export function importSubscriptions(options: ImportOptions): Promise<ImportResult> {
  const { engine, publicationId, batchSize = largestBatch, batchBytes = defaultBytes, call } = options;
  const callOptions = { timeoutMs: 120_000, stream: options, ...call };
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > largestBatch) {
    return Promise.reject(new RangeError(`batchSize must be a whole number from 1 to ${largestBatch}.`));
  }
  return runImport(options, {
    mode: 'bulk',
    limit: batchSize,
    bytes: batchBytes,
    concurrency: 4,
    async send({ entries, resent }) {
      const subscriptions = entries.map(({ request }) => request);
      const { import_id: importId } = await engine.call(
        'subscriptions.bulkCreate',
        { publicationId, subscriptions },
        callOptions,
      );
      return {
        id: importId,
        tell: () => options.onAccepted?.({ rows: entries.map(({ row }) => row), resent, importId }),
      };
    },
    failed: ({ entries, resent }, error) => options.onFailed?.({ rows: entries.map(({ row }) => row), resent, error }),
  });
}
