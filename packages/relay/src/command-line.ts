/** The command line of `newsletter-relay`: runs it, reports errors and sets the exit code. */
import process from 'node:process';
import { endWithReader, printError, runCommandLine } from '@newsletter-kit/core/command-line';
import { newsletterRelay } from './program.ts';

/** Errors whose message tells the operator what to do. Any other is a bug and shows its stack. */
const expectedErrors = new Set(['UsageError', 'StartupError', 'OperatorError']);

const exitCodes = { failed: 1, wrongUsage: 2 } as const;

const argv = process.argv.slice(2);
// `serve` outlives the reader of its log.
if (argv[0] !== 'serve') endWithReader(newsletterRelay.name);

const exitCode = await runCommandLine(newsletterRelay, {
  argv,
  context: null,
  noCommandExitCode: exitCodes.wrongUsage,
  onError(error, command) {
    if (!(error instanceof Error) || !expectedErrors.has(error.name)) throw error;
    printError(newsletterRelay.name, error, command);
    return error.name === 'UsageError' ? exitCodes.wrongUsage : exitCodes.failed;
  },
});
if (exitCode !== undefined) process.exitCode = exitCode;
