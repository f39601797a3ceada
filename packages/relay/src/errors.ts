/**
 * A reason not to start: one sentence with the problem and its remedy, shown without a stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** A running relay has opened the store; its operator API can be used instead. */
export class StoreInUseError extends StartupError {}

/** The store cannot write or read at present. Signups acknowledged before are safe. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
