/** How many tasks are claimed at a time: fewer after a claim that the store could not answer in time. */
import { StoreUnavailableError } from '../errors.ts';
import type { Log } from '../log.ts';

export class ClaimSize {
  readonly #most: number;
  readonly #log: Log;
  #size: number;

  /** @param most - at a time, while the store answers */
  constructor(most: number, log: Log) {
    this.#most = this.#size = most;
    this.#log = log;
  }

  /** Up to so many are claimed next. */
  get size(): number {
    return this.#size;
  }

  /** Claims; half as many the next time if the store fails, since the same claim would fail again. */
  async claim<Task>(limit: number, claim: (limit: number) => Promise<readonly Task[]>): Promise<readonly Task[]> {
    const size = Math.min(limit, this.#size);
    try {
      return await claim(size);
    } catch (error) {
      if (error instanceof StoreUnavailableError && size > 1) {
        this.#size = Math.floor(size / 2);
        const counts = { claimed: size, next: this.#size };
        this.#log.warn(counts, 'the store did not hand out a backlog; fewer are taken');
      }
      throw error;
    }
  }

  /** Claims twice as many again. */
  grow(): void {
    this.#size = Math.min(this.#most, this.#size * 2);
  }

  /** Such a claim, which grows again with each success. */
  limited<Task>(claim: (limit: number) => Promise<readonly Task[]>): (limit: number) => Promise<readonly Task[]> {
    return async (limit) => {
      const claimed = await this.claim(limit, claim);
      this.grow();
      return claimed;
    };
  }
}
