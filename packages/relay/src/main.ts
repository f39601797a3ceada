#!/usr/bin/env node
/** `newsletter-relay`: picks the command, and says how things ended in its exit code. */
import process from 'node:process';
import { serve } from './commands/serve.ts';
import { settings } from './config.ts';
import { StartupError } from './startup-error.ts';

/** A command: resolves when it has ended well. */
interface Command {
  readonly about: string;
  readonly run: () => Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: { about: 'take signups, keep them, deliver them; until Ctrl-C or SIGTERM', run: serve },
};

const usage = `Usage: newsletter-relay COMMAND

Commands:
${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`)
  .join('\n')}

Environment:
${settings.map(({ name, about, default: fallback }) => `  ${name}\n      ${about}${fallback ? ` (${fallback})` : ''}`).join('\n')}
`;

const [name, ...rest] = process.argv.slice(2);
const command = name === undefined ? undefined : Object.hasOwn(commands, name) ? commands[name] : undefined;

if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
  process.stdout.write(usage);
} else if (!command || rest.length > 0) {
  const what = name === undefined ? 'Name a command' : command ? `"${name}" takes no arguments` : `There is no command "${name}"`;
  process.stderr.write(`${what}. Commands: ${Object.keys(commands).join(', ')}. See newsletter-relay --help.\n`);
  process.exitCode = 2;
} else {
  try {
    await command.run();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`newsletter-relay: ${error.message}\n`);
    process.exitCode = 1;
  }
}
