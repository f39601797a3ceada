import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { run, start } from './command.ts';
import { commandTree, overview } from './command-tree.ts';

describe('newsletter', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    for (const flag of ['--version', '-V'])
      expect(await run([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('lists its commands, and prints the help of each by --help and by help', async () => {
    const whole = await run(['--help']);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    for (const [name, about] of overview(await commandTree()))
      expect(whole.stdout).toMatch(new RegExp(`${name} +${about.slice(0, 40)}`));
    const help = await run(['help', 'export']);
    expect(await run(['export', '-h'])).toEqual(help);
    expect(help.stdout).toContain('--premium-tier <name>');
  });

  it('fits its help into 80 columns and describes every argument and option', async () => {
    for (const command of await commandTree()) {
      expect(command.description(), command.name()).not.toBe('');
      for (const line of helpOf(command).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      for (const { description, flags } of command.options) expect(description, flags).not.toBe('');
      for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
    }
  });

  it.each([
    [['exprot'], "unknown command 'exprot'\n(Did you mean export?)"],
    [['whoami', '--profile', 'prod'], 'There is no profile "prod". The profiles are sandbox.'],
  ])('explains the error of %j', async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^newsletter: /);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('    at ');
  });

  it('prints its help and ends the process with 64 where no command is named', async () => {
    const { code, stdout, stderr } = await start([], {}).ended;
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain('Usage: newsletter COMMAND [options]');
  });

  it('checks variables like flags and prints no secret', async () => {
    const url = await run(['whoami'], { NEWSLETTER_API_URL: 'newsletter.test' });
    expect(url).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('NEWSLETTER_API_URL (--api-url) must be an http(s) address that ends with /v2'),
    });
    const key = await run(['whoami'], { NEWSLETTER_API_KEY: 'hush hush' });
    expect(key).toMatchObject({ code: 64, stderr: expect.stringContaining('NEWSLETTER_API_KEY must hold the bare') });
    expect(key.stderr).not.toContain('hush');
    // A blank variable counts as not set.
    const blank = await run(['whoami'], { NEWSLETTER_API_URL: ' ', NEWSLETTER_API_KEY: 'k' });
    expect(blank.stderr).toContain('NEWSLETTER_API_URL is missing');
  });

  it('prints errors as JSON on stderr with --json', async () => {
    const usage = await run(['whoami', '--json', '--bogus']);
    expect(usage).toMatchObject({ code: 64, stdout: '' });
    expect(JSON.parse(usage.stderr)).toEqual({
      error: {
        type: 'UsageError',
        message: "unknown option '--bogus'",
        problems: ["unknown option '--bogus'"],
      },
    });
    const missing = await run(['whoami', '--json'], { NEWSLETTER_API_KEY: 'k' });
    expect(JSON.parse(missing.stderr)).toMatchObject({ error: { type: 'UsageError' } });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const network = await run(['whoami', '--json'], {
      NEWSLETTER_API_KEY: 'k',
      NEWSLETTER_API_URL: `http://127.0.0.1:${port}/v2`,
    });
    expect(JSON.parse(network.stderr)).toMatchObject({
      error: { type: 'NetworkError', operation: 'subscriptions.list', message: expect.stringContaining('reached') },
    });
  });

  it('uses colours only on a terminal, and never with NO_COLOR', async () => {
    const plain = await run(['exprot']);
    expect(plain.stderr).not.toContain('\u001B');
    expect((await run(['exprot'], { FORCE_COLOR: '1' })).stderr).toContain('\u001B[31m');
    expect((await run(['exprot'], { NO_COLOR: '1' })).stderr).not.toContain('\u001B');
  });
});

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
