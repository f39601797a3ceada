/** Options, progress and result of an import, and the settings in which sending and planning differ. */
import type { Engine } from '../engine/engine.ts';
import type { Signal } from '../engine/host.ts';
import type { Batch } from './batch.ts';
import type { Journal, ResumeState } from './journal.ts';
import type { Rows, ImportSource, Rejection } from './source.ts';

/** Options of an import and of its plan. */
export interface CommonOptions {
  /** Where the rows come from: subscriptions as the API takes them, or what a reader such as `readCsv` gives. */
  readonly source: Rows | ImportSource;
  /** Makes the calls; its host gives clock and random numbers. */
  readonly engine: Pick<Engine, 'call' | 'host'>;
  /** The journal, which makes the import resumable. Default: in memory, so that a crash means to start over. */
  readonly journal?: Journal | undefined;
  /** The publication. Default: that of the engine. */
  readonly publicationId?: string | undefined;
  /** Most calls in flight; at least 1. Default 4; the engine's pacer may delay them further. */
  readonly concurrency?: number | undefined;
  /** Failed calls in succession after which the import gives up for now. Default 5. */
  readonly giveUpAfter?: number | undefined;
  /** Why the person of an address stays out, as `readKeepOut` gives it; undefined where they may come in. */
  readonly keepOut?: ((address: string) => string | undefined) | undefined;
  /** Ends the import: reads no more rows, and waits for the calls in flight. */
  readonly signal?: Signal | undefined;
  /** Called after each call and now and then while rows are skipped. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Called with every row that is left out, in no particular order across concurrent calls; awaited. A later run of
   * the same import calls it again for all of them, so a file of rejected rows is written anew by each run and whole
   * after each.
   */
  readonly onRejected?: ((rejection: Rejection) => unknown) | undefined;
}

/** How an import, or this run of it, ended. Counts are those of all runs together. */
export interface ImportResult extends ImportCounts {
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
  /** Ids of the imports the service runs, oldest first. */
  readonly importIds: readonly string[];
}

/** The settings in which an import and its plan differ. */
export interface ImportSettings {
  /** Most rows of a call, and most bytes of it as JSON. */
  readonly limit: number;
  readonly bytes: number;
  /** Sends a batch; resolves with the id for the journal, and a callback to run once the journal has it. */
  readonly send: (batch: Batch) => Promise<{ readonly id: string | undefined; readonly notify: () => unknown }>;
  /** Called with a batch that failed in this run. */
  readonly failed: (batch: Batch, error: unknown) => unknown;
}

/** What the parts of an import share while it runs. */
export interface ImportRun {
  readonly options: CommonOptions;
  readonly settings: ImportSettings;
  readonly journal: Journal;
  readonly resume: ResumeState;
  readonly progress: ProgressCounter;
}

/** Rows and calls of all runs of an import together; they never fall. */
export interface ImportCounts {
  /** Rows read from the source. */
  readonly read: number;
  /** Rows the service took. */
  readonly accepted: number;
  /** Rows that are invalid, that do not say whether the person wants mails, or that the service refused. */
  readonly rejected: number;
  /** Rows left out because an earlier one has the same address. */
  readonly duplicates: number;
  /** Rows left out because the person left, bounced, complained or never asked for mails. */
  readonly left: number;
  /** Rows left out because the person never confirmed. */
  readonly unconfirmed: number;
  /** Rows in calls that failed in this run; the next run sends them. */
  readonly failed: number;
  /** Calls the service took. */
  readonly batches: number;
}

/** How far an import is. */
export interface ImportProgress extends ImportCounts {
  /** Number of rows in the source, where known. */
  readonly total: number | undefined;
  /** Rows settled per second in this run. */
  readonly rowsPerSecond: number;
  /** Undefined where the total is unknown or no row is settled yet. */
  readonly secondsLeft: number | undefined;
}

/** Counts rows and measures time. */
export class ProgressCounter {
  readonly counts: Record<keyof ImportCounts, number> = {
    read: 0,
    accepted: 0,
    rejected: 0,
    duplicates: 0,
    left: 0,
    unconfirmed: 0,
    failed: 0,
    batches: 0,
  };
  /** Rows that earlier runs had settled. */
  resumed = 0;
  /** Rows sent again because the response was lost. */
  resent = 0;
  readonly #now: () => number;
  readonly #total: () => number | undefined;
  #startedAt: number | undefined;

  constructor(now: () => number, total: number | (() => number | undefined) | undefined) {
    this.#now = now;
    this.#total = typeof total === 'function' ? total : () => total;
  }

  /** The first row that is not skipped starts the clock. */
  start(): void {
    this.#startedAt ??= this.#now();
  }

  /** Rows that need nothing more. */
  get settled(): number {
    const { accepted, rejected, duplicates, left, unconfirmed } = this.counts;
    return accepted + rejected + duplicates + left + unconfirmed;
  }

  progress(): ImportProgress {
    const { read } = this.counts;
    const total = this.#total();
    const settled = this.settled + this.counts.failed;
    const seconds = this.#startedAt === undefined ? 0 : (this.#now() - this.#startedAt) / 1000;
    const rowsPerSecond = seconds > 0 ? Math.max(0, settled - this.resumed) / seconds : 0;
    return {
      ...this.counts,
      total: total === undefined ? undefined : Math.max(total, read),
      rowsPerSecond,
      secondsLeft:
        total === undefined || rowsPerSecond === 0 ? undefined : Math.max(0, total - settled) / rowsPerSecond,
    };
  }
}
