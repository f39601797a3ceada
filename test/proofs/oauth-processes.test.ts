/** Several processes share one login. A refresh token is valid once, and a second use ends the login for all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileTokenStore } from '@newsletter-kit/core/node';
import { createClient } from '@newsletter-kit/core';
import { consent, oauthClients, publicationId } from '@newsletter-kit/sandbox';
import { test } from '@newsletter-kit/sandbox/vitest';
import { expect, onTestFinished } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';

const rounds = 4;
const processes = 3;
const caller = fileURLToPath(new URL('oauth-caller.ts', import.meta.url));

test('processes that share a login refresh an expired token only once', async ({ sandboxOnPort: sandbox }) => {
  const path = join(scratchFolder(), 'tokens.json');
  const clientId = oauthClients.public.uid;
  const { oauth } = createClient({
    baseUrl: sandbox.clientOptions.baseUrl,
    appUrl: sandbox.address,
    oauth: {
      clientId,
      redirectUri: 'http://127.0.0.1/callback',
      scopes: ['subscriptions:read'],
      store: createFileTokenStore(path),
    },
  });
  const login = await oauth.startLogin();
  await oauth.finishLogin(await consent(fetch, login.url), login);

  const children = Array.from({ length: processes }, () => {
    const child = spawn(
      process.execPath,
      ['--conditions=@newsletter-kit/source', caller, sandbox.address, path, publicationId, clientId],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  });
  await Promise.all(children.map((child) => once(child.stdout, 'data')));

  for (let round = 1; round <= rounds; round++) {
    sandbox.clock.advance('PT2H');
    await Promise.all(
      children.map((child) => {
        child.stdin.write('call\n');
        return Promise.race([
          once(child.stdout, 'data'),
          once(child, 'exit').then(() => expect.fail('A process lost its login.')),
        ]);
      }),
    );
    expect(sandbox.requests().filter(({ operation }) => operation === 'oauth.refresh')).toHaveLength(round);
  }
  await Promise.all(
    children.map(async (child) => {
      const exit = once(child, 'exit');
      child.stdin.write('stop\n');
      expect(await exit).toEqual([0, null]);
    }),
  );
});
