/** From a clone to a relay on a server: what the page installs takes signups. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { gitEnvironment } from '../../../scripts/git.ts';
import { root } from '../../../scripts/root.ts';
import { freePort } from '../../../test/support/free-ports.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { waitUntil } from '../../../test/support/waits.ts';
import { environment, site } from './running-relay.ts';

const execFileAsync = promisify(execFile);

/** What reaches the registry and npm's cache from here, and nothing else of this environment. */
function network(): NodeJS.ProcessEnv {
  const kept = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|home)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
}

/** Programs of this system, and Node 24 before its own. */
function systemPath(): string[] {
  const system = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return [dirname(process.execPath), ...system];
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
  await waitUntil('the relay takes signups', () => output.includes('the relay takes signups'));
  const answer = await fetch(`http://127.0.0.1:${port}/signup`, {
    method: 'POST',
    headers: { origin: site, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `person-${child.pid}@example.com` }),
  });
  expect(answer.status).toBe(202);
  return child;
}

it('the documented installation from a clone creates the command that the systemd unit starts', async () => {
  const scratch = scratchFolder();
  const page = readFileSync(join(root, 'docs/src/content/docs/relay/install.md'), 'utf8');
  const [, block = ''] = /^ *```sh.*\n( *git clone [\s\S]*?)^ *```$/m.exec(page) ?? [];
  const lines = block.replace(/git clone https:\S+/, `git clone --quiet ${root} newsletter-kit`);
  const prefix = join(scratch, 'global');
  const PATH = [join(prefix, 'bin'), ...systemPath()].join(delimiter);
  const { stdout } = await execFileAsync('/bin/sh', ['-e', '-c', `${lines}\npwd`], {
    cwd: scratch,
    env: { ...network(), ...gitEnvironment, PATH, npm_config_prefix: prefix },
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
  const status = await execFileAsync(program, [...args, 'status', '--json'], { cwd: scratch, env });
  const { counts } = JSON.parse(status.stdout) as { readonly counts: Readonly<Record<string, number>> };
  // Waiting, or sent for the time of an attempt: nothing answers at the API's address.
  expect(Number(counts['waiting']) + Number(counts['sent'])).toBe(1);
  const ended = once(relay, 'exit');
  relay.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 600_000);
