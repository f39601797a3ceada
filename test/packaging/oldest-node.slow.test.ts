/** The built packages on the oldest Node of their `engines`. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, type RunningServer } from '../../scripts/launch.ts';
import { publishedPackages } from '../../scripts/pack.ts';
import { freePorts } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { plans, sandboxAccount, serverUrl, type ServerName } from '../../scripts/servers.ts';
import { loadBundle, type Bundle } from '../nodes/bundle.ts';
import { installPacked, type Installation } from './installed.ts';
import type { Found } from './oldest-node-n8n.ts';
import { bringNodes, type BroughtNodes } from './runtimes.ts';

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** `>=22.16` allows 22.16.0 and nothing older. */
function oldestNode(folder: string): string {
  const range = manifestOf(folder).engines?.node ?? '';
  const [, major, minor = '0', patch = '0'] = /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? [];
  if (major === undefined) throw new Error(`${folder}/package.json names no oldest Node: engines.node is "${range}".`);
  return `${major}.${minor}.${patch}`;
}

const oldest = Object.fromEntries(publishedPackages.map(({ name, path }) => [name, oldestNode(path)])) as Readonly<
  Record<(typeof publishedPackages)[number]['name'], string>
>;
const oldestForN8n = oldestNode('.');

let nodes: BroughtNodes;
let installed: Installation;
let sandbox: RunningServer;
let relay: RunningServer;
let bundle: Bundle;
/** The site whose posts the relay takes. */
let origin: string;
beforeAll(async () => {
  nodes = await bringNodes([...new Set([...Object.values(oldest), oldestForN8n])]);
  installed = await installPacked();
  bundle = await loadBundle();
  const ports = await freePorts();
  origin = serverUrl(ports.demo);
  const settings = { ports, relayStore: `sqlite:${join(installed.folder, 'relay.db')}` };
  const start = (name: ServerName & keyof typeof oldest): Promise<RunningServer> => {
    const file = join(installed.folder, 'node_modules/@newsletter-kit', name, 'dist/main.js');
    return launch(plans[name], settings, () => undefined, { node: nodes.node(oldest[name]), file });
  };
  sandbox = await start('sandbox');
  relay = await start('relay');
});
afterAll(async () => {
  await relay?.stop();
  await sandbox?.stop();
  await Promise.all([installed?.remove(), nodes?.remove()]);
});

/** The addresses of the subscriptions that the sandbox lists for an address. */
async function subscriptionsOf(email: string): Promise<unknown> {
  const response = await fetch(
    `${sandbox.url}/v2/publications/${sandboxAccount.publicationId}/subscriptions?email=${encodeURIComponent(email)}`,
    { headers: { authorization: `Bearer ${sandboxAccount.key}` } },
  );
  const { data } = (await response.json()) as { readonly data: readonly { readonly email: string }[] };
  return data.map((each) => each.email);
}

describe(`core on Node ${oldest.core}`, () => {
  it('loads every entry', async () => {
    const entries = Object.keys(manifestOf('packages/core').exports ?? {}).map(
      (path) => `@newsletter-kit/core${path.slice(1)}`,
    );
    const { stdout, stderr } = await installed.under(nodes.node(oldest.core)).node(`
      const loaded = [process.versions.node];
      for (const entry of ${JSON.stringify(entries)}) loaded.push(Object.keys(await import(entry)).length > 0 && entry);
      console.log(JSON.stringify(loaded));
    `);
    expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
    expect(JSON.parse(stdout)).toEqual([oldest.core, ...entries]);
  });

  it('calls the API', async () => {
    const { stdout, stderr } = await installed.under(nodes.node(oldest.core)).node(`
      import { createClient } from '@newsletter-kit/core';
      const client = createClient({
        baseUrl: '${sandbox.url}/v2',
        token: '${sandboxAccount.key}',
        publicationId: '${sandboxAccount.publicationId}',
      });
      const { data } = await client.subscriptions.create({ email: 'core@example.com' });
      console.log(data.email);
    `);
    expect(stderr).toBe('');
    expect(stdout.trim()).toBe('core@example.com');
  });
});

describe(`the sandbox on Node ${oldest.sandbox}`, () => {
  it('answers API requests', async () => {
    await expect(subscriptionsOf('nobody@example.com')).resolves.toEqual([]);
  });
});

describe(`the relay on Node ${oldest.relay}`, () => {
  it('accepts a signup and delivers it', async () => {
    const response = await fetch(`${relay.url}/signup`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'relay@example.com' }),
    });
    expect(response.status).toBe(202);
    await expect.poll(() => subscriptionsOf('relay@example.com')).toEqual(['relay@example.com']);
  });
});

describe(`the command newsletter on Node ${oldest.cli}`, () => {
  it('prints the key in use', async () => {
    const { code, stdout, stderr } = await installed.under(nodes.node(oldest.cli)).command('newsletter', ['whoami'], {
      HOME: installed.folder,
      NEWSLETTER_API_URL: `${sandbox.url}/v2`,
      NEWSLETTER_API_KEY: sandboxAccount.key,
      NEWSLETTER_PUBLICATION_ID: sandboxAccount.publicationId,
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain(`${sandboxAccount.publicationId} – accessible`);
  });
});

describe(`the widget on Node ${oldest.signup}`, () => {
  it('can be imported', async () => {
    const { stdout, stderr } = await installed.under(nodes.node(oldest.signup)).node(`
      import { NewsletterSignup } from '@newsletter-kit/signup';
      import '@newsletter-kit/signup/define';
      console.log(customElements.get('newsletter-signup') === NewsletterSignup);
    `);
    expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: 'true', stderr: '' });
  });
});

describe(`the n8n package on Node ${oldestForN8n}`, () => {
  it('loads every file, runs an operation, polls and receives a signup', async () => {
    const { folder } = bundle;
    const files = globSync('**/*.js', { cwd: folder });
    expect(files.length).toBeGreaterThan(0);
    // Beside the build, of which the n8n package is packed.
    const program = await buildProgram(join(root, '.cache', 'oldest-node'));
    const { stdout } = await promisify(execFile)(nodes.node(oldestForN8n), [
      program,
      folder,
      sandbox.url,
      'n8n@example.com',
      ...files,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      node: oldestForN8n,
      created: 'n8n@example.com',
      polled: ['n8n@example.com'],
      signup: { status: 202, started: ['n8n@example.com'], logged: [] },
    } satisfies Found);
  });
});

/** Bundles the program that older Nodes, which read no TypeScript, can run. */
async function buildProgram(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'root-of-the-repository',
        enforce: 'pre',
        load: (id) => (id.endsWith('/scripts/root.ts') ? `export const root = ${JSON.stringify(root)};` : null),
      },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: join(root, 'test/packaging/oldest-node-n8n.ts'),
      outDir: folder,
      target: `node${oldestForN8n}`,
      rolldownOptions: {
        external: ['vite'],
        treeshake: { moduleSideEffects: 'no-external' },
        output: { entryFileNames: 'program.mjs' },
      },
    },
  });
  return join(folder, 'program.mjs');
}
