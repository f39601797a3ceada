import { describe, expect, it } from 'vitest';
import { commands } from '../src/command/commands.ts';
import { run } from './command.ts';

const nothing = { HOME: '/nonexistent' };

describe('newsletter', () => {
  it('tells its commands, and every command its options', async () => {
    const overview = await run(['--help'], nothing);
    expect(overview).toMatchObject({ code: 0, stderr: '' });
    for (const [name, { about, options }] of Object.entries(commands)) {
      expect(overview.stdout).toContain(about);
      const help = await run([name, '--help'], nothing);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      for (const option of [...Object.keys(options), 'json', 'help']) expect(help.stdout).toContain(`  --${option}`);
    }
    expect((await run(['help', 'export'], nothing)).stdout).toBe((await run(['export', '-h'], nothing)).stdout);
  });

  it.each([
    [['exprot'], 'There is no command "exprot"'],
    [['--bogus'], 'There is no command "--bogus"'],
    [['whoami', '--bogus'], 'There is no option --bogus'],
    [['whoami', 'twice'], '"twice" is one argument too many'],
    [['whoami', '--json=yes'], '--json takes no value'],
    [['login', '--client-id'], '--client-id needs a value: --client-id ID.'],
    [['login', '--client-id', '--json'], '--client-id needs a value: --client-id ID.'],
  ])('says what is wrong with %j', async (args, text) => {
    const { code, stdout, stderr } = await run(args, nothing);
    expect({ code, stdout: args.includes('--json') ? '' : stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`newsletter: ${text}`);
    expect(stderr).not.toContain('    at ');
  });

  it('names every mistake at once, and no secret', async () => {
    const { code, stderr } = await run(
      ['export', '--format', 'xls', '--expand', 'shoes', '--created', 'today', '--publication', 'mine'],
      {
        ...nothing,
        NEWSLETTER_API_URL: 'newsletter.test',
        NEWSLETTER_API_KEY: 'hush hush',
      },
    );
    expect(code).toBe(1);
    for (const text of [
      '--format must be csv or ndjson',
      '--expand: expected one of "subscription_premium_tiers"',
      '--created: must be a day as YYYY/MM/DD',
      'NEWSLETTER_API_URL must be an http(s) address that ends with /v2',
      '--publication must be pub_ and a UUID',
      'NEWSLETTER_API_KEY must be bare',
    ]) {
      expect(stderr).toContain(text);
    }
    expect(stderr).not.toContain('hush');
  });

  it('tells mistakes as an event as well, where events are asked for', async () => {
    const { code, stdout } = await run(['whoami', '--json'], nothing);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', message: expect.stringContaining('newsletter login') });
  });

  it('leaves colours out unless somebody looks, and for NO_COLOR even then', async () => {
    const plain = await run(['exprot'], nothing);
    expect(plain.stderr).not.toContain('\u001B');
    expect((await run(['exprot'], { ...nothing, FORCE_COLOR: '1' })).stderr).toContain('\u001B[31m');
    expect((await run(['exprot'], { ...nothing, NO_COLOR: '1' })).stderr).not.toContain('\u001B');
  });
});
