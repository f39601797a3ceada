/** `newsletter-relay` as a process: command line, check, start and stop. */
import { createServer } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { environment, site } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve } from './relay-process.ts';

describe('the command line', () => {
  it.each([
    [['--help'], ['Usage: newsletter-relay COMMAND', 'RELAY_ALLOWED_ORIGINS', 'redrive']],
    [
      ['redrive', '--help'],
      ['Usage: newsletter-relay redrive [options]', '--since <when>', '--dry-run'],
    ],
    [['erase', '-h'], ['Usage: newsletter-relay erase [options] <address>']],
    [['help', 'person'], ['Usage: newsletter-relay person [options] <address>']],
    [['--version'], ['0.']],
    [['completion', 'bash'], ['complete -F _newsletter_relay newsletter-relay']],
    [['completion', 'words', '--', 'redr'], ['redrive\t']],
    [['completion', 'words', '--', 'dead', '--state', 'rev'], ['review\n']],
  ])('prints its help, version and completion for %o', async (args, texts) => {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    for (const text of texts) expect(stdout).toContain(text);
  });

  it.each([
    [[], 'Usage: newsletter-relay COMMAND'],
    [['restart'], "unknown command 'restart'"],
    [['staus'], '(Did you mean status?)'],
    [['constructor'], "unknown command 'constructor'"],
    [['serve', '--port=1'], "unknown option '--port=1'\nSee newsletter-relay serve --help."],
    [['redrive', '--sinc', '2h'], '(Did you mean --since?)'],
    [['pause', 'now'], 'too many arguments'],
    [['redrive'], 'Select signups: for example'],
    [['redrive', '--since', 'soon'], '"since" must be a moment'],
    [['dead', '--state', 'lost'], '"state" must be one or more of'],
    [['erase'], "missing required argument 'address'"],
  ])('says what is wrong with %o', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });
});

describe('check', () => {
  const checks = async (
    changes: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; results: Record<string, readonly [string, string]> }> => {
    const { code, stdout, stderr } = await run(['check', '--json'], {
      ...environment,
      RELAY_STORE: `sqlite:${scratchFolder()}/relay.db`,
      ...changes,
    });
    expect(stderr).toBe('');
    const results = JSON.parse(stdout) as { name: string; result: string; text: string }[];
    return { code, results: Object.fromEntries(results.map(({ name, result, text }) => [name, [result, text]])) };
  };

  it('succeeds where signups would be delivered', async () => {
    const { code, results } = await checks({ NEWSLETTER_API_URL: `${await onPort(sandboxApi().fetch)}/v2` });
    expect([code, results]).toEqual([
      0,
      {
        settings: ['ok', 'complete'],
        origins: ['ok', expect.stringContaining(site)],
        store: ['ok', expect.stringContaining('relay.db can be written')],
        'publication of "default"': ['ok', expect.stringContaining('can be read')],
        clock: ['ok', 'agrees with the API'],
      },
    ]);
  });

  it.each([
    ['a wrong key', { NEWSLETTER_API_KEY: 'wrong' }, 'does not accept NEWSLETTER_API_KEY'],
    [
      'a wrong publication',
      { NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-00000000dead' },
      'does not know NEWSLETTER_PUBLICATION_ID',
    ],
  ])('tells %s', async (_case, changes, sentence) => {
    const { code, results } = await checks({
      NEWSLETTER_API_URL: `${await onPort(sandboxApi().fetch)}/v2`,
      ...changes,
    });
    expect([code, results['publication of "default"']]).toEqual([1, ['failed', expect.stringContaining(sentence)]]);
  });

  it('reports an unreachable API and an origin without https', async () => {
    const { code, results } = await checks({ RELAY_ALLOWED_ORIGINS: 'http://shop.example,http://localhost:3000' });
    expect([code, results['origins'], results['publication of "default"']?.[0]]).toEqual([
      1,
      ['warning', expect.stringMatching(/^http:\/\/shop\.example is a site without https/)],
      'failed',
    ]);
  });

  it('asks the running relay that has opened the store', async () => {
    const folder = scratchFolder();
    const { address } = await serve(folder);
    const { results } = await checks({ RELAY_STORE: `sqlite:${folder}/relay.db`, RELAY_PORT: new URL(address).port });
    expect(results['store']).toEqual(['ok', `the relay at ${address} holds it and can write it`]);
  });
});

describe('starting', () => {
  it('without configuration lists every missing setting', async () => {
    const { code, stderr } = await run(['serve']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^newsletter-relay: The configuration has errors:\n( {2}- [A-Z_]+ .*\n){4}$/);
  });

  it('with a key that the API refuses accepts signups and logs that they cannot be delivered', async () => {
    const api = await onPort(sandboxApi().fetch);
    const relay = await serve(scratchFolder(), { NEWSLETTER_API_URL: `${api}/v2`, NEWSLETTER_API_KEY: 'wrong' });
    await eventually('the log names the key', () => relay.output().includes('cannot be delivered'));
    expect(relay.output()).toContain('does not accept NEWSLETTER_API_KEY');
    expect((await relay.signUp('ada@example.com')).status).toBe(202);
  });

  it('without a usable path of the store ends with one sentence', async () => {
    const folder = scratchFolder();
    const { code, stderr } = await run(['serve'], { ...environment, RELAY_STORE: `sqlite:${folder}/none/relay.db` });
    expect([code, stderr]).toEqual([
      1,
      `newsletter-relay: The store ${folder}/none/relay.db cannot be created: its folder does not exist; create the folder.\n`,
    ]);
  });

  it('with a port in use ends with one sentence and closes the store', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const { code, stderr } = await run(['serve'], {
      ...environment,
      RELAY_PORT: String(port),
      RELAY_STORE: `sqlite:${scratchFolder()}/relay.db`,
    });
    expect([code, stderr]).toEqual([
      1,
      `newsletter-relay: Port ${port} on 127.0.0.1 cannot be opened: it is in use; stop the program that uses it, or set RELAY_PORT to a free port.\n`,
    ]);
  });

  it('with a store in use ends with one sentence, without disturbing the other relay', async () => {
    const folder = scratchFolder();
    const first = await serve(folder);
    const { code, stderr } = await run(['serve'], {
      ...environment,
      RELAY_PORT: '0',
      RELAY_STORE: `sqlite:${folder}/relay.db`,
    });
    expect([code, stderr]).toEqual([
      1,
      `newsletter-relay: Another relay is using the store ${join(folder, 'relay.db')}: stop it, or give this one a file of its own in RELAY_STORE.\n`,
    ]);
    expect((await first.signUp('ada@example.com')).status).toBe(202);
  });
});

describe('serving', () => {
  it('delivers over HTTP, and exits with 0 on Ctrl-C and on SIGTERM', async () => {
    const api = sandboxApi();
    const folder = scratchFolder();
    const address = await onPort(api.fetch);
    for (const [round, signal] of (['SIGINT', 'SIGTERM'] as const).entries()) {
      const relay = await serve(folder, { NEWSLETTER_API_URL: `${address}/v2` });
      expect((await relay.signUp(`p${round}@example.com`)).status).toBe(202);
      await eventually('it is delivered', () => relay.output().includes('"msg":"delivered"'));
      relay.child.kill(signal);
      const { code, stdout, stderr } = await relay.ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('"msg":"stopped"');
      expect(stdout + stderr).not.toMatch(/@example|sandbox-key/);
    }
    expect(api.received.map(({ email }) => email)).toEqual(['p0@example.com', 'p1@example.com']);
  });

  it('answers a signup in flight when it is stopped', async () => {
    const relay = await serve(scratchFolder());
    const { hostname, port } = new URL(relay.address);
    const body = JSON.stringify({ email: 'ada@example.com' });
    const status = new Promise<number | undefined>((resolve, reject) => {
      const slow = request(
        {
          hostname,
          port,
          path: '/signup',
          method: 'POST',
          headers: {
            origin: site,
            'content-type': 'application/json',
            'content-length': body.length,
            expect: '100-continue',
          },
        },
        (answer) => resolve(answer.resume().statusCode),
      );
      slow.on('error', reject);
      slow.once('continue', () => {
        // The relay has the headers and waits for the body.
        slow.write(body.slice(0, 5));
        relay.child.kill('SIGTERM');
        eventually('it stops', () => relay.output().includes('"msg":"stopping')).then(
          () => slow.end(body.slice(5)),
          reject,
        );
      });
      slow.flushHeaders();
    });
    expect(await status).toBe(202);
    expect((await relay.ended).code).toBe(0);
  });

  it('aborts a body that exceeds the limit, and continues', async () => {
    const relay = await serve(scratchFolder());
    const { hostname, port } = new URL(relay.address);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const endless = request(
        {
          hostname,
          port,
          path: '/signup',
          method: 'POST',
          headers: { origin: site, 'content-type': 'application/json' },
        },
        resolve,
      );
      endless.on('error', reject);
      onTestFinished(() => void endless.destroy());
      // Never ended. Nothing follows what is too much: a write into the closed connection would come before the answer
      // is read.
      let written = 0;
      const writing = setInterval(() => {
        endless.write('x'.repeat(1000));
        if ((written += 1000) > 8192) clearInterval(writing);
      }, 1);
    });
    expect([answer.resume().statusCode, answer.headers.connection]).toEqual([413, 'close']);
    expect((await relay.signUp('ada@example.com')).status).toBe(202);
  });
});
