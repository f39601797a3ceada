/** A counter in memory that stays small whatever is posted: of too many keys it forgets the oldest. */
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Keys a counter remembers, at about 600 bytes each. Whoever wants one forgotten must fill it anew with keys of their own. */
const keysKept = 20_000;

export class MemoryLimiter extends RateLimiterMemory {
  /** Keys by when they were first counted; those that expired since are let go of when their turn comes. */
  readonly #keys = new Set<string>();

  override async consume(...of: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    const key = String(of[0]);
    if (!this.#keys.has(key)) {
      this.#keys.add(key);
      const [oldest] = this.#keys;
      if (this.#keys.size > keysKept && oldest !== undefined) {
        this.#keys.delete(oldest);
        await this.delete(oldest);
      }
    }
    return super.consume(...of);
  }
}
