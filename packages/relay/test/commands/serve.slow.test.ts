/** `newsletter-relay` as a process: check, errors at the start, and its stop. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { environment, site } from '../running-relay.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve } from './relay-process.ts';

describe('check', () => {
  const checks = async (
    changes: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; results: Record<string, readonly [string, string]> }> => {
    const { code, stdout, stderr } = await run(['check', '--json'], {
      ...environment,
      // No relay listens there.
      RELAY_PORT: '9',
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
        relay: [
          'warning',
          'The relay at http://127.0.0.1:9 does not answer: check RELAY_HOST and RELAY_PORT. So the settings of this shell are checked, which may be other ones than those of the relay.',
        ],
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

  it('asks the running relay, whose settings this shell does not have', async () => {
    const folder = scratchFolder();
    const relay = await serve(folder, {
      NEWSLETTER_API_URL: `${await onPort(sandboxApi().fetch)}/v2`,
      RELAY_ALLOWED_ORIGINS: 'https://of-the-relay.example',
    });
    const { stdout, code } = await run(['check'], {
      RELAY_STORE: `sqlite:${folder}/relay.db`,
      RELAY_PORT: new URL(relay.address).port,
    });
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        `✓ relay: the relay at ${relay.address} has checked itself`,
        '✓ settings: complete',
        '✓ origins: https://of-the-relay.example',
        `✓ store: ${folder}/relay.db can be written`,
        expect.stringMatching(/^✓ publication of "default": pub_\S+ can be read$/),
        '✓ clock: agrees with the API',
        '',
      ],
    ]);
    const remote = ['--remote', relay.address, 'check', '--json'];
    const token = readFileSync(`${folder}/relay.db-operator`, 'utf8').trim();
    expect(JSON.parse((await run(remote, { RELAY_OPERATOR_TOKEN: token })).stdout)).toHaveLength(6);
  });

  it.each([
    ['a relay that does not know the token of this shell', '/none.db', /does not accept the operator token/, 'ok'],
    ['the store of a relay that cannot be asked', '/relay.db', /does not answer/, 'warning'],
  ])('tells %s', async (_case, store, text, result) => {
    const folder = scratchFolder();
    const { port } = new URL((await serve(folder)).address);
    const { results } = await checks({
      RELAY_STORE: `sqlite:${folder}${store}`,
      ...(store === '/none.db' && { RELAY_PORT: port }),
    });
    expect([results['relay'], results['store']]).toEqual([
      ['warning', expect.stringMatching(text)],
      [result, expect.any(String)],
    ]);
  });
});

describe('starting', () => {
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

describe('stopping', () => {
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
        waitUntil('it stops', () => relay.output().includes('"msg":"stopping')).then(
          () => slow.end(body.slice(5)),
          reject,
        );
      });
      slow.flushHeaders();
    });
    expect(await status).toBe(202);
    expect((await relay.ended).code).toBe(0);
  });
});
