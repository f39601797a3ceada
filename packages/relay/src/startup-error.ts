/**
 * A reason not to start: one sentence that says what is wrong and what to do. It is shown as it stands, without a
 * stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The store is held by a running relay, which can be asked instead. */
export class StoreInUseError extends StartupError {}
