/**
 * The packed core by `import` and by `require`, and by both in one program, in the runtimes and tools in which people
 * run and test theirs: each makes a call that succeeds and one that is refused, which it knows by its class.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { serve, type ServerType } from '@hono/node-server';
import { createSandbox } from '@newsletter-kit/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { root } from '../../scripts/root.ts';
import { sandboxAccount } from '../../scripts/servers.ts';
import { installOnePacked, type Installation } from './installed.ts';
import { bringRuntimes, type Runtimes } from './runtimes.ts';

const execute = promisify(execFile);

const tools = [
  'jest@30.5.2',
  'mocha@12.0.3',
  'ts-node@10.9.2',
  'typescript@5.9.3',
  '@types/node@22.19.20',
  'esbuild@0.28.2',
];

/** One program for all: `maker` has the client, and `catcher` the class of the error. */
const calls = (args: string): string => `async (${args}) => {
  const client = maker.createClient({ baseUrl: setting.url + '/v2', token: setting.key, publicationId: setting.publicationId });
  const { data } = await client.subscriptions.create({ email: 'ada@example.com' });
  const error = await client.customFields.get({ id: 'field_none' }).catch((reason) => reason);
  return [data.email, error instanceof catcher.NotFoundError];
}`;
const made = '["ada@example.com",true]';
const imported = "import * as imported from '@newsletter-kit/core';";
const required = "const required = require('@newsletter-kit/core');";
const requireIn = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
const run = `const run = ${calls('maker, catcher, setting')};`;
const program = (head: string, maker: string, catcher: string): string => `${head}
  ${run}
  run(${maker}, ${catcher}, JSON.parse(process.env.SETTING)).then((made) => console.log(JSON.stringify(made)));`;
const both = imported + requireIn + required;

/** By the name of the file. */
const programs: Readonly<Record<string, string>> = {
  'import.mjs': program(imported, 'imported', 'imported'),
  'require.cjs': program(required, 'required', 'required'),
  'import-makes.mjs': program(both, 'imported', 'required'),
  'require-makes.mjs': program(both, 'required', 'imported'),
};

const typed = `import * as core from '@newsletter-kit/core';
const run: (maker: typeof core, catcher: typeof core, setting: Record<string, string>) => Promise<[unknown, boolean]> =
  ${calls('maker, catcher, setting')};
`;
const tested = `it('calls', async () => {
  const made = await run(core, core, JSON.parse(process.env.SETTING ?? ''));
  if (JSON.stringify(made) !== '${made}') throw new Error(JSON.stringify(made));
});
`;
const commonJs = '{ "private": true }';
const files: Readonly<Record<string, string>> = {
  ...programs,
  'jest/package.json': commonJs,
  'jest/require.test.js': `const core = require('@newsletter-kit/core');\n${run}\n${tested}`,
  'mocha/package.json': commonJs,
  'mocha/tsconfig.json':
    '{ "compilerOptions": { "module": "node16", "target": "es2022", "lib": ["es2022", "dom", "dom.iterable"], "types": ["node"], "strict": true } }',
  'mocha/calls.test.ts': `declare const it: (title: string, test: () => Promise<void>) => void;\n${typed}${tested}`,
  'worker/entry.mjs': `${imported}
    import { required } from './required.cjs';
    ${run}
    export default { async fetch(request) {
      const setting = await request.json();
      return Response.json([await run(imported, required, setting), await run(required, imported, setting)]);
    } };`,
  'worker/required.cjs': "exports.required = require('@newsletter-kit/core');",
};

let installed: Installation;
let runtimes: Runtimes;
let sandbox: ReturnType<typeof createSandbox>;
let server: ServerType;
let setting: string;
beforeAll(async () => {
  [installed, runtimes] = await Promise.all([
    installOnePacked('core', ...tools),
    bringRuntimes(),
    installLocked({ folder: others, title: 'Deno and Bun (200 MB)', needs: 'the npm registry' }),
  ]);
  for (const [path, code] of Object.entries(files)) {
    const file = join(installed.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
  }
  sandbox = createSandbox({ seed: 'demo' });
  server = serve({ fetch: (request) => sandbox.fetch(request), hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  setting = JSON.stringify({ url, ...sandboxAccount });
});
afterAll(async () => {
  server?.close();
  sandbox?.close();
  await Promise.all([installed?.remove(), runtimes?.remove()]);
});

/** @returns what it wrote to stdout, and to stderr */
async function runIn(folder: string, command: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: installed.folder, SETTING: setting, CI: 'true' };
  const { stdout, stderr } = await execute(command, args, { cwd: join(installed.folder, folder), env });
  return `${stdout}${stderr}`.trim();
}

const tool = (name: string): string => join(installed.folder, 'node_modules', '.bin', name);

/** The packages that bring Bun and Deno are those in which the relay is tested. */
const others = join(root, 'test/examples/runtimes');
const commands: Readonly<Record<string, () => readonly [command: string, ...args: string[]]>> = {
  'Node 22': () => [runtimes.nodes['22'], '--disable-warning=ExperimentalWarning'],
  'Node 24': () => [runtimes.nodes['24']],
  'Node 26': () => [runtimes.nodes['26']],
  Bun: () => [join(others, 'node_modules/.bin/bun'), 'run'],
  Deno: () => [join(others, 'node_modules/deno/deno'), 'run', '--allow-all', '--quiet'],
};

describe.each(Object.entries(commands))('on %s', (_, command) => {
  it.each(Object.keys(programs))('runs %s', async (file) => {
    expect(await runIn('.', ...command(), file)).toBe(made);
  });
});

describe('in the tools of tests', () => {
  it('Jest runs it as it comes', async () => {
    expect(await runIn('jest', tool('jest'))).toMatch(/^Tests: +1 passed, 1 total$/m);
  });

  it('Mocha runs it by ts-node', async () => {
    expect(
      await runIn('mocha', tool('mocha'), '--no-timeout', '--require', 'ts-node/register', 'calls.test.ts'),
    ).toContain('1 passing');
  });

  it('TypeScript takes its types from CommonJS under node16, also those of the package itself', async () => {
    expect(await runIn('mocha', tool('tsc'), '--noEmit', '--project', '.')).toBe('');
  });
});

it('esbuild bundles one copy of it for a Worker that imports and requires it', async () => {
  const folder = join(import.meta.dirname, 'workerd');
  await installLocked({ folder, title: "Cloudflare's runtime", needs: 'the npm registry' });
  const script = await runIn('worker', tool('esbuild'), 'entry.mjs', '--bundle', '--format=esm', '--log-level=error');
  expect(script.match(/class NotFoundError\b|NotFoundError = class/g)).toHaveLength(1);
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as {
    readonly Miniflare: new (options: object) => {
      dispatchFetch(url: string, init: RequestInit): Promise<Response>;
      dispose(): Promise<void>;
    };
  };
  const workerd = new Miniflare({ modules: true, script, compatibilityDate: '2026-07-01' });
  try {
    const response = await workerd.dispatchFetch('http://worker.test/', { method: 'POST', body: setting });
    expect(await response.text()).toBe(`[${made},${made}]`);
  } finally {
    await workerd.dispose();
  }
});

it('the client loads no other package, and no ky at all', async () => {
  const { stdout } = await installed.node(`
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createClient } = await import('@newsletter-kit/core');
    const client = createClient({ ...${JSON.stringify({ token: 'k', publicationId: 'pub_1' })}, baseUrl: 'http://api.test/v2', fetch: async () => Response.json({ data: {} }) });
    await client.subscriptions.create({ email: 'ada@example.com' });
    console.log(loaded.filter((url) => /node_modules.(?!@newsletter-kit)/.test(url)).map((url) => url.split('node_modules/').pop()).join());
  `);
  expect(stdout.trim()).toBe('is-network-error/index.js');
});
