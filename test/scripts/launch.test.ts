/** The start of a server: what a person reads where it does not become ready. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launch } from '../../scripts/launch.ts';
import type { ServerPlan } from '../../scripts/servers.ts';
import { freePort } from '../support/free-ports.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** Starts a server with this code, which finds its port in `PORT`. */
async function start(code: string): Promise<string> {
  const file = join(scratchFolder(), 'server.mjs');
  await writeFile(file, `import { createServer } from 'node:http';\n${code}`);
  const demo = await freePort();
  const plan: ServerPlan = {
    name: 'demo',
    title: 'Demo site',
    portVariable: 'DEMO_PORT',
    usualPort: 4000,
    entry: '',
    args: () => [],
    env: () => ({ PORT: String(demo) }),
    ready: '/',
  };
  return launch(plan, { ports: { demo, sandbox: 0, relay: 0 }, relayStore: '' }, () => undefined, {
    node: process.execPath,
    file,
  }).then(
    async (server) => {
      await server.stop();
      return 'ready';
    },
    (error: unknown) => String(error),
  );
}

const answering = (status: string): string =>
  `createServer((_, response) => response.writeHead(${status}).end()).listen(process.env.PORT, '127.0.0.1');`;

it.each([
  ['the page is missing', answering('404'), /The demo runs, but answers http:.* with 404: .*missing.*\n.*"dist"/],
  ['it ends', 'console.error("No sandbox."); process.exit(3);', /The demo stopped with exit code 3[^]*No sandbox\./],
  ['it is ready after a while', `let count = 0;\n${answering('(count += 1) < 3 ? 503 : 200')}`, /^ready$/],
])('where %s', async (_, code, told) => {
  const outcome = await start(code);
  expect(outcome).toMatch(told);
  expect(outcome).not.toContain('busy');
});
