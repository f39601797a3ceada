/** Many callers, one statement: what arrives while a statement is under way shares the next one. */

interface QueuedItem<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Options of {@link GroupCommit}. */
interface GroupCommitOptions<Item> {
  /** Does all of a group, or nothing of it and throws. */
  readonly work: (items: readonly Item[]) => Promise<void>;
  /** Most items of one group. */
  readonly most: number;
  /** Whether a failure may be the fault of one item, so that the others must be tried without it. */
  readonly isOfOne: (error: unknown) => boolean;
}

export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>;
  #waiting: QueuedItem<Item>[] = [];
  #running: Promise<void> | null = null;

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
  }

  run(item: Item): Promise<void> {
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

  async #commit(group: readonly QueuedItem<Item>[]): Promise<void> {
    try {
      await this.#options.work(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (!this.#options.isOfOne(error)) {
        // Whoever has waited for this group has waited long enough where the store does not answer.
        for (const { reject } of [...group, ...this.#waiting.splice(0)]) reject(error);
      } else if (group.length > 1) for (const call of group) await this.#commit([call]);
      else for (const { reject } of group) reject(error);
    }
  }
}
