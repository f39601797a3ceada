/** Wakes the delivery loop: at a ring, or when its time has come. */

export class Bell {
  #rung = false;
  #wake: (() => void) | null = null;

  /** Ends the current wait, or the next one if none is under way. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Waits for a ring, for `ms` milliseconds at most; null waits for a ring alone. */
  async wait(ms: number | null): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = ms === null ? null : setTimeout(resolve, Math.max(0, ms));
        this.#wake = () => {
          if (timer) clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#rung = false;
  }
}
