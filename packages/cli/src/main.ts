#!/usr/bin/env node
/** The command `newsletter`: picks the command, and says how things ended in its exit code. */
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { commands } from './command/commands.ts';
import type { Command } from './command/definition.ts';
import { exitCodes, type ExitCode } from './command/exit-codes.ts';
import { helpFor, overview } from './command/help.ts';
import { watchSignals } from './command/interrupt.ts';
import { Mistake } from './command/mistake.ts';
import { parse, quote } from './command/parse.ts';
import { spokenText } from './command/spoken.ts';
import { createReporter } from './output/reporter.ts';

enableCompileCache();
// Whoever read stdout has seen enough, as `head` does.
process.stdout.on('error', (error: Error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(exitCodes.done);
  throw error;
});
process.exitCode = await main(process.argv.slice(2));

async function main([name, ...argv]: readonly string[]): Promise<ExitCode> {
  // Known before anything can go wrong, so that a program can read also that.
  const report = createReporter({ json: argv.includes('--json'), env: process.env });
  try {
    if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && argv.length === 0)) {
      process.stdout.write(overview(commands));
      return name === undefined ? exitCodes.failed : exitCodes.done;
    }
    if (name === 'help') return await main([argv[0] ?? '', '--help']);
    const command = find(name);
    const { options, operands } = parse(name, command, argv);
    if (options.help) {
      process.stdout.write(helpFor(name, command));
      return exitCodes.done;
    }
    const interrupted = watchSignals(() =>
      report.notice({ type: 'stopping', text: 'Finishing what is under way; once more to end at once.' }),
    );
    const { run } = await command.load();
    return await run({ options, operands, env: process.env, report, interrupted });
  } catch (error) {
    const text = spokenText(error);
    if (text === null) throw error;
    report.failure(text);
    return exitCodes.failed;
  }
}

function find(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  throw new Mistake(
    `There is no command ${quote(name)}. There are ${Object.keys(commands).join(', ')}; newsletter --help says more.`,
  );
}
