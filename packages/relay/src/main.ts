#!/usr/bin/env node
/** `newsletter-relay`: picks the command, and says how things ended in its exit code. */
import process from 'node:process';
import { settings } from './config.ts';
import { StartupError } from './startup-error.ts';

/** A command: resolves when it has ended well. */
interface Command {
  readonly about: string;
  readonly run: () => Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    about: 'take signups, keep them, deliver them; until Ctrl-C or SIGTERM',
    async run() {
      checkNode();
      const { serve } = await import('./commands/serve.ts');
      await serve();
    },
  },
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

/** The store is Node's own SQLite, which older versions do not have. @throws StartupError */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return;
  throw new StartupError(`This is Node ${process.versions.node}; the relay needs 22.13 or newer. Install a newer Node and start it again.`);
}
