/** A counter in memory that stays small whatever is posted: of too many keys it forgets the oldest. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * Keys a counter remembers, at about 150 bytes each. Whoever wants one forgotten must fill it anew with keys of their
 * own.
 */
const keysKept = 20_000;

interface Count {
  points: number;
  /** When its window ends, in milliseconds since the Unix epoch. */
  until: number;
}

/**
 * What the library's counter in memory does, without a timer for each key: those cost a signup more than the counting.
 */
export class MemoryLimiter extends RateLimiterMemory {
  readonly #counts = new Map<string, Count>();
  /** Keys by when they were first counted; once it is full, a ring that begins at the oldest. */
  readonly #keys: string[] = [];
  #oldest = 0;

  override consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const counted = this.#add(String(key), points);
    return counted.consumedPoints > this.points ? Promise.reject(counted) : Promise.resolve(counted);
  }

  override penalty(key: string | number, points = 1): Promise<RateLimiterRes> {
    return Promise.resolve(this.#add(String(key), points));
  }

  override reward(key: string | number, points = 1): Promise<RateLimiterRes> {
    return Promise.resolve(this.#add(String(key), -points));
  }

  override get(key: string | number): Promise<RateLimiterRes | null> {
    const count = this.#counts.get(String(key));
    const now = Date.now();
    return Promise.resolve(count && count.until > now ? this.#result(count, now, false) : null);
  }

  override set(key: string | number, points: number, seconds: number): Promise<RateLimiterRes> {
    this.#begin(String(key), points, seconds, Date.now());
    return Promise.resolve(new RateLimiterRes(0, seconds > 0 ? seconds * 1000 : -1, points));
  }

  override block(key: string | number, seconds: number): Promise<RateLimiterRes> {
    return this.set(key, this.points + 1, seconds);
  }

  override delete(key: string | number): Promise<boolean> {
    const count = this.#counts.get(String(key));
    const counts = count !== undefined && count.until > Date.now();
    // It keeps its place among the keys, which may hold each but once.
    if (count) count.until = 0;
    return Promise.resolve(counts);
  }

  #add(key: string, points: number): RateLimiterRes {
    const now = Date.now();
    const count = this.#counts.get(key);
    if (count === undefined || count.until <= now) return this.#begin(key, points, this.duration, now);
    count.points += points;
    return this.#result(count, now, false);
  }

  /** Begins a window; one of no seconds never ends. */
  #begin(key: string, points: number, seconds: number, now: number): RateLimiterRes {
    const until = seconds > 0 ? now + seconds * 1000 : Number.POSITIVE_INFINITY;
    let count = this.#counts.get(key);
    if (count) {
      count.points = points;
      count.until = until;
    } else {
      count = { points, until };
      this.#remember(key);
      this.#counts.set(key, count);
    }
    return this.#result(count, now, true);
  }

  #remember(key: string): void {
    if (this.#keys.length < keysKept) {
      this.#keys.push(key);
      return;
    }
    this.#counts.delete(this.#keys[this.#oldest] ?? '');
    this.#keys[this.#oldest] = key;
    this.#oldest = (this.#oldest + 1) % keysKept;
  }

  #result({ points, until }: Count, now: number, first: boolean): RateLimiterRes {
    return new RateLimiterRes(
      Math.max(this.points - points, 0),
      Number.isFinite(until) ? until - now : -1,
      points,
      first,
    );
  }
}
