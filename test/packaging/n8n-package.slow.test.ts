/** The n8n package as it is published: its files, and that it loads with n8n alone. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { packInto } from '../../scripts/n8n/pack.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly n8n: { readonly nodes: readonly string[]; readonly credentials: readonly string[] };
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
  readonly dependencies?: unknown;
  readonly peerDependencies?: unknown;
}

let folder: string;
let manifest: Manifest;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-n8n-package-'));
  await packInto(folder);
  manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const files = (pattern: string): string[] => globSync(pattern, { cwd: folder }).toSorted();
/** What several entries need stands in files of its own. */
const shared = [
  'dist/nodes/Newsletter/bulk.js',
  'dist/nodes/Newsletter/shared.js',
  'dist/nodes/Newsletter/subscriptions.js',
  'dist/nodes/core-contract.js',
  'dist/nodes/core-engine.js',
  'dist/nodes/core-errors.js',
  'dist/nodes/core-import.js',
  'dist/nodes/core-report.js',
  'dist/nodes/core-signup.js',
  'dist/nodes/core-sync-answer.js',
  'dist/nodes/core-sync-pair.js',
  'dist/nodes/core-sync.js',
  'dist/nodes/core-watch.js',
  'dist/nodes/core.js',
];
const entries = (): readonly string[] => [...manifest.n8n.nodes, ...manifest.n8n.credentials];

describe('the packed n8n package', () => {
  it('contains only dist, the manifest, README, LICENSE and CHANGELOG', () => {
    const top = new Set(globSync('**/*', { cwd: folder }).map((path) => path.split('/')[0]));
    expect([...top].toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('has the README of the nodes instead of the one of the project', async () => {
    const readme = await readFile(join(folder, 'README.md'), 'utf8');
    expect(readme).toBe(await readFile(join(root, 'nodes', 'README.md'), 'utf8'));
    // What n8n's template for community nodes asks for.
    const sections = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual([
      'Installation',
      'Operations',
      'Credentials',
      'Compatibility',
      'Usage',
      'Resources',
      'Version history',
    ]);
    expect(readme).toContain(`**${manifest.version}**`);
    // npm shows it without the repository around it.
    expect(readme).not.toMatch(/\]\((?!https:|#)/);
  });

  it('has each entry once with icons and codex, the shared files, and no other JavaScript', () => {
    expect(files('**/*.js')).toEqual([...entries(), ...shared].toSorted());
    expect(files('dist/nodes/**/*.node.json')).toEqual(
      manifest.n8n.nodes.map((path) => path.replace(/\.js$/, '.json')).toSorted(),
    );
    expect(files('**/*.svg')).toEqual([
      'dist/nodes/Newsletter/newsletter.dark.svg',
      'dist/nodes/Newsletter/newsletter.svg',
    ]);
  });

  it('names its nodes in the codex files by their types in n8n', async () => {
    for (const path of manifest.n8n.nodes) {
      const codex = JSON.parse(await readFile(join(folder, path.replace(/\.js$/, '.json')), 'utf8')) as {
        node: string;
      };
      const { description } = load(path) as { description: { name: string } };
      expect(codex.node).toBe(`${manifest.name}.${description.name}`);
    }
  });

  it('has no dependencies and no install scripts', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
    expect(manifest.devDependencies).toBeUndefined();
    expect(manifest.scripts).toBeUndefined();
  });

  it('has 160 kB at most as an archive', () => {
    expect(execFileSync('tar', ['cz', '-C', folder, '.']).length).toBeLessThanOrEqual(160_000);
  });

  it('has no file above 60 kB', () => {
    const large = files('**/*.js').filter((path) => statSync(join(folder, path)).size > 60_000);
    expect(large).toEqual([]);
  });

  it('does not contain the notes of the contract', async () => {
    for (const path of shared) expect(await readFile(join(folder, path), 'utf8')).not.toMatch(/is not shown|assumed/);
  });

  it('requires only n8n-workflow and its own files', async () => {
    const required = new Set<string>();
    for (const path of files('**/*.js')) {
      const code = await readFile(join(folder, path), 'utf8');
      for (const [, name = ''] of code.matchAll(/\b(?:require|import)\s*\(\s*["'`]([^"'`]*)["'`]/g))
        required.add(name.startsWith('.') ? join(dirname(path), name) : name);
      expect(code).not.toMatch(/^\s*(import|export)\s/m);
    }
    expect([...required].toSorted()).toEqual([...shared, 'n8n-workflow']);
  });

  it('uses no global that the verification of n8n forbids', async () => {
    const forbidden =
      /\bglobalThis\b|\b(?:set|clear)(?:Timeout|Interval|Immediate)\b|\b(?:process|console|global)\s*[.[]|\b__(?:dirname|filename)\b|\beval\s*\(/g;
    for (const path of files('**/*.js')) {
      const code = await readFile(join(folder, path), 'utf8');
      expect([path, ...code.matchAll(forbidden)].map(String)).toEqual([path]);
    }
  });

  it('loads each entry as n8n does, with n8n-workflow as the only available module', () => {
    for (const path of entries()) {
      expect(load(path)).toMatchObject(
        path.includes('credentials')
          ? { name: expect.stringMatching(/^newsletter\w*Api$/) }
          : { description: { version: 1 } },
      );
    }
  });
});

/** n8n makes the class in a context of its own, by the file's name before the first dot. */
function load(path: string): unknown {
  const exported = exportsOf(path) as Record<string, new () => unknown>;
  const Class = exported[basename(path).split('.')[0] ?? ''];
  if (!Class) throw new Error(`${path} exports no class of its name.`);
  return new Class();
}

function exportsOf(path: string): unknown {
  const workflow = createRequire(join(root, 'package.json'));
  const reach = (name: string): unknown => {
    if (name === 'n8n-workflow') return workflow(name);
    if (name.startsWith('.')) return exportsOf(join(dirname(path), name));
    throw new Error(`${path} requires ${name}, which is not there in n8n.`);
  };
  const exported = {};
  const code = readFileSync(join(folder, path), 'utf8');
  const run = runInNewContext(`(function (require, exports) {${code}\n})`) as (
    require: typeof reach,
    exports: object,
  ) => void;
  run(reach, exported);
  return exported;
}
