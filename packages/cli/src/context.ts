/** What a command runs with. */
import type { ExitCode } from './exit-codes.ts';
import type { Reporter } from './output/reporter.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process as a command sees it; `command-line.ts` makes it. */
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
