/** The exit codes of every command. */
export const exitCodes = {
  /** The command did all of its work. */
  done: 0,
  /** It failed: wrong usage, a refusal of the service, a full disk. */
  failed: 1,
  /** It did its work except for rejected rows, which are in a file, or for findings that a person has to look at. */
  needsAttention: 2,
  /** Ctrl-C or SIGTERM stopped it; the same command continues where it stopped. */
  interrupted: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
