/** The `completion` command: prints the completion script of a shell and answers the script's requests. */
import { once } from 'node:events';
import process from 'node:process';
import { Argument, type Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { notes, type Candidate } from './options.ts';

/**
 * The script of each shell. All run `completion words` with the words up to the cursor, without `eval`; it answers with
 * a candidate a line, and with `:files` where the shell should complete the name of a file.
 */
const scriptsFor = (name: string) => {
  // A shell function, named after the program.
  const own = name.replaceAll('-', '_');
  return {
    bash: `_${own}() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then compopt -o default 2>/dev/null; return; fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(${name} completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _${own} ${name}
`,
    zsh: `#compdef ${name}
_${own}() {
  local line
  local -a values descriptions
  for line in "\${(@f)$(${name} completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then _files; return; fi
    [[ -z $line ]] && continue
    values+=("\${line%%$'\\t'*}")
    descriptions+=("\${line/$'\\t'/  }")
  done
  compadd -l -d descriptions -a values
}
if [[ $funcstack[1] == _${own} ]]; then _${own} "$@"; else compdef _${own} ${name}; fi
`,
    fish: `function __${own}_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (${name} completion words -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines" = :files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines
    end
end
complete -c ${name} -f -a '(__${own}_complete)'
`,
  };
};

const shells = ['bash', 'zsh', 'fish'] as const;

/** What completion has to know of the program. */
export interface CompletionOptions {
  /** The name of the program. */
  readonly name: string;
  /** Gives a command its options. */
  defineCommand(command: Command): Promise<void>;
  /** Values of an option or argument by its name; empty where there are none to offer. */
  completeValue(name: string): Promise<readonly Candidate[]>;
}

export function defineCompletion(command: Command, options: CompletionOptions): void {
  const { name } = options;
  command
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices([...shells, 'words'] as const))
    .argument('[words...]', 'with words: those of the command line up to the cursor')
    .usage('bash | zsh | fish')
    .addHelpText(
      'after',
      notes(
        'Commands, options and their values are completed. To set it up:',
        `  bash  echo 'source <(${name} completion bash)' >> ~/.bashrc\n  zsh   echo 'source <(${name} completion zsh)' >> ~/.zshrc  # below compinit\n  fish  ${name} completion fish > ~/.config/fish/completions/${name}.fish`,
      ),
    )
    .action(async (shell, words, _options, self) => {
      if (shell !== 'words') return await writeToStdout(scriptsFor(name)[shell]);
      for (const { value, about } of await complete(words, self.parent ?? self, options))
        await writeToStdout(`${value}${about === '' ? '' : `\t${about}`}\n`);
    });
}

type AnyOption = CommandUnknownOpts['options'][number];
type AnyArgument = CommandUnknownOpts['registeredArguments'][number];

const files: readonly Candidate[] = [{ value: ':files', about: '' }];

/** @param words - behind the program's name, the last one being typed */
async function complete(
  words: readonly string[],
  root: CommandUnknownOpts,
  options: CompletionOptions,
): Promise<readonly Candidate[]> {
  const [before, typed] = splitWords(words);
  // The command that another program is to run: its words are not ours.
  if (before.includes('--')) return files;
  const { command, operands, pending } = await walk(before, root, options);
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(typed) ?? [];
  const option = flag === undefined ? pending : findOption(command, flag);
  if (option) {
    const candidates = await valuesOf(option.long ?? '', option, options);
    if (flag === undefined) return startingWith(candidates, typed);
    return startingWith(candidates, value ?? '').map((each) =>
      each.value.startsWith(':') ? each : { ...each, value: `${flag}=${each.value}` },
    );
  }
  if (typed.startsWith('-')) return startingWith(optionsOf(command), typed);
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0)
    return startingWith(
      commands.map((each) => ({ value: each.name(), about: each.description() })),
      typed,
    );
  const { registeredArguments: args } = command;
  const last = args.at(-1);
  const argument = args[operands] ?? (last?.variadic ? last : undefined);
  return argument ? startingWith(await valuesOf(argument.name(), argument, options), typed) : [];
}

/** Finds the command that the words name, counts its arguments and finds the option whose value is being typed. */
async function walk(words: readonly string[], root: CommandUnknownOpts, { defineCommand }: CompletionOptions) {
  let command = root;
  let operands = 0;
  let pending: AnyOption | undefined;
  for (const word of words) {
    if (pending) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      pending = option && takesValue(option) ? option : undefined;
      continue;
    }
    const next = command.commands.find((each) => each.name() === word);
    if (next) {
      if (command === root) await defineCommand(next as Command);
      command = next;
    } else operands += 1;
  }
  return { command, operands, pending };
}

/** bash splits `--format=csv` at the `=`. */
function splitWords(words: readonly string[]): readonly [readonly string[], string] {
  const joined = words.filter((word, index) => !(word === '=' && index < words.length - 1));
  const typed = joined.at(-1) ?? '';
  return [joined.slice(0, -1), typed === '=' ? '' : typed];
}

/** An option of the command, or of the program, which stands behind the command too. */
function findOption(command: CommandUnknownOpts, word: string): AnyOption | undefined {
  const found = command.options.find(({ long, short }) => word === long || word === short);
  return found ?? (command.parent ? findOption(command.parent, word) : undefined);
}

function optionsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const shared = help.showGlobalOptions ? help.visibleGlobalOptions(command) : [];
  return [...options, ...shared].map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    about: description,
  }));
}

const takesValue = ({ required, optional }: AnyOption): boolean => required || optional;

/** Values of an option or argument: its choices, names of files, or what the program knows of it. */
async function valuesOf(
  name: string,
  described: AnyOption | AnyArgument,
  { completeValue }: CompletionOptions,
): Promise<readonly Candidate[]> {
  const { argChoices } = described;
  if (argChoices) return argChoices.filter((each) => each !== 'words').map((value) => ({ value, about: '' }));
  const isFile = 'flags' in described ? /[<[]file[\]>]/.test(described.flags) : name === 'file';
  return isFile ? files : await completeValue(name);
}

function startingWith(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed) || value === ':files');
}

/** Writes to stdout no faster than it is read. */
async function writeToStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
