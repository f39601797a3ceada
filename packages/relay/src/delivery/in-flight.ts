/** Tasks that run beside a loop; the loop is told when one ends. */
export class InFlight {
  readonly #tasks = new Set<Promise<void>>();
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#tasks.size;
  }

  add(work: Promise<void>): void {
    const task = work.finally(() => {
      this.#tasks.delete(task);
      this.#onEnd();
    });
    this.#tasks.add(task);
  }

  /** Waits for the tasks running now. */
  async end(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}
