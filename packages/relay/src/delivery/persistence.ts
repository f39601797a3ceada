/** Writes to the store what the API has answered, and repeats that until the store can. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreHealth } from '../ops/health.ts';

/** What a {@link Persistence} is made of. */
export interface PersistenceOptions {
  readonly health: StoreHealth;
  /** Where delivery stops, nothing is tried again. */
  readonly stopping: AbortSignal;
}

/** Wait after the store failed, in milliseconds. */
export const storePauseMs = 1000;

export class Persistence {
  readonly #options: PersistenceOptions;

  constructor(options: PersistenceOptions) {
    this.#options = options;
  }

  /**
   * Sending again, because the store could not be written, would be wrong: so the write is repeated. What is not
   * written when the relay stops counts as tried at the next start.
   *
   * @returns what the write gave; undefined where the relay stopped before
   */
  async write<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { health, stopping } = this.#options;
    for (;;) {
      try {
        const result = await work();
        health.succeeded('settle');
        return result;
      } catch (error) {
        health.failed('settle', error);
        if (stopping.aborted) return undefined;
        await sleep(storePauseMs);
      }
    }
  }
}
