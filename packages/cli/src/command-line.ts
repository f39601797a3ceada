/** The command line of `newsletter`: runs it, reports errors and sets the exit code. */
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { CommanderError } from 'commander';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { InterruptedError, watchSignals } from './interrupt.ts';
import { createReporter } from './output/reporter.ts';
import { createProgram } from './program.ts';
import { reportOf } from './user-facing-errors.ts';

enableCompileCache();
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: Error) => {
    // The reader closed the pipe, as `head` does.
    if ('code' in error && error.code === 'EPIPE') process.exit(exitCodes.done);
    if (stream === process.stdout) process.stderr.write(`newsletter: stdout cannot be written: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
}
process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<ExitCode> {
  // Read before parsing, so that a program can read usage errors too.
  const report = createReporter({ json: argv.includes('--json'), env: process.env });
  const interrupted = watchSignals();
  let exitCode: ExitCode = exitCodes.done;
  try {
    await createProgram({
      argv,
      env: process.env,
      report,
      interrupted,
      end: (code) => (exitCode = code),
    }).parseAsync(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help and version end the parsing by an error too.
    if (error instanceof CommanderError && /^commander\.(help|helpDisplayed|version)$/.test(error.code))
      return error.exitCode === 0 ? exitCodes.done : exitCodes.failed;
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
  }
}
