/** Writes down what became of signups, as soon as the store can, and tells when it cannot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice } from '../ops/happening.ts';
import type { Log } from '../ops/log.ts';
import { parts } from '../store/parts.ts';
import { StoreUnavailableError, type Outcome, type SignupStore } from '../store/signup-store.ts';

/** What a {@link Ledger} is made of. */
export interface LedgerOptions {
  readonly store: SignupStore;
  readonly log: Log;
  readonly notice: Notice;
  /** Where delivery stops, nothing is tried again. */
  readonly stopping: AbortSignal;
}

/** Wait after the store failed, in milliseconds. */
export const storePauseMs = 1000;

/** Signups settled in one transaction, which signups that come in share. */
const settledAtOnce = 50;

export class Ledger {
  readonly #options: LedgerOptions;
  /** What the store failed at when it was last asked. */
  readonly #fails = new Set<'take' | 'settle'>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** The API has answered; if the store cannot write that down yet, sending again would be the wrong thing. */
  async settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    for (const part of parts(ids, settledAtOnce)) await this.#settle(part, outcome);
  }

  async #settle(ids: readonly string[], outcome: Outcome): Promise<void> {
    for (;;) {
      try {
        await this.#options.store.settle(ids, outcome);
        return this.storeWorks('settle');
      } catch (error) {
        this.storeFailed('settle', error);
        if (this.#options.stopping.aborted) return;
        await sleep(storePauseMs);
      }
    }
  }

  storeWorks(at: 'take' | 'settle'): void {
    if (!this.#fails.delete(at) || this.#fails.size > 0) return;
    this.#options.log.info('the store works again');
    this.#options.notice({ what: 'storeWorks' });
  }

  /** @throws what is no failure of the store */
  storeFailed(at: 'take' | 'settle', error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (this.#fails.size === 0) {
      this.#options.log.error({ reason: error.message }, 'delivery pauses until the store works');
      this.#options.notice({ what: 'storeFailed', reason: error.message });
    }
    this.#fails.add(at);
  }
}
