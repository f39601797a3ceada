/** `newsletter-relay`: picks the command, and says how things ended in its exit code. */
import process from 'node:process';
import { readGiven, UsageError, type Command } from './commands/command.ts';
import { operatingCommands } from './commands/operating.ts';
import { settings } from './settings.ts';
import { OperatorError } from './ops/relay-operator.ts';
import { StartupError } from './startup-error.ts';

const commands: Readonly<Record<string, Command>> = {
  serve: {
    about: 'take signups, keep them, deliver them; until Ctrl-C or SIGTERM',
    async run() {
      const { serve } = await import('./commands/serve.ts');
      await serve();
    },
  },
  ...operatingCommands,
};

const optionLine = (name: string, about: string): string => `  ${name.padEnd(18)} ${about}`;

const usage = `Usage: newsletter-relay COMMAND [OPTIONS]

Commands:
${Object.entries(commands)
  .map(([name, { about, takes = '' }]) => optionLine(`${name} ${takes}`, about))
  .join('\n')}

"newsletter-relay COMMAND --help" lists its options. All commands read the same environment:
${settings.map(({ name, about, default: fallback }) => `  ${name}\n      ${about}${fallback ? ` (${fallback})` : ''}`).join('\n')}
`;

/** What a command takes. */
function usageOf(name: string, { about, takes = '', options = {} }: Command): string {
  const lines = Object.entries(options).map(([option, { about: meaning, value = '' }]) =>
    optionLine(`--${option} ${value}`, meaning),
  );
  return `Usage: newsletter-relay ${[name, takes, lines.length > 0 && '[OPTIONS]'].filter(Boolean).join(' ')}\n\n${about}\n${lines.map((line) => `\n${line}`).join('')}\n`;
}

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
const asksForHelp = process.argv.slice(2).some((word) => word === '--help' || word === '-h');

if (asksForHelp) {
  process.stdout.write(command ? usageOf(name, command) : usage);
} else if (!command) {
  const what = name === '' ? 'Name a command' : `There is no command "${name}"`;
  process.stderr.write(`${what}. Commands: ${Object.keys(commands).join(', ')}. See newsletter-relay --help.\n`);
  process.exitCode = 2;
} else {
  try {
    const given = readGiven(command, args);
    checkNode();
    await command.run(given);
  } catch (error) {
    if (!(error instanceof StartupError || error instanceof OperatorError || error instanceof UsageError)) throw error;
    process.stderr.write(
      `newsletter-relay: ${error.message}${error instanceof UsageError ? ` See newsletter-relay ${name} --help.` : ''}\n`,
    );
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** The store is Node's own SQLite, which older versions do not have. @throws StartupError */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 16)) return;
  throw new StartupError(
    `This is Node ${process.versions.node}; the relay needs 22.16 or newer. Install a newer Node and start it again.`,
  );
}
