/** Runs a program: parses the arguments, runs the command and turns errors into an exit code. */
import process from 'node:process';
import type { CommanderError } from '@commander-js/extra-typings';
import { createProgram, type CommandLine } from './program.ts';
import { UsageError } from './usage-error.ts';

export interface RunOptions<Context> {
  /** The arguments behind the program's name. */
  readonly argv: readonly string[];
  readonly context: Context;
  /** The exit code of a call without a command, where the help is printed instead. */
  readonly noCommandExitCode: number;
  /**
   * Reports an error; those of parsing are {@link UsageError}.
   *
   * @param command - the name of the command that failed; undefined where none was reached
   * @returns the exit code
   */
  readonly onError: (error: unknown, command: string | undefined) => number;
}

/** @returns the exit code; undefined where the command ended well and set none */
export async function runCommandLine<Context>(
  commandLine: CommandLine<Context>,
  { argv, context, noCommandExitCode, onError }: RunOptions<Context>,
): Promise<number | undefined> {
  let current: string | undefined;
  try {
    const notes = asksForHelp(argv) ? [...(commandLine.notes ?? []), ...((await commandLine.loadNotes?.()) ?? [])] : [];
    const program = createProgram({ ...commandLine, notes }, context).hook('preSubcommand', (_program, command) => {
      current = command.name();
    });
    await program.parseAsync(completeArguments(commandLine, argv, context), { from: 'user' });
    return undefined;
  } catch (error) {
    if (!isCommanderError(error)) return onError(error, current);
    // Help and version end the parsing by an error too.
    if (/^commander\.(help|helpDisplayed|version)$/.test(error.code))
      return error.exitCode === 0 ? 0 : noCommandExitCode;
    return onError(new UsageError(messageOf(error), { cause: error }), current);
  }
}

/** By its code: where packages are installed side by side, a command may bring its own copy of commander. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

/** The message without commander's prefix and without surplus arguments, which may be addresses. */
function messageOf({ code, message }: CommanderError): string {
  const sentence = message.replace(/^error: /, '');
  return code === 'commander.excessArguments' ? sentence.replace(/(got \d+): .*$/s, '$1.') : sentence;
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv.length === 0 || argv[0] === 'help' || argv.includes('-h') || argv.includes('--help');
}

/** Writes `help COMMAND` as `COMMAND --help` and adds the default command where none is named. */
function completeArguments<Context>(
  commandLine: CommandLine<Context>,
  argv: readonly string[],
  context: Context,
): readonly string[] {
  // The help of a command is known once its module is loaded, which commander's own `help` does not wait for.
  if (argv[0] === 'help') return [...argv.slice(1), '--help'];
  if (commandLine.defaultCommand === undefined) return argv;
  const dashes = argv.indexOf('--');
  const ours = dashes < 0 ? argv : argv.slice(0, dashes);
  if (ours.some((word) => ['-h', '--help', '-V', '--version'].includes(word))) return argv;
  const { operands } = createProgram(commandLine, context).parseOptions([...ours]);
  return operands.length === 0 ? [commandLine.defaultCommand, ...argv] : argv;
}

/**
 * Writes an error for a person: one or more lines on stderr that begin with the program's name. A usage error points to
 * the help.
 */
export function printError(program: string, { message, name }: Error, command: string | undefined): void {
  const help = name === 'UsageError' ? `\nSee ${[program, command, '--help'].filter(Boolean).join(' ')}.` : '';
  process.stderr.write(`${program}: ${message}${help}\n`);
}

/** Ends the process without an error where the reader of its output closes the pipe, as `head` does. */
export function endWithReader(program: string): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error) => {
      if ('code' in error && error.code === 'EPIPE') process.exit(0);
      if (stream === process.stdout) process.stderr.write(`${program}: stdout cannot be written: ${error.message}\n`);
      process.exit(1);
    });
  }
}
