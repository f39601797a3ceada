/** Erases expired records and duplicates in review: at start, then every hour while the relay runs. */
import { StoreUnavailableError } from '../errors.ts';
import type { Retention, SignupStore } from '../store/signup-store.ts';
import type { Log } from '../log.ts';

/** Days for which each kind of record is kept, from the moments of {@link Retention}; null: for ever. */
export type RetentionDays = Retention;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Options of {@link applyRetention}. */
export interface RetentionOptions {
  readonly store: Pick<SignupStore, 'expire'>;
  /** As the configuration has it. */
  readonly retention: RetentionDays;
  readonly log: Log;
  readonly now?: (() => number) | undefined;
}

/**
 * Erases once what has expired: a relay that only delivers on demand calls this beside it. A failure of the store is
 * logged; the next run erases what this one left.
 */
export async function applyRetention({ store, retention, log, now = Date.now }: RetentionOptions): Promise<void> {
  try {
    const erased = await store.expire(momentsBefore(retention, now()));
    if (erased > 0) log.info({ erased }, 'erased what was older than its retention, and repeats in review');
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    log.warn({ reason: error.message }, 'nothing could be erased');
  }
}

/** Options of {@link startRetentionJob}. */
export interface RetentionJobOptions extends RetentionOptions {
  /** Milliseconds between two runs. Default an hour. */
  readonly everyMs?: number | undefined;
}

/** @returns a function that stops the job and waits for the run in progress */
export function startRetentionJob({ everyMs = hourMs, ...options }: RetentionJobOptions): () => Promise<void> {
  const run = (): Promise<void> => applyRetention(options);
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

function momentsBefore({ delivered, review, dead, unconfirmed, consent }: RetentionDays, now: number): Retention {
  const before = (days: number | null): number | null => (days === null ? null : now - days * dayMs);
  return {
    delivered: before(delivered),
    review: before(review),
    dead: before(dead),
    unconfirmed: before(unconfirmed),
    consent: before(consent),
  };
}
