/** The page of supported versions: it names what the manifests require and what the workflows test. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/root.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/src/content/docs/support.md');

/** The cells of the row that begins with these words. */
function row(title: string): { readonly supported: string; readonly tested: readonly string[] } {
  const line = page.split('\n').find((each) => each.startsWith(`| ${title} |`));
  const [, , supported = '', tested = ''] = line?.split('|').map((cell) => cell.trim()) ?? [];
  return { supported, tested: tested.split(', ') };
}

interface Job {
  readonly container?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
}

/** A job of a workflow. */
function job(workflow: string, name: string): Job {
  const { jobs } = parse(read(`.github/workflows/${workflow}`)) as { readonly jobs: Readonly<Record<string, Job>> };
  const found = jobs[name];
  if (!found) throw new Error(`${workflow} has no job ${name}.`);
  return found;
}

const matrix = (workflow: string, name: string, key: string): string[] =>
  (job(workflow, name).strategy?.matrix[key] ?? []).map(String);

const manifest = (
  path: string,
): { readonly engines: { readonly node: string }; readonly dependencies: Readonly<Record<string, string>> } =>
  JSON.parse(read(`${path}/package.json`)) as ReturnType<typeof manifest>;
const oldestNode = (path: string): string => manifest(path).engines.node.replace('>=', '');

it('a clone is tested by a newcomer with each of its Node versions', () => {
  const [, container = ''] = /^node:(\d+)-/.exec(job('ci.yml', 'decide').container ?? '') ?? [];
  const nightly = matrix('everything.yml', 'newcomer', 'node').map((version) => version.split('.')[0]);
  expect(row('Node, for the commands in a clone')).toEqual({
    supported: `${oldestNode('.')} or newer`,
    tested: [container, ...nightly],
  });
});

it.each([
  ['Node, for core, sandbox, relay and command line', 'packages/core'],
  ['Node, for core, sandbox, relay and command line', 'packages/sandbox'],
  ['Node, for core, sandbox, relay and command line', 'packages/relay'],
  ['Node, for core, sandbox, relay and command line', 'packages/cli'],
  ['Node, for the tag on a server', 'widget'],
])('%s: as in the manifest of %s and in the matrix', (title, path) => {
  expect(row(title)).toEqual({
    supported: `${oldestNode(path)} or newer`,
    tested: matrix('ci.yml', 'portable', 'node'),
  });
});

it('operating systems are those of the matrix', () => {
  const systems = matrix('ci.yml', 'portable', 'os').map((name) => name.replace('-latest', ''));
  expect(row('Operating system').tested).toEqual(systems);
});

it('n8n is tested in its oldest and its newest supported version', () => {
  const [oldest, newest] = ['test/n8n/host-oldest', 'test/n8n/host'].map((path) => manifest(path).dependencies.n8n);
  expect(row('n8n').tested).toEqual([oldest, newest]);
  expect(oldest).toMatch(new RegExp(`^${row('n8n').supported.replace(' or newer', '')}\\.`));
  expect(job('everything.yml', 'oldest-n8n').container).toMatch(/^node:20-/);
  expect(matrix('everything.yml', 'part', 'part')).toEqual(expect.arrayContaining(['n8n', 'engines']));
});

it('browsers are the engines of the tests', () => {
  const engines = [...read('test/support/browsers/engines.ts').matchAll(/title: '(\w+)'/g)].map(([, title]) => title);
  expect(row('Browser').tested).toEqual(engines);
});

it('PostgreSQL is tested in each version of the matrix', () => {
  const versions = matrix('ci.yml', 'postgres', 'postgres');
  expect(row('PostgreSQL')).toEqual({ supported: `${versions[0]} or newer`, tested: versions });
});

it.each([
  ['Deno, for the relay with PostgreSQL', 'deno'],
  ['Bun, for the relay with PostgreSQL', 'bun'],
  ['SvelteKit, for the relay with PostgreSQL', '@sveltejs/kit'],
])('%s is tested in the installed version', (title, name) => {
  const { catalog } = parse(read('pnpm-workspace.yaml')) as { readonly catalog: Readonly<Record<string, string>> };
  const version = { ...catalog, ...manifest('test/examples/runtimes').dependencies }[name] ?? '';
  expect(row(title)).toEqual({ supported: version.replace(/\.\d+$/, ' or newer'), tested: [version] });
});

it('Cloudflare Workers are tested in the installed workerd, with the compatibility date of the deployment', () => {
  const { version } = createRequire(import.meta.resolve('miniflare'))('workerd/package.json') as {
    readonly version: string;
  };
  const [, date = ''] =
    /"compatibility_date": "([\d-]+)"/.exec(read('packages/relay/deploy/worker/wrangler.jsonc')) ?? [];
  expect(read('scripts/workerd.ts')).toContain(`compatibilityDate: '${date}'`);
  expect(row('Cloudflare Workers, for the relay')).toEqual({
    supported: `compatibility date ${date}`,
    tested: [`workerd ${version}`],
  });
});
