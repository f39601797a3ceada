/** Many callers, one transaction: what arrives while a transaction is under way shares the next one. */

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Options of {@link Gathering}. */
interface GatheringOptions<Item, Result> {
  /** Does all of a group, or nothing of it and throws. Gives a result for each item, in order. */
  readonly work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Most items of one group. */
  readonly most: number;
  /** Whether a failure may be the fault of one item, so that the others must be tried without it. */
  readonly isOfOne: (error: unknown) => boolean;
}

export class Gathering<Item, Result> {
  readonly #options: GatheringOptions<Item, Result>;
  #waiting: Call<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  constructor(options: GatheringOptions<Item, Result>) {
    this.#options = options;
  }

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#work();
    });
  }

  /** Resolves once nothing is under way. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #work(): Promise<void> {
    // After the poll phase, so that every request the kernel has handed over by now joins.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, this.#options.most));
    this.#running = null;
  }

  async #commit(group: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.work(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      if (group.length > 1 && this.#options.isOfOne(error)) {
        for (const call of group) await this.#commit([call]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }
}
