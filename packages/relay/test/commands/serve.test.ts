/** `newsletter-relay` as a process: start and stop. `serve.slow.test.ts` has every case. */
import { expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import { onPort, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { serve } from './relay-process.ts';

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
