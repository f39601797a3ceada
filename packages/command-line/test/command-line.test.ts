import { Option } from '@commander-js/extra-typings';
import { expect, it } from 'vitest';
import { withCapturedOutput } from '../../../test/support/captured-output.ts';
import { runCommandLine, UsageError, type CommandLine } from '../src/index.ts';

/** A program with the command `send`, and what it did. */
function program(changes: Partial<CommandLine<null>> = {}) {
  const calls: unknown[] = [];
  const loaded: string[] = [];
  const commandLine: CommandLine<null> = {
    name: 'post-office',
    about: 'Sends letters.',
    manifest: new URL('../package.json', import.meta.url),
    commands: {
      send: {
        about: 'send a letter',
        async load() {
          loaded.push('send');
          return {
            define: (command) =>
              command
                .argument('<letter>', 'the letter')
                .addOption(new Option('--class <name>', 'how fast').choices(['first', 'second']))
                .option('--stamp <file>', 'a picture')
                .action((letter, options, self) => void calls.push([letter, options, self.optsWithGlobals()])),
          };
        },
      },
      open: {
        about: 'open the counter',
        async load() {
          loaded.push('open');
          return { define: (command) => command.action(() => void calls.push('open')) };
        },
      },
    },
    ...changes,
  };
  const run = async (...argv: readonly string[]) => {
    const errors: unknown[] = [];
    const { result: code, ...written } = await withCapturedOutput(() =>
      runCommandLine(commandLine, {
        argv,
        context: null,
        noCommandExitCode: 2,
        onError: (error, command) => {
          errors.push([error instanceof UsageError ? error.message : error, command]);
          return 9;
        },
      }),
    );
    return { code, errors, ...written };
  };
  return { run, calls, loaded };
}

it('loads the module of the command that is called and of no other', async () => {
  const { run, calls, loaded } = program();
  expect(await run('send', 'hello', '--class', 'first')).toMatchObject({ code: undefined, errors: [] });
  expect(calls).toEqual([['hello', { class: 'first' }, { class: 'first' }]]);
  expect(loaded).toEqual(['send']);
});

it('prints the help of a command by help and by --help, and the version', async () => {
  const { run } = program({ notes: ['Open on weekdays.'], loadNotes: async () => ['Closed on Sundays.'] });
  const help = await run('help', 'send');
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--class <name>') });
  expect(await run('send', '--help')).toEqual(help);
  expect((await run('--help')).stdout).toMatch(/send .*send a letter[\s\S]*Open on weekdays\.\n\nClosed on Sundays\./);
  expect(await run('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

it('prints the help on stderr where no command is named', async () => {
  const { run } = program();
  expect(await run()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: post-office') });
});

it.each([
  [['sned'], "unknown command 'sned'\n(Did you mean send?)", undefined],
  [['send', 'x', '--clas', 'first'], "unknown option '--clas'\n(Did you mean --class?)", 'send'],
  [['send'], "missing required argument 'letter'", 'send'],
  [['send', 'a@example.com', 'b@example.com'], "too many arguments for 'send'. Expected 1 argument but got 2.", 'send'],
  [['ada@example.com'], "unknown command '…'", undefined],
  [['send', 'x', '--to=ada@example.com'], "unknown option '…'", 'send'],
])('reports %j as a usage error and repeats no surplus argument and no address', async (argv, message, command) => {
  const { run, calls } = program();
  expect(await run(...argv)).toMatchObject({ code: 9, errors: [[message, command]] });
  expect(calls).toEqual([]);
});

it('passes errors of a command on unchanged', async () => {
  const failure = new Error('no ink');
  const { run } = program({
    commands: {
      fail: {
        about: 'fail',
        load: async () => ({
          define: (command) =>
            command.action(() => {
              throw failure;
            }),
        }),
      },
    },
  });
  expect(await run('fail')).toMatchObject({ code: 9, errors: [[failure, 'fail']] });
});

it('runs the default command where none is named, with options before or behind the name of a command', async () => {
  const { run, calls } = program({
    defaultCommand: 'open',
    globalOptions: () => [new Option('--town <name>', 'the town')],
  });
  await run('--town', 'Ulm');
  await run('--town', 'Ulm', 'send', 'hello');
  await run('send', 'hello', '--town', 'Ulm');
  await run('send', '--', '--town');
  expect(calls).toEqual(['open', ['hello', {}, { town: 'Ulm' }], ['hello', {}, { town: 'Ulm' }], ['--town', {}, {}]]);
});

it('completes commands, options, choices, files and values that the program provides', async () => {
  const { run } = program({
    defaultCommand: 'open',
    globalOptions: () => [new Option('--town <name>', 'the town')],
    completeValue: async (name) => (name === '--town' ? [{ value: 'Ulm', about: '' }] : []),
  });
  const complete = async (...words: readonly string[]) => (await run('completion', 'words', '--', ...words)).stdout;
  expect(await complete('s')).toBe('send\tsend a letter\n');
  expect(await complete('send', '--c')).toBe('--class\thow fast\n');
  expect(await complete('send', '--t')).toBe('--town\tthe town\n');
  expect(await complete('send', '--class', '')).toBe('first\nsecond\n');
  expect(await complete('send', '--class=s')).toBe('--class=second\n');
  expect(await complete('send', '--town', 'U')).toBe('Ulm\n');
  expect(await complete('send', '--stamp', '')).toBe(':files\n');
  expect(await complete('send', '--', 'x')).toBe(':files\n');
});
