/** The command line of `newsletter-sandbox`: runs it, reports errors and answers the exit code. */
import { enableCompileCache } from 'node:module';
import { printError, runCommandLine } from '@newsletter-kit/core/command-line';
import { newsletterSandbox } from './program.ts';

/** Errors whose message tells the user what to do. Any other is a bug and shows its stack. */
const expectedErrors = new Set([
  'UsageError',
  'ServeError',
  'SeedError',
  'DatabaseError',
  'RecordingError',
  'SnapshotError',
]);

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 } as const;

/** @param argv - the arguments behind the program's name */
export async function main(argv: readonly string[]): Promise<number> {
  // Saves a quarter of the time from the second start on.
  enableCompileCache();
  let exitCode: number = exitCodes.done;
  const code = await runCommandLine(newsletterSandbox, {
    argv,
    context: { argv, end: (ended) => (exitCode = ended) },
    noCommandExitCode: exitCodes.wrongUsage,
    onError(error, command) {
      if (!(error instanceof Error) || !expectedErrors.has(error.name)) throw error;
      printError(newsletterSandbox.name, error, command);
      return error.name === 'UsageError' ? exitCodes.wrongUsage : exitCodes.failed;
    },
  });
  return code ?? exitCode;
}
