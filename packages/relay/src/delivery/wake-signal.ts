/** Wakes a delivery loop when something may be due. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | null = null;

  /** Ends the current wait, or the next one if none is under way. */
  notify(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Waits for {@link notify}, for `ms` milliseconds at most; null waits for that alone. */
  async wait(ms: number | null): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = ms === null ? null : setTimeout(resolve, Math.max(0, ms));
        this.#wake = () => {
          if (timer) clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#pending = false;
  }
}
