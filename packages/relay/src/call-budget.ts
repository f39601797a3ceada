/** Counts the calls of a delivery on demand: a platform may allow only so many of them for each invocation. */
export class CallBudget {
  #max = Number.POSITIVE_INFINITY;
  #used = 0;
  #onSpent = (): void => {};
  /** Ends with the last claim: the calls that one may need are free again for the next once it has claimed. */
  #claiming: Promise<unknown> = Promise.resolve();

  /** The most calls that were made since {@link begin}. */
  get used(): number {
    return this.#used;
  }

  /** Begins anew. @param onSpent - called where more calls are needed than are left */
  begin(max: number, onSpent: () => void): void {
    this.#max = max;
    this.#used = 0;
    this.#onSpent = onSpent;
  }

  /** Takes the calls of one task before it starts. @returns false if there are not so many left */
  async take(calls: number): Promise<boolean> {
    return (await this.claim(1, async () => [calls], calls)).length === 1;
  }

  /**
   * Claims tasks, and no more than there are calls for: a claimed task that cannot make its calls would fail.
   *
   * @param limit - maximum number of tasks
   * @param claim - claims up to so many tasks
   * @param calls - the most calls that one task makes
   * @param callsOf - the most calls of a claimed task. Default: as many
   */
  async claim<Task>(
    limit: number,
    claim: (limit: number) => Promise<readonly Task[]>,
    calls: number,
    callsOf: (task: Task) => number = () => calls,
  ): Promise<readonly Task[]> {
    const claimed = async (): Promise<readonly Task[]> => {
      const allowed = Math.min(limit, Math.floor((this.#max - this.#used) / calls));
      const tasks = allowed > 0 ? await claim(allowed) : [];
      this.#used += tasks.reduce((sum, task) => sum + callsOf(task), 0);
      if (tasks.length === allowed && allowed < limit && this.#max - this.#used < calls) this.#onSpent();
      return tasks;
    };
    if (this.#max === Number.POSITIVE_INFINITY) return claimed();
    const own = this.#claiming.then(claimed);
    this.#claiming = Promise.allSettled([own]);
    return own;
  }
}
