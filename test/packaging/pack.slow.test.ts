/** The tarballs of `npm run pack`: each installs alone, without a copy of ours from the registry, and works. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { manifest } from '../../scripts/install.mjs';
import { packBuilt } from '../../scripts/pack.ts';
import { root } from '../../scripts/root.ts';
import { waitUntil } from '../support/waits.ts';
import { freePort } from '../support/free-ports.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { installInEmptyFolder, type Installation } from './installed.ts';

const execute = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-pack-all-'));
  expect(await packBuilt(folder)).toBe(true);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function install(...names: readonly string[]): Promise<Installation> {
  const installed = await installInEmptyFolder(...names.map((name) => join(folder, `${name}.tgz`)));
  onTestFinished(() => installed.remove());
  const lockfile = JSON.parse(await readFile(join(installed.folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const fromRegistry = Object.entries(lockfile.packages)
    .filter(([path, { resolved }]) => path.includes('newsletter-kit') && resolved?.startsWith('http'))
    .map(([path]) => path)
    .filter((path) => /node_modules\/(?:@newsletter-kit\/[^/]+|n8n-nodes-newsletter-kit)$/.test(path));
  expect(fromRegistry).toEqual([]);
  return installed;
}

describe('the tarball of', () => {
  it('core calls an API', async () => {
    const { node } = await install('newsletter-kit-core');
    const { stdout, stderr } = await node(`
      import { createClient } from '@newsletter-kit/core';
      const client = createClient({
        baseUrl: 'http://api.test/v2',
        token: 'key',
        publicationId: 'pub_1',
        fetch: async () => new Response(JSON.stringify({ data: [{ id: 'sub_1', email: 'ada@example.com', status: 'active', created: 1 }] })),
      });
      console.log((await client.subscriptions.list({ limit: 1 })).items[0].email);
    `);
    expect(stderr).toBe('');
    expect(stdout).toBe('ada@example.com\n');
  });

  it.each([
    ['sandbox', 'newsletter-sandbox', ['exec', '--', 'node', '-p', 'process.env.NEWSLETTER_API_KEY'], 'sandbox-key'],
    ['cli', 'newsletter', ['api', '--help'], 'Usage: newsletter api'],
    ['relay', 'newsletter-relay', ['import', '/dev/null'], 'Read: 0 signups'],
  ] as const)('%s brings its command, which works', async (name, command, args, printed) => {
    const installed = await install(`newsletter-kit-${name}`);
    const version = await installed.command(command, ['--version']);
    expect(version).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    const { code, stdout, stderr } = await installed.command(command, args, {
      NEWSLETTER_API_URL: `http://127.0.0.1:${await freePort()}/v2`,
      NEWSLETTER_API_KEY: 'sandbox-key',
      NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-000000000001',
      RELAY_ALLOWED_ORIGINS: 'https://example.com',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(printed);
  });

  it('signup contains the file for a script tag', async () => {
    const { node } = await install('newsletter-kit-signup');
    const { code, stdout } = await node(`
      import { readFileSync } from 'node:fs';
      import { fileURLToPath } from 'node:url';
      console.log(readFileSync(fileURLToPath(import.meta.resolve('@newsletter-kit/signup/signup-form.js'))).length);
    `);
    expect(code).toBe(0);
    expect(Number(stdout)).toBeGreaterThan(10_000);
  });

  it('the n8n nodes contains every node', async () => {
    const { folder: installed } = await install('n8n-nodes-newsletter-kit');
    const path = join(installed, 'node_modules', 'n8n-nodes-newsletter-kit');
    const { n8n } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as {
      readonly n8n: { readonly nodes: readonly string[] };
    };
    expect(n8n.nodes.length).toBeGreaterThan(2);
    for (const node of n8n.nodes) await readFile(join(path, node));
  });
});

it.each([
  ['sandbox', 'newsletter-sandbox'],
  ['relay', 'newsletter-relay'],
  ['cli', 'newsletter'],
])('the tarball of %s brings its command to the whole machine', async (name, command) => {
  const prefix = await mkdtemp(join(tmpdir(), 'newsletter-global-'));
  onTestFinished(() => rm(prefix, { recursive: true, force: true }));
  const tarball = join(folder, `newsletter-kit-${name}.tgz`);
  await execute('npm', ['install', '--global', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
    env: { ...process.env, npm_config_prefix: prefix },
  });
  const { stdout } = await execute(join(prefix, 'bin', command), ['--version']);
  expect(stdout).toBe(`${manifest.version}\n`);
});

it('the tarballs of sandbox, relay and cli work together in one folder', async () => {
  const installed = await install(
    'newsletter-kit-core',
    'newsletter-kit-sandbox',
    'newsletter-kit-relay',
    'newsletter-kit-cli',
  );
  const bin = join(installed.folder, 'node_modules', '.bin');
  const { code, stdout, stderr } = await installed.command(
    'newsletter-sandbox',
    ['exec', '--', 'sh', '-c', `"${bin}/newsletter" whoami && "${bin}/newsletter-relay" check`],
    { RELAY_ALLOWED_ORIGINS: 'https://example.com', HOME: installed.folder },
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('accessible');
  expect(stdout).toContain('✓ clock: agrees with the API');
});

describe('init of the relay', () => {
  const forWrangler = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' };

  const pages = { node: 'docs/src/content/docs/relay/install.md', worker: 'docs/src/content/docs/relay/worker.md' };

  /** Runs the command of the page, for another folder; npm's cache keeps nothing. @returns what it printed */
  async function init(kind: keyof typeof pages, written: string): Promise<string> {
    const [, command] = /^(npx --package .*) ~\/[\w-]+$/m.exec(await readFile(join(root, pages[kind]), 'utf8')) ?? [];
    const clone = scratchFolder();
    await symlink(folder, join(clone, 'packed'));
    const { stdout: cache } = await execute('npm', ['config', 'get', 'cache']);
    await symlink(join(cache.trim(), '_cacache'), join(clone, '_cacache'));
    const { stdout } = await execute('sh', ['-c', `${command} ${written}`], {
      cwd: clone,
      env: { ...process.env, npm_config_cache: clone, npm_config_yes: 'true', npm_config_prefer_offline: 'true' },
    });
    return stdout;
  }

  /** Installs the written folder, starts it until the test is over, loads the script and signs somebody up. */
  async function signUp(written: string, port: number, start: readonly string[]): Promise<Response> {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: written });
    const child = spawn('npm', ['start', '--', ...start], {
      cwd: written,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...forWrangler, XDG_CONFIG_HOME: written, RELAY_PORT: String(port) },
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const ended = once(child, 'close');
    onTestFinished(async () => {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM');
      await ended;
    });
    await waitUntil(
      'it answers, or ends',
      async () => child.exitCode !== null || (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    );
    if (child.exitCode !== null) throw new Error(output);
    const script = await fetch(`http://127.0.0.1:${port}/signup-form.js`);
    const [part = ''] = /parts\/\w+\/signup\.js/.exec(await script.text()) ?? [];
    expect((await fetch(`http://127.0.0.1:${port}/${part}`)).headers.get('cache-control')).toContain('immutable');
    return fetch(`http://127.0.0.1:${port}/signup`, {
      method: 'POST',
      headers: { origin: 'https://example.com', 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });
  }

  it('writes a folder for Node that takes signups', async () => {
    const written = join(scratchFolder(), 'relay');
    expect(await init('node', written)).toContain(`The next command: cd ${written} && npm install`);
    expect((await readdir(written)).toSorted()).toEqual([
      '.gitignore',
      'README.md',
      'newsletter-kit-relay.tgz',
      'package.json',
      'relay.env',
    ]);
    const file = join(written, 'relay.env');
    expect((await stat(file)).mode & 0o077).toBe(0);
    const values: Readonly<Record<string, string>> = {
      NEWSLETTER_API_URL: `http://127.0.0.1:${await freePort()}/v2`,
      NEWSLETTER_API_KEY: 'a-key',
      NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-000000000001',
      RELAY_ALLOWED_ORIGINS: 'https://example.com',
    };
    const empty = await readFile(file, 'utf8');
    const filled = empty.replaceAll(/^(\w+)=$/gm, (line, name: string) => `${line}${values[name]}`);
    await writeFile(file, filled);
    expect((await signUp(written, await freePort(), [])).status).toBe(202);
  });

  it('writes a folder for Cloudflare Workers, whose Worker takes signups in workerd', async () => {
    const written = join(scratchFolder(), 'worker');
    await init('worker', written);
    await writeFile(join(written, '.dev.vars'), 'NEWSLETTER_API_KEY=a-key\n');
    const port = await freePort();
    const { status } = await signUp(written, port, ['--port', String(port), '--inspector-port', '0']);
    expect(status).toBe(202);

    const page = await readFile(join(root, pages.worker), 'utf8');
    const [, block = ''] = /^```sh [^\n]*it needs an account"\n([^`]+)```/m.exec(page) ?? [];
    const [install, secret, deploy] = block.trim().split('\n');
    expect([install, secret]).toEqual(['npm install', 'npx wrangler secret put NEWSLETTER_API_KEY']);
    await execute('sh', ['-c', `${deploy} -- --dry-run --outdir bundle`], { cwd: written, env: forWrangler });
    // Cloudflare's free plan takes three megabytes; pages and mails have thirteen languages.
    expect(gzipSync(await readFile(join(written, 'bundle', 'index.js'))).length).toBeLessThan(350_000);
  });

  it('overwrites nothing', async () => {
    const written = scratchFolder();
    await writeFile(join(written, 'package.json'), '{}');
    await expect(init('node', written)).rejects.toThrow(/has package.json already, so nothing was written/);
    expect(await readdir(written)).toEqual(['package.json']);
  });
});
