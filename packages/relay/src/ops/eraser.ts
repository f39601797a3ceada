/** Erases what was delivered long enough ago: now, and every hour as long as the relay runs. */
import { StoreUnavailableError, type SignupStore } from '../store/signup-store.ts';
import type { Log } from './log.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Options of {@link startEraser}. */
export interface EraserOptions {
  readonly store: Pick<SignupStore, 'eraseDelivered'>;
  /** Days from delivery to erasure; null: never. */
  readonly afterDays: number | null;
  readonly log: Log;
  readonly now?: (() => number) | undefined;
  /** Milliseconds between two looks. Default an hour. */
  readonly everyMs?: number | undefined;
}

/** @returns a function that stops it, once the look under way is over */
export function startEraser({
  store,
  afterDays,
  log,
  now = Date.now,
  everyMs = hourMs,
}: EraserOptions): () => Promise<void> {
  if (afterDays === null) return () => Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      const erased = await store.eraseDelivered(now() - afterDays * dayMs);
      if (erased > 0) log.info({ erased }, 'erased what was delivered long enough ago');
    } catch (error) {
      // The next look finds what this one left.
      if (!(error instanceof StoreUnavailableError)) throw error;
      log.warn({ reason: error.message }, 'nothing could be erased');
    }
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return looking;
  };
}
