/** Every command with its arguments and options, as the program defines them. */
import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../src/context.ts';
import { createReporter } from '../src/output/reporter.ts';
import { createProgram, define } from '../src/program.ts';

/** @param argv - arguments of the call, for commands whose help depends on them */
export async function commandTree(argv: readonly string[] = []): Promise<readonly Command[]> {
  const context: Context = {
    argv,
    env: {},
    report: createReporter({ json: false, env: {} }),
    interrupted: new AbortController().signal,
    end: () => undefined,
  };
  const program = createProgram(context);
  for (const command of program.commands) await define(command as Command, context);
  return below(program as Command);
}

function below(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each as Command, ...below(each as Command)]);
}
