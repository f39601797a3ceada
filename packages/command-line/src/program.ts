/**
 * Describes a program as a table of commands, builds it with commander, runs it, and turns errors into an exit code.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Option } from '@commander-js/extra-typings';
import { notes } from './options.ts';
import type { Candidate } from './options.ts';
import process from 'node:process';

/** A command in the table. Its module is loaded when the command is called, or its help or its completion is needed. */
export interface CommandEntry<Context> {
  /** What the command does, in one line of the program's help. */
  readonly about: string;
  /** Loads the module; `define` gives the command its arguments, options and action. */
  load(): Promise<CommandModule<Context>>;
}

/** What the module of a command exports. */
export interface CommandModule<Context> {
  define(command: Command, context: Context): unknown;
}

/** A program: its name, its commands and what they share. */
export interface CommandLine<Context> {
  /** The name of the executable. */
  readonly name: string;
  readonly about: string;
  /** The `package.json` that holds the version. */
  readonly manifest: URL;
  /** The commands by name. `completion` and `help` are added to them. */
  readonly commands: Readonly<Record<string, CommandEntry<Context>>>;
  /** The command that runs where none is named. Default: none; the help is printed and the call fails. */
  readonly defaultCommand?: string;
  /** Options that stand before or behind the name of a command. */
  readonly globalOptions?: () => readonly Option[];
  /** Paragraphs below the program's help. */
  readonly notes?: readonly string[];
  /** More paragraphs, loaded only where the help is asked for. */
  readonly loadNotes?: () => Promise<readonly string[]>;
  /**
   * Completes the value of an option (`--profile`) or argument (`name`) that has no fixed choices. Names of files are
   * completed wherever the value is called `<file>`.
   */
  readonly completeValue?: (name: string, context: Context) => Promise<readonly Candidate[]>;
}

/** Builds the program. Its parsing throws CommanderError where commander would end the process. */
export function createProgram<Context>(commandLine: CommandLine<Context>, context: Context): Command {
  const { name, about, manifest, commands, globalOptions, notes: paragraphs = [] } = commandLine;
  const program = new Command(name)
    .description(about)
    .usage(commandLine.defaultCommand === undefined ? 'COMMAND [options]' : '[COMMAND] [options]')
    .version(readVersion(manifest), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    // The caller reports errors.
    .configureOutput({ outputError: () => undefined })
    .hook('preSubcommand', (_program, command) => defineCommand(commandLine, command as Command, context));
  for (const option of globalOptions?.() ?? []) program.addOption(option);
  if (globalOptions) program.configureHelp({ showGlobalOptions: true });
  if (paragraphs.length > 0) program.addHelpText('after', notes(...paragraphs));
  for (const [each, entry] of Object.entries(commands)) program.command(each).description(entry.about);
  program.command('completion').description('print the completion script of a shell');
  return program;
}

/** Gives a command of the program its arguments, options and action. */
export async function defineCommand<Context>(
  commandLine: CommandLine<Context>,
  command: Command,
  context: Context,
): Promise<void> {
  const name = command.name();
  if (name === 'completion') {
    const { defineCompletion } = await import('./completion.ts');
    defineCompletion(command, {
      name: commandLine.name,
      defineCommand: (other) => defineCommand(commandLine, other, context),
      completeValue: async (value) => (await commandLine.completeValue?.(value, context)) ?? [],
    });
  } else if (Object.hasOwn(commandLine.commands, name)) {
    const module = await commandLine.commands[name]?.load();
    module?.define(command, context);
  }
}

function readVersion(manifest: URL): string {
  const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  return typeof content === 'object' && content !== null && 'version' in content ? String(content.version) : '';
}

export interface RunOptions<Context> {
  /** The arguments behind the program's name. */
  readonly argv: readonly string[];
  readonly context: Context;
  /** Runs before the command line is parsed. */
  readonly prepare?: () => Promise<void>;
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
  { argv, context, prepare, noCommandExitCode, onError }: RunOptions<Context>,
): Promise<number | undefined> {
  let current: string | undefined;
  try {
    await prepare?.();
    const notes = asksForHelp(argv) ? [...(commandLine.notes ?? []), ...((await commandLine.loadNotes?.()) ?? [])] : [];
    const program = createProgram({ ...commandLine, notes }, context).hook('preSubcommand', (_program, command) => {
      current = command.name();
    });
    await program.parseAsync(completeArguments(commandLine, argv, context), { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) return onError(error, current);
    // Help and version end the parsing by an error too.
    if (/^commander\.(help|helpDisplayed|version)$/.test(error.code))
      return error.exitCode === 0 ? 0 : noCommandExitCode;
    return onError(new UsageError(messageOf(error), { cause: error }), current);
  }
}

/** The message without commander's prefix, surplus arguments and addresses that were typed in the wrong place. */
function messageOf({ code, message }: CommanderError): string {
  const sentence = message.replace(/^error: /, '').replaceAll(/'[^']*@[^']*'/g, "'…'");
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

/** The command was called in a way that cannot work. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  readonly problems: readonly string[];

  /** @param problems - sentences; several are reported together */
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : ['This cannot work yet:', ...all].join('\n  - '), options);
    this.problems = all;
  }
}

/** Quotes an argument for a message, cut after 40 characters: a mistyped one may be a secret or a page of text. */
export function quote(text = ''): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
