/** Counts the rows of an import, and estimates its speed and remaining time. */

/** How far an import is. Counts are those of all its runs together, and never fall. */
export interface ImportProgress {
  /** Rows read from the source. */
  readonly read: number;
  /** Rows the service took. */
  readonly accepted: number;
  /** Rows that are invalid, or that the service refused. */
  readonly rejected: number;
  /** Rows left out because an earlier one has the same address. */
  readonly duplicates: number;
  /** Rows in calls that failed in this run; the next run sends them. */
  readonly failed: number;
  /** Calls the service took. */
  readonly batches: number;
  /** Number of rows in the source, where known. */
  readonly total: number | undefined;
  /** Rows settled per second in this run. */
  readonly rowsPerSecond: number;
  /** Undefined where the total is unknown or no row is settled yet. */
  readonly secondsLeft: number | undefined;
}

type Count = 'read' | 'accepted' | 'rejected' | 'duplicates' | 'failed' | 'batches';

/** Counts rows and measures time. */
export class ProgressCounter {
  readonly counts: Record<Count, number> = { read: 0, accepted: 0, rejected: 0, duplicates: 0, failed: 0, batches: 0 };
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

  progress(): ImportProgress {
    const { read, accepted, rejected, duplicates, failed } = this.counts;
    const total = this.#total();
    const settled = accepted + rejected + duplicates + failed;
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
