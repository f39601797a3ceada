/**
 * The image of the Dockerfile, built from a clean clone as `docker build` and started as `docker run` would: the API
 * answers, and nothing of the build is left.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../test/support/free-ports.ts';
import { buildImage } from '../../../test/support/image.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

it('the image answers API requests, requires a token for its control, and stops', async () => {
  const image = await buildImage('packages/sandbox/deploy/Dockerfile', scratchFolder());
  const installed = readdirSync(join(image.root, 'app/node_modules/.pnpm'));
  expect(installed.length).toBeGreaterThan(3);
  expect(installed.filter((name) => /typescript|vitest|vite@|@types\+|puppeteer|axe-core/.test(name))).toEqual([]);
  expect(readdirSync(join(image.root, 'app'))).not.toContain('src');
  expect(existsSync(join(image.root, 'source'))).toBe(false);

  const port = await freePort();
  const env = { ...image.env, SANDBOX_PORT: String(port), SANDBOX_CONTROL_TOKEN: 'token-of-this-test' };
  const [program = '', ...args] = image.command;
  const sandbox = spawn(program, args, { cwd: image.folder, env, stdio: 'inherit' });
  onTestFinished(() => void sandbox.kill('SIGKILL'));
  const address = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(`${address}/openapi.json`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  const [asker = '', ...question] = image.healthCheck;
  await promisify(execFile)(asker, question, { env });

  const headers = { authorization: 'Bearer sandbox-key' };
  const list = '/v2/publications/pub_00000000-0000-4000-8000-000000000001/subscriptions?limit=1';
  expect((await fetch(address + list, { headers })).status).toBe(200);
  expect((await fetch(`${address}/_sandbox/requests`)).status).toBe(401);

  const ended = once(sandbox, 'exit');
  sandbox.kill(image.stopSignal);
  expect(await ended).toEqual([0, null]);
}, 600_000);

it('the Dockerfile has no finding of the linter', () => {
  expect(validate(readFileSync(new URL('../deploy/Dockerfile', import.meta.url), 'utf8'))).toEqual([]);
});
