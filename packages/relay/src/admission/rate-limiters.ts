/** Rate limiters: counters with a window, in the memory of this process or in PostgreSQL, and single use on top. */
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { SharedCounters } from '../store/signup-store.ts';

/** At most `points` in each window of `seconds`. */
export interface LimitRule {
  readonly points: number;
  readonly seconds: number;
}

/** Makes the rate limiter of one rule. The name is unique within a relay. */
export type MakeLimiter = (name: string, rule: LimitRule) => RateLimiterAbstract;

/** Counts in the memory of this process: for a single relay. */
export const inMemory: MakeLimiter = (name, rule) =>
  new MemoryLimiter({ keyPrefix: name, points: rule.points, duration: rule.seconds });

/** Counts in the database that relays share. While it is unavailable, each relay counts in its own memory. */
export function inPostgres({ schema, table, query }: SharedCounters): MakeLimiter {
  const storeClient = {
    async query({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }) {
      const rows = await query(text, values);
      return { rows, rowCount: rows.length };
    },
  };
  return (name, rule) =>
    new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: schema,
      tableName: table,
      tableCreated: true,
      keyPrefix: name,
      points: rule.points,
      duration: rule.seconds,
      insuranceLimiter: inMemory(name, rule),
    });
}

/** Replay protection for tokens and proofs: a rate limiter of one use per lifetime. */
export class SingleUse {
  readonly #limiter: RateLimiterAbstract;

  /** @param lifetimeSeconds - how long a use is remembered */
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

  /** Allows the name to be used again. */
  async release(name: string): Promise<void> {
    await this.#limiter.delete(name);
  }
}

/** Maximum number of keys in memory, at about 150 bytes each; the oldest is dropped first. */
const maxKeys = 20_000;

interface Count {
  points: number;
  /** End of the window, in milliseconds since the Unix epoch. */
  until: number;
}

/** The library's memory limiter without its timer for each key, which costs more than the counting itself. */
export class MemoryLimiter extends RateLimiterMemory {
  readonly #counts = new Map<string, Count>();
  /** Keys in the order of their first count; a ring buffer that starts at the oldest key once it is full. */
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
    // The key stays in the ring buffer, which contains each key once.
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

  /** Begins a window; a window of 0 seconds never ends. */
  #begin(key: string, points: number, seconds: number, now: number): RateLimiterRes {
    const until = seconds > 0 ? now + seconds * 1000 : Number.POSITIVE_INFINITY;
    let count = this.#counts.get(key);
    if (count) {
      count.points = points;
      count.until = until;
    } else {
      count = { points, until };
      this.#addKey(key);
      this.#counts.set(key, count);
    }
    return this.#result(count, now, true);
  }

  #addKey(key: string): void {
    if (this.#keys.length < maxKeys) {
      this.#keys.push(key);
      return;
    }
    this.#counts.delete(this.#keys[this.#oldest] ?? '');
    this.#keys[this.#oldest] = key;
    this.#oldest = (this.#oldest + 1) % maxKeys;
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
