/**
 * What may be used once: tokens and proofs. A counter that lets one through per lifetime remembers them, in memory or
 * in PostgreSQL.
 */
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { MakeLimiter } from './limits.ts';

export class SingleUse {
  readonly #limiter: RateLimiterAbstract;

  /** @param lifetimeSeconds - for which things are good at all, and are remembered when used */
  constructor(name: string, lifetimeSeconds: number, make: MakeLimiter) {
    this.#limiter = make(name, { points: 1, seconds: lifetimeSeconds });
  }

  /** @returns whether this is the first use */
  async use(name: string): Promise<boolean> {
    try {
      await this.#limiter.consume(name);
      return true;
    } catch (used) {
      if (used instanceof RateLimiterRes) return false;
      throw used;
    }
  }

  async isUsed(name: string): Promise<boolean> {
    return ((await this.#limiter.get(name))?.consumedPoints ?? 0) > 0;
  }

  /** What it was used for came to nothing: it may be used again. */
  async giveBack(name: string): Promise<void> {
    await this.#limiter.delete(name);
  }
}
