/** Erases expired records and duplicates in review, by a confirmed clock: at start, then every hour. */
import { StoreUnavailableError } from '../errors.ts';
import { mailboxDays } from '../store/mailbox-mails.ts';
import type { Retention, SignupStore } from '../store/signup-store.ts';
import type { Log } from '../log.ts';

/**
 * Days for which each kind of record is kept, from the moments of {@link Retention}; null: for ever. Dead letters are
 * kept as long as signups in review.
 */
export type RetentionDays = Omit<Retention, 'mailboxes' | 'dead'>;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Options of {@link applyRetention}. */
export interface RetentionOptions {
  readonly store: Pick<SignupStore, 'expire' | 'counters'>;
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
    const erased = await store.expire(momentsBefore(retention, now()), now());
    await store.counters.expire(now());
    if (erased > 0) log.info({ erased }, 'erased what was older than its retention, and repeats in review');
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    log.warn({ reason: error.message }, 'nothing could be erased');
  }
}

/** Largest difference to the service's clock with which this machine's is trusted, in milliseconds. */
const maxSkewMs = 300_000;

/** Options of {@link startRetentionJob}. */
export interface RetentionJobOptions extends RetentionOptions {
  /** The service's clock, in milliseconds since the Unix epoch; null if it does not answer. */
  readonly serviceTime: () => Promise<number | null>;
  /** Milliseconds since some moment, by a clock that nobody sets. Default `performance.now`. */
  readonly elapsed?: (() => number) | undefined;
  /** Milliseconds between two runs. Default an hour. */
  readonly everyMs?: number | undefined;
}

/**
 * Erases nothing until the service's clock has agreed with this machine's: what a wrong clock erases is gone for good.
 * From then on time passes as measured, so that a clock that is set forward erases nothing early either.
 *
 * @returns a function that stops the job and waits for the run in progress
 */
export function startRetentionJob({
  everyMs = hourMs,
  serviceTime,
  now = Date.now,
  elapsed = () => performance.now(),
  ...options
}: RetentionJobOptions): () => Promise<void> {
  let confirmed: { readonly at: number; readonly elapsed: number } | null = null;
  const confirm = async (): Promise<typeof confirmed> => {
    const service = await serviceTime();
    const at = now();
    if (service !== null && Math.abs(at - service) <= maxSkewMs) return { at, elapsed: elapsed() };
    const reason =
      service === null
        ? "the API does not answer, whose clock would confirm this machine's"
        : `this machine's clock is ${Math.round(Math.abs(at - service) / 1000)} seconds ${at > service ? 'ahead of' : 'behind'} the API's: set it by NTP`;
    options.log.warn({ reason }, 'nothing is erased yet; it is tried again within the hour');
    return null;
  };
  const run = async (): Promise<void> => {
    const since = (confirmed ??= await confirm());
    if (!since) return;
    // Whole milliseconds, as the columns of PostgreSQL are.
    const measured = (): number => Math.floor(since.at + elapsed() - since.elapsed);
    await applyRetention({ ...options, now: () => Math.min(now(), measured()) });
  };
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

function momentsBefore({ delivered, review, unconfirmed, consent }: RetentionDays, now: number): Retention {
  const before = (days: number | null): number | null => (days === null ? null : now - days * dayMs);
  return {
    delivered: before(delivered),
    review: before(review),
    dead: before(review),
    unconfirmed: before(unconfirmed),
    consent: before(consent),
    mailboxes: before(mailboxDays),
  };
}
