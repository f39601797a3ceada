/** Group commit: calls that arrive while a statement runs share the next statement. */

interface QueuedItem<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Options of {@link GroupCommit}. */
interface GroupCommitOptions<Item> {
  /** Writes a whole group, or none of it and throws. */
  readonly commit: (items: readonly Item[]) => Promise<void>;
  /** Maximum number of items in a group. */
  readonly maxItems: number;
  /** Whether one item may have caused the failure: then each item is written by itself. */
  readonly isSingleItemFailure: (error: unknown) => boolean;
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
      this.#running ??= this.#commitWaiting();
    });
  }

  /** Resolves once nothing is in flight. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #commitWaiting(): Promise<void> {
    // After the poll phase, so that every request received by now joins the group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, this.#options.maxItems));
    this.#running = null;
  }

  async #commit(group: readonly QueuedItem<Item>[]): Promise<void> {
    try {
      await this.#options.commit(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (!this.#options.isSingleItemFailure(error)) {
        // Fail the queue too: the store does not answer, and these callers have waited for one group already.
        for (const { reject } of [...group, ...this.#waiting.splice(0)]) reject(error);
      } else if (group.length > 1) for (const call of group) await this.#commit([call]);
      else for (const { reject } of group) reject(error);
    }
  }
}
