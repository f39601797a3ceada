/** Writes down what became of signups, as soon as the store can, and tells when it cannot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreHealth } from '../ops/store-health.ts';
import { parts } from '../store/parts.ts';
import type { Outcome, SignupStore } from '../store/signup-store.ts';

/** What a {@link Ledger} is made of. */
export interface LedgerOptions {
  readonly store: SignupStore;
  readonly health: StoreHealth;
  /** Where delivery stops, nothing is tried again. */
  readonly stopping: AbortSignal;
}

/** Wait after the store failed, in milliseconds. */
export const storePauseMs = 1000;

/** Signups settled in one transaction, which signups that come in share. */
const settledAtOnce = 50;

export class Ledger {
  readonly #options: LedgerOptions;

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
        return this.#options.health.works('settle');
      } catch (error) {
        this.#options.health.failed('settle', error);
        if (this.#options.stopping.aborted) return;
        await sleep(storePauseMs);
      }
    }
  }
}
