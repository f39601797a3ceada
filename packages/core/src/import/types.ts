/** Types that both imports share: options, result, and the settings in which they differ. */
import type { Engine } from '../engine/engine.ts';
import type { Signal } from '../engine/host.ts';
import type { Batch } from './batch.ts';
import type { Journal, ImportMode } from './journal.ts';
import type { ImportProgress } from './progress.ts';
import type { Rows, ImportSource, Rejection } from './source.ts';

/** Options of both imports. */
export interface CommonOptions {
  /** Where the rows come from: subscriptions as the API takes them, or what a reader such as `readCsv` gives. */
  readonly source: Rows | ImportSource;
  /** Makes the calls; its host gives clock and random numbers. */
  readonly engine: Pick<Engine, 'call' | 'host'>;
  /** The journal, which makes the import resumable. Default: in memory, so that a crash means to start over. */
  readonly journal?: Journal | undefined;
  /** The publication. Default: that of the engine. */
  readonly publicationId?: string | undefined;
  /** Most calls in flight; at least 1. */
  readonly concurrency?: number | undefined;
  /** Failed calls in succession after which the import gives up for now. Default 5. */
  readonly giveUpAfter?: number | undefined;
  /** Ends the import: reads no more rows, and waits for the calls in flight. */
  readonly signal?: Signal | undefined;
  /** Called after each call and now and then while rows are skipped. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Called with every row that is left out, in no particular order across concurrent calls; awaited. A later run of
   * the same import calls it again for all of them, so a file of rejected rows is written anew by each run and whole
   * after each.
   */
  readonly onRejected?: ((rejection: Rejection) => void | Promise<void>) | undefined;
}

/** How an import, or this run of it, ended. Counts are those of all runs together. */
export interface ImportResult extends Pick<
  ImportProgress,
  'read' | 'accepted' | 'rejected' | 'duplicates' | 'failed' | 'batches'
> {
  /**
   * - `complete` – every row was taken, rejected or a duplicate
   * - `interrupted` – the signal ended it
   * - `incomplete` – calls failed; `error` says how
   *
   * After the last two, the same call with the same journal resumes the import.
   */
  readonly outcome: 'complete' | 'interrupted' | 'incomplete';
  /** The last error of a call whose rows the service has not taken. */
  readonly error?: unknown;
  /** Rows that earlier runs had settled. */
  readonly resumed: number;
  /** Rows sent again because the response to an earlier run was lost. */
  readonly resent: number;
  /** Ids of the imports the service runs, oldest first; empty where rows went one by one. */
  readonly importIds: readonly string[];
}

/** The settings in which the two imports differ. */
export interface ImportSettings {
  readonly mode: ImportMode;
  /** Most rows of a call, and most bytes of it as JSON. */
  readonly limit: number;
  readonly bytes: number;
  readonly concurrency: number;
  /** Sends a batch; resolves with the id for the journal, and a callback to run once the journal has it. */
  readonly send: (
    batch: Batch,
  ) => Promise<{ readonly id: string | undefined; readonly notify: () => void | Promise<void> }>;
  /** Called with a batch that failed in this run. */
  readonly failed: (batch: Batch, error: unknown) => void | Promise<void>;
}
