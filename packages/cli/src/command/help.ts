/** The help texts, from the tables. */
import { commonOptions, type Command, type Options } from './definition.ts';

const columns = 28;

/** Help for all commands. */
export function overview(commands: Readonly<Record<string, Command>>): string {
  return `newsletter – a newsletter's subscriptions from the command line

Usage: newsletter COMMAND [options]

Commands:
${Object.entries(commands)
  .map(([name, { about }]) => row(name, about))
  .join('')}
newsletter COMMAND --help says more about one.

Exit codes: 0 all done · 1 failed · 2 done but for rejected rows or findings of a sync · 3 interrupted, run it again to go on.
`;
}

/** Help for one command. */
export function helpFor(name: string, command: Command): string {
  const options: Options = { ...command.options, ...commonOptions };
  return `newsletter ${name} – ${command.about}

Usage: newsletter ${name} ${command.operands ? `${command.operands.usage} ` : ''}[options]

${Object.entries(options)
  .map(([option, { value, help, variable }]) =>
    row(`--${option}${value ? ` ${value}` : ''}`, variable ? `${help} (${variable})` : help),
  )
  .join('')}${command.notes ? `\n${command.notes}\n` : ''}`;
}

function row(left: string, right: string): string {
  return left.length < columns - 2
    ? `  ${left.padEnd(columns - 2)}${right}\n`
    : `  ${left}\n${' '.repeat(columns)}${right}\n`;
}
