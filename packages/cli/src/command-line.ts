/** The command line of `newsletter`: runs it, reports errors and sets the exit code. */
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { endWithReader, runCommandLine } from '@newsletter-kit/core/command-line';
import { exitCodes, type ExitCode } from './context.ts';
import { InterruptedError, watchSignals } from './interrupt.ts';
import { createReporter } from './output/reporter.ts';
import { newsletter } from './program.ts';
import { reportOf } from './user-facing-errors.ts';

// Saves a quarter of the time from the second start on.
enableCompileCache();
endWithReader('newsletter');
process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  // Read before parsing, so that a program can read usage errors too.
  const report = createReporter({ json: argv.includes('--json'), env: process.env });
  const interrupted = watchSignals();
  let exitCode: ExitCode = exitCodes.done;
  const context = { argv, env: process.env, report, interrupted, end: (code: ExitCode) => (exitCode = code) };
  const code = await runCommandLine(newsletter, {
    argv,
    context,
    noCommandExitCode: exitCodes.failed,
    onError(error) {
      if (
        interrupted.aborted &&
        error instanceof Error &&
        /^(InterruptedError|AbortedError|AbortError)$/.test(error.name)
      ) {
        const text = error instanceof InterruptedError ? error.message : 'Interrupted.';
        report.notice({ type: 'interrupted', text, data: { message: text } });
        return exitCodes.interrupted;
      }
      const problem = reportOf(error);
      if (problem === null) throw error;
      report.failure(problem);
      return exitCodes.failed;
    },
  });
  return code ?? exitCode;
}
