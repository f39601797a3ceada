/** Describes a program as a table of commands and builds it with commander. */
import { readFileSync } from 'node:fs';
import { Command, type Option } from '@commander-js/extra-typings';
import { notes } from './options.ts';

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

/** A value that may stand at the cursor. `:files` lets the shell complete the name of a file. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
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
