/** The commands. Help, parsing and completion read this table; a command's module is loaded when it is called. */
import { readFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { notes } from './options.ts';
import type { Context } from './context.ts';

interface Entry {
  readonly about: string;
  /** `define` gives the command its arguments, options and action. */
  load(): Promise<{ define(command: Command, context: Context): unknown }>;
}

export const commands = {
  login: { about: 'sign in with a browser, or keep an API key', load: () => import('./commands/login.ts') },
  logout: { about: 'revoke the login of a profile and delete it here', load: () => import('./commands/logout.ts') },
  whoami: { about: 'show the key or login in use, and what it reaches', load: () => import('./commands/whoami.ts') },
  profiles: { about: 'list, choose and remove named connections', load: () => import('./commands/profiles.ts') },
  api: { about: 'call any operation or path of the API', load: () => import('./commands/api.ts') },
  export: { about: 'write all subscriptions to a file, or to stdout', load: () => import('./commands/export.ts') },
  import: { about: 'import subscriptions from a CSV file', load: () => import('./commands/import.ts') },
  watch: {
    about: 'report new and changed subscriptions, until Ctrl-C',
    load: () => import('./commands/watch.ts'),
  },
  sync: {
    about: 'keep subscriptions and contacts in PostgreSQL in step',
    load: () => import('./commands/sync.ts'),
  },
  completion: { about: 'print the completion script of a shell', load: () => import('./commands/completion.ts') },
} as const satisfies Readonly<Record<string, Entry>>;

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name);

/** The program; it throws CommanderError where others exit. */
export function createProgram(context: Context): Command {
  const program = new Command('newsletter')
    .description("A newsletter's subscriptions from the command line.")
    .usage('COMMAND [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    // command-line.ts reports errors.
    .configureOutput({ outputError: () => undefined })
    .hook('preSubcommand', async (_program, command) => {
      const name = command.name();
      if (isCommand(name)) await define(command as Command, context);
    })
    .addHelpText(
      'after',
      notes(
        'newsletter COMMAND --help prints the options of a command.',
        'Exit codes: 0 done · 1 failed · 2 done except for rejected rows or findings · 3 interrupted, the same command continues',
      ),
    );
  for (const [name, { about }] of Object.entries(commands)) program.command(name).description(about);
  return program;
}

/** Gives a command of the program its arguments, options and action. */
export async function define(command: Command, context: Context): Promise<void> {
  const name = command.name();
  if (!isCommand(name)) return;
  const module = await commands[name].load();
  module.define(command, context);
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
