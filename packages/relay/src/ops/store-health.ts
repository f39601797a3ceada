/** Whether the store works, for everything that uses it: reports when it begins to fail and when it is over. */
import { StoreUnavailableError, type SignupStore } from '../store/signup-store.ts';
import type { Notice } from './happening.ts';
import type { Log } from './log.ts';

/** What the store is used for: keeping signups, claiming due ones, writing outcomes, and the check of {@link probe}. */
type Use = 'accept' | 'claim' | 'settle' | 'probe';

/** Options of {@link StoreHealth}. */
export interface StoreHealthOptions {
  readonly store: Pick<SignupStore, 'probe'>;
  readonly log: Log;
  readonly notice: Notice;
  readonly now: () => number;
}

/** A good result of a probe holds for this long, in milliseconds, so that nobody can wear out the disk by asking. */
const freshMs = 1000;

export class StoreHealth {
  readonly #options: StoreHealthOptions;
  readonly #failing = new Set<Use>();
  #probing: Promise<void> | null = null;
  #probedAt = 0;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** @throws the error, where it is no failure of the store */
  failed(use: Use, error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (this.#failing.size === 0) {
      const { log, notice } = this.#options;
      log.error(
        { reason: error.message },
        'the store fails: signups are answered with 503, and delivery pauses until it works',
      );
      notice({ what: 'storeFailed', reason: error.message });
    }
    this.#failing.add(use);
  }

  works(use: Use): void {
    if (this.#failing.size === 0) return;
    this.#failing.delete(use);
    // A probe writes and syncs what a signup would: with nobody signing up it says that signups can be kept again.
    if (use === 'probe') this.#failing.delete('accept');
    if (this.#failing.size > 0) return;
    this.#options.log.info('the store works again');
    this.#options.notice({ what: 'storeWorks' });
  }

  /** Writes and syncs, as a signup would, once a second at most. @throws StoreUnavailableError */
  async probe(): Promise<void> {
    const { store, now } = this.#options;
    if (this.#probing === null || now() - this.#probedAt >= freshMs) {
      this.#probedAt = now();
      this.#probing = store.probe(now());
    }
    try {
      await this.#probing;
      this.works('probe');
    } catch (error) {
      this.#probing = null;
      this.failed('probe', error);
      throw error;
    }
  }
}
