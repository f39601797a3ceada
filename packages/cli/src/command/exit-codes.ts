/** How a command says in its exit code what came of it. */
export const exitCodes = {
  /** All of it was done. */
  done: 0,
  /** It was not done: a mistake in the call, a refusal of the service, a full disk. */
  failed: 1,
  /** It was done but for some rows, which stand in a file, or for findings that a person has to look at. */
  needsAttention: 2,
  /** A signal stopped it; the same command goes on where it stopped. */
  interrupted: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
