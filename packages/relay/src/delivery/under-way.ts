/** Work that goes on while nobody waits for it. */
export class UnderWay {
  readonly #pieces = new Set<Promise<void>>();
  readonly #ended: () => void;

  /** @param ended - told whenever a piece has ended */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  get size(): number {
    return this.#pieces.size;
  }

  add(work: Promise<void>): void {
    const piece = work.finally(() => {
      this.#pieces.delete(piece);
      this.#ended();
    });
    this.#pieces.add(piece);
  }

  /** Waits for what is under way by now. */
  async end(): Promise<void> {
    await Promise.all(this.#pieces);
  }
}
