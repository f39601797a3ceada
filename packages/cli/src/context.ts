/** The context of a command: its arguments, environment and output, and the exit codes it may set. */
import type { Reporter } from './output/reporter.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The context of a command; `command-line.ts` creates it. */
export interface Context {
  /** The arguments behind the command's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly report: Reporter;
  /** Aborts with the first Ctrl-C or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Sets the exit code; 0 where a command sets none. */
  readonly end: (code: ExitCode) => void;
}

/** The exit codes of every command. */
export const exitCodes = {
  /** The command did all of its work. */
  done: 0,
  /** It failed: wrong usage, a refusal of the service, a full disk. */
  failed: 1,
  /** It did its work except for rejected rows, which are in a file, or for findings that need a decision. */
  needsAttention: 2,
  /** Ctrl-C or SIGTERM stopped it; the same command continues where it stopped. */
  interrupted: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
