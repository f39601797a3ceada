/** Every command with its arguments and options, as the program defines them. */
import type { Command } from '@commander-js/extra-typings';
import { createProgram, defineCommand } from '@newsletter-kit/command-line';
import type { Context } from '../src/context.ts';
import { newsletter } from '../src/command-line.ts';

/** @param argv - arguments of the call, for commands whose help depends on them */
export async function commandTree(argv: readonly string[] = []): Promise<readonly Command[]> {
  const context: Context = { argv, env: {}, run: () => Promise.resolve() };
  const program = createProgram(newsletter, context);
  for (const command of program.commands) await defineCommand(newsletter, command as Command, context);
  return below(program);
}

/** The name of a command behind the program's, such as `sync plan`. */
export function nameOf(command: Command): string {
  const names = [];
  for (let each: Command | null = command; each?.parent; each = each.parent as Command | null)
    names.unshift(each.name());
  return names.join(' ');
}

/** Names and descriptions of the program's commands, as its help lists them. */
export function overview(tree: readonly Command[]): readonly (readonly [name: string, about: string])[] {
  return tree
    .filter(({ parent }) => parent?.parent === null)
    .map((command) => [command.name(), command.description()] as const);
}

function below(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each as Command, ...below(each as Command)]);
}
