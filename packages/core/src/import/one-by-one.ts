/** Import row by row: as many calls as rows, for who needs each answer and its warnings. */
import type { CallOptions } from '../engine/arguments.ts';
import type { Subscription } from '../schema/types.ts';
import { runImport, type CommonOptions, type ImportResult } from './run.ts';

/** What the service made of one row. */
export interface ImportedRow {
  /** The row's number. */
  readonly row: number;
  readonly subscription: Subscription;
  /** What the service did not apply, for example custom fields the publication does not have. */
  readonly warnings: readonly { readonly message: string; readonly code: string }[];
  /** Whether an earlier run had sent the row and never learned what became of it. */
  readonly resent: boolean;
}

/** Options of {@link importOneByOne}. */
export interface OneByOneOptions extends CommonOptions {
  /** Calls under way at once. Default 8; the engine's pacer may hold them back further. */
  readonly concurrency?: number | undefined;
  /** Passed to each call. Default: a stream of the import's own, so that it takes turns with other calls. */
  readonly call?: Omit<CallOptions, 'signal'> | undefined;
  /**
   * Called with each answer as it comes, after the journal has it; waited for. With one call at a time
   * (`concurrency: 1`) they come in the order of the rows. Answers of earlier runs are not told again.
   */
  readonly onAnswer?: ((answer: ImportedRow) => void | Promise<void>) | undefined;
  /** Called with each row whose call failed for good in this run; waited for. The next run sends it again. */
  readonly onFailed?:
    | ((failure: { readonly row: number; readonly error: unknown }) => void | Promise<void>)
    | undefined;
}

/**
 * Creates subscriptions row by row, with everything else as in `importSubscriptions`: checks, duplicates, journal,
 * resume, result. A thousand times more calls: where a quota holds, a million rows take days instead of minutes.
 *
 * @throws JournalError, SourceChangedError, and what source, journal or callbacks throw
 */
export function importOneByOne(options: OneByOneOptions): Promise<ImportResult> {
  const { engine, publicationId } = options;
  const call = { stream: options, ...options.call };
  return runImport(options, {
    mode: 'single',
    limit: 1,
    bytes: Number.POSITIVE_INFINITY,
    concurrency: 8,
    async send({ entries: [entry], resent }) {
      if (!entry) return { id: undefined, tell: () => undefined };
      const { data, warnings } = await engine.call('subscriptions.create', { publicationId, ...entry.request }, call);
      return {
        id: data.id,
        tell: () => options.onAnswer?.({ row: entry.row, subscription: data, warnings: warnings ?? [], resent }),
      };
    },
    async failed({ entries: [entry] }, error) {
      if (entry) await options.onFailed?.({ row: entry.row, error });
    },
  });
}
