/**
 * A reason not to start: one sentence that says what is wrong and what to do. It is shown as it stands, without a
 * stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** What the store held is in another one now. */
export class StoreMovedError extends StartupError {
  /** @param move - the name of that move, by which the new store knows it */
  readonly move: string;

  constructor(message: string, move: string) {
    super(message);
    this.move = move;
  }
}

/** The store is held by a running relay, which can be asked instead. */
export class StoreInUseError extends StartupError {}
