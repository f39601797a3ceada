/** `newsletter-relay` as a process: help, wrong usage, start and stop. `serve.slow.test.ts` has every case. */
import { expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { run, serve } from './relay-process.ts';

it('prints its help', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  for (const text of ['Usage: newsletter-relay COMMAND', 'RELAY_ALLOWED_ORIGINS', 'redrive'])
    expect(stdout).toContain(text);
});

it('says what is wrong with a command, and ends with 2', async () => {
  const { code, stdout, stderr } = await run(['staus']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('(Did you mean status?)');
});

it('lists every missing setting, and ends with 1', async () => {
  const { code, stderr } = await run(['serve']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^newsletter-relay: The configuration has errors:\n( {2}- [A-Z_]+ .*\n){4}$/);
});

it('delivers over HTTP, and exits with 0 on Ctrl-C and on SIGTERM', async () => {
  const api = sandboxApi();
  const folder = scratchFolder();
  const address = await onPort(api.fetch);
  for (const [round, signal] of (['SIGINT', 'SIGTERM'] as const).entries()) {
    const relay = await serve(folder, { NEWSLETTER_API_URL: `${address}/v2` });
    expect((await relay.signUp(`p${round}@example.com`)).status).toBe(202);
    await waitUntil('it is delivered', () => relay.output().includes('"msg":"delivered"'));
    relay.child.kill(signal);
    const { code, stdout, stderr } = await relay.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('"msg":"stopped"');
    expect(stdout + stderr).not.toMatch(/@example|sandbox-key/);
  }
  expect(api.received.map(({ email }) => email)).toEqual(['p0@example.com', 'p1@example.com']);
});
