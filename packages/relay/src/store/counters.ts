/** Counters of rate limits: their interface, and how they count in memory. */

/** A counter within a window, which begins with the first count. */
export interface Counter {
  readonly key: string;
  /** How often it counts within a window. */
  readonly most: number;
  readonly windowMs: number;
}

/** A counter at its limit. */
export interface ReachedCounter {
  readonly key: string;
  /** End of its window, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Counters that a restart does not empty, and that all relays on a store share. */
export interface Counters {
  /**
   * Adds one to each counter, or to none where one has reached its limit: then nothing is written. A window whose end
   * is farther away than twice its length was begun by a wrong clock, and is over.
   *
   * What is stored afterwards is never on disk without the counts.
   *
   * @returns the counters at their limit; none if all were counted
   * @throws StoreUnavailableError if they cannot be counted
   */
  count(counters: readonly Counter[], now: number): Promise<readonly ReachedCounter[]>;
  /** Takes one count of each back. @throws StoreUnavailableError */
  release(counters: readonly Counter[]): Promise<void>;
  /** Deletes the counters whose windows are over. @throws StoreUnavailableError */
  expire(now: number): Promise<void>;
}

/** A count within a window. */
export interface Count {
  readonly points: number;
  readonly until: number;
}

/** Maximum number of keys in memory, at about 150 bytes each; then the older half is dropped. */
export const maxKeys = 20_000;

export class MemoryCounters implements Counters {
  readonly #counts = new Map<string, Count>();
  readonly #kept: (key: string) => Count | undefined;
  readonly #changed: (key: string, count: Count) => void;

  /**
   * @param kept - where a count is looked up that is not in memory. Default: nowhere
   * @param changed - called with each change. Default: nothing
   */
  constructor(
    kept: (key: string) => Count | undefined = () => undefined,
    changed: (key: string, count: Count) => void = () => undefined,
  ) {
    this.#kept = kept;
    this.#changed = changed;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  // What `kept` throws becomes a rejection.
  async count(counters: readonly Counter[], now: number): Promise<readonly ReachedCounter[]> {
    const counts = counters.map(({ key, most, windowMs }) => {
      const end = now + windowMs;
      const count = this.#find(key);
      const isOpen = count !== undefined && count.until > now && count.until <= end + windowMs;
      return { key, most, points: isOpen ? count.points : 0, until: isOpen ? count.until : end };
    });
    const reached = counts.filter(({ points, most }) => points >= most);
    if (reached.length === 0) for (const { key, points, until } of counts) this.set(key, { points: points + 1, until });
    return reached;
  }

  async release(counters: readonly Counter[]): Promise<void> {
    for (const { key } of counters) {
      const count = this.#find(key);
      if (count && count.points > 0) this.set(key, { ...count, points: count.points - 1 });
    }
  }

  expire(now: number): Promise<void> {
    for (const [key, { until }] of this.#counts) if (until <= now) this.#counts.delete(key);
    return Promise.resolve();
  }

  /** Passes on every count in memory. */
  each(use: (key: string, count: Count) => void): void {
    for (const [key, count] of this.#counts) use(key, count);
  }

  clear(): void {
    this.#counts.clear();
  }

  #find(key: string): Count | undefined {
    return this.#counts.get(key) ?? this.#kept(key);
  }

  /** Replaces a count. */
  set(key: string, count: Count): void {
    if (this.#counts.size >= maxKeys && !this.#counts.has(key)) this.#dropOlderHalf();
    this.#counts.set(key, count);
    this.#changed(key, count);
  }

  // One at a time would be slow: finding the oldest key of a Map passes all that were deleted before it.
  #dropOlderHalf(): void {
    for (const key of this.#counts.keys()) {
      if (this.#counts.size <= maxKeys / 2) break;
      this.#counts.delete(key);
    }
  }
}
