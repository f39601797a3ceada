/** `newsletter completion`: the scripts of the shells, and the words they ask for. */
import { Argument, type Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { operations } from '@newsletter-kit/core/contract';
import type { Context } from '../context.ts';
import { notes } from '../options.ts';
import { writeToStdout } from '../output/reporter.ts';
import { readProfiles, sandboxName } from '../profiles.ts';

/**
 * The script of each shell. All run `newsletter completion words` with the words up to the cursor, without `eval`; it
 * answers with a candidate a line, and with `:files` where the shell should complete the name of a file.
 */
const scripts = {
  bash: `_newsletter() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then compopt -o default 2>/dev/null; return; fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(newsletter completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _newsletter newsletter
`,
  zsh: `#compdef newsletter
_newsletter() {
  local line
  local -a values descriptions
  for line in "\${(@f)$(newsletter completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then _files; return; fi
    [[ -z $line ]] && continue
    values+=("\${line%%$'\\t'*}")
    descriptions+=("\${line/$'\\t'/  }")
  done
  compadd -l -d descriptions -a values
}
if [[ $funcstack[1] == _newsletter ]]; then _newsletter "$@"; else compdef _newsletter newsletter; fi
`,
  fish: `function __newsletter_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (newsletter completion words -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines" = :files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines
    end
end
complete -c newsletter -f -a '(__newsletter_complete)'
`,
} as const;

const shells = ['bash', 'zsh', 'fish'] as const;

export function define(command: Command, context: Context) {
  return command
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices([...shells, 'words'] as const))
    .argument('[words...]', 'with words: those of the command line up to the cursor')
    .usage('bash | zsh | fish')
    .addHelpText(
      'after',
      notes(
        'Commands, options, their values, operations and profiles are completed. To set it up:',
        `  bash  echo 'source <(newsletter completion bash)' >> ~/.bashrc\n  zsh   echo 'source <(newsletter completion zsh)' >> ~/.zshrc   # below compinit\n  fish  newsletter completion fish > ~/.config/fish/completions/newsletter.fish`,
      ),
    )
    .action(async (shell, words, _options, self) => {
      if (shell !== 'words') return await writeToStdout(scripts[shell]);
      for (const { value, about } of await complete(words, self.parent ?? self, context))
        await writeToStdout(`${value}${about === '' ? '' : `\t${about}`}\n`);
    });
}

type AnyOption = CommandUnknownOpts['options'][number];

/** A word that may stand at the cursor. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

const files: readonly Candidate[] = [{ value: ':files', about: '' }];

/** @param words - behind the command's name, the last one being typed */
async function complete(
  words: readonly string[],
  root: CommandUnknownOpts,
  context: Context,
): Promise<readonly Candidate[]> {
  const { define: defineCommand } = await import('../program.ts');
  const [before, typed] = splitWords(words);
  let command = root;
  let operands = 0;
  let pending: AnyOption | undefined;
  for (const word of before) {
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
      if (command === root) await defineCommand(next as Command, context);
      command = next;
    } else operands += 1;
  }

  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(typed) ?? [];
  const option = flag === undefined ? pending : findOption(command, flag);
  if (option) {
    const candidates = await valuesOf(option.long ?? '', option, context);
    if (flag === undefined) return startingWith(candidates, typed);
    return startingWith(candidates, value ?? '').map((each) =>
      each.value.startsWith(':') ? each : { ...each, value: `${flag}=${each.value}` },
    );
  }
  if (typed.startsWith('-')) {
    const options = command
      .createHelp()
      .visibleOptions(command)
      .map(({ long, short, description }) => ({
        value: long ?? short ?? '',
        about: description,
      }));
    return startingWith(options, typed);
  }
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0)
    return startingWith(
      commands.map((each) => ({ value: each.name(), about: each.description() })),
      typed,
    );
  const { registeredArguments: args } = command;
  const last = args.at(-1);
  const argument = args[operands] ?? (last?.variadic ? last : undefined);
  return argument ? startingWith(await valuesOf(argument.name(), argument, context), typed) : [];
}

/** bash splits `--format=csv` at the `=`. */
function splitWords(words: readonly string[]): readonly [readonly string[], string] {
  const joined = words.filter((word, index) => !(word === '=' && index < words.length - 1));
  const typed = joined.at(-1) ?? '';
  return [joined.slice(0, -1), typed === '=' ? '' : typed];
}

function findOption({ options }: CommandUnknownOpts, word: string): AnyOption | undefined {
  return options.find(({ long, short }) => word === long || word === short);
}

const takesValue = ({ required, optional }: AnyOption): boolean => required || optional;

/** Values of an option or argument: its choices, or by its name. */
async function valuesOf(
  name: string,
  { argChoices }: AnyOption | CommandUnknownOpts['registeredArguments'][number],
  { env }: Context,
): Promise<readonly Candidate[]> {
  if (argChoices) return argChoices.filter((each) => each !== 'words').map((value) => ({ value, about: '' }));
  if (name === 'operation') return operations.map(({ id, doc }) => ({ value: id, about: doc }));
  if (name === '--profile' || name === 'name') {
    const { profiles } = await readProfiles(env);
    const all: Readonly<Record<string, { readonly apiUrl: string } | null>> = { [sandboxName]: null, ...profiles };
    return Object.entries(all).map(([value, profile]) => ({ value, about: profile?.apiUrl ?? 'built in' }));
  }
  return ['file', '--config', '--contacts', '--input', '--journal', '--rejects', '--state'].includes(name) ? files : [];
}

function startingWith(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed) || value === ':files');
}
