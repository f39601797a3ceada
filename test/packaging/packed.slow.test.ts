/** The packages as installed from the registry: built files that run without the sources. */
import { globSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedPackages } from '../../scripts/pack.ts';
import { installPacked, type Installation } from './installed.ts';

let installed: Installation;
beforeAll(async () => {
  installed = await installPacked();
});
afterAll(() => installed?.remove());

/** Every public entry of the packages that run in Node, with something it must export. */
const entries = {
  '@newsletter-kit/core': 'createClient',
  '@newsletter-kit/core/contract': 'operations',
  '@newsletter-kit/core/schema': 'subscriptionRequest',
  '@newsletter-kit/core/engine': 'createEngine',
  '@newsletter-kit/core/oauth': 'scopesFor',
  '@newsletter-kit/core/node': 'createFileTokenStore',
  '@newsletter-kit/core/durable-file': 'lockExclusively',
  '@newsletter-kit/core/signup': 'readAttribution',
  '@newsletter-kit/core/endpoint': 'readSubmission',
  '@newsletter-kit/core/facts': 'getsMail',
  '@newsletter-kit/sandbox': 'createSandbox',
  '@newsletter-kit/relay': 'createRelay',
  '@newsletter-kit/signup': 'NewsletterSignup',
} as const;

describe('the installed packages', () => {
  it.each(Object.entries(entries))('%s exports %s', async (entry, name) => {
    const { code, stdout, stderr } = await installed.node(`
      const entry = await import(${JSON.stringify(entry)});
      console.log(typeof entry[${JSON.stringify(name)}], import.meta.resolve(${JSON.stringify(entry)}));
    `);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(function|object) .*\/dist\//);
  });

  it.each(['source', '@newsletter-kit/source', 'development', 'browser', 'worker', 'require'])(
    'resolve to the same files under the condition %s',
    async (condition) => {
      const program = `console.log(${JSON.stringify(Object.keys(entries))}.map((entry) => import.meta.resolve(entry)).join())`;
      const plain = await installed.node(program);
      const conditional = await installed.node(program, ['--conditions', condition]);
      expect(conditional).toEqual(plain);
    },
  );

  it('contain every entry of their manifests with its types', async () => {
    const scope = join(installed.folder, 'node_modules', '@newsletter-kit');
    const missing: string[] = [];
    for (const name of await readdir(scope)) {
      const manifest: unknown = JSON.parse(await readFile(join(scope, name, 'package.json'), 'utf8'));
      const {
        exports,
        imports = {},
        bin = {},
      } = manifest as {
        exports: Record<string, string | Record<string, string>>;
        imports?: Record<string, string | Record<string, string>>;
        bin?: Record<string, string>;
      };
      const targets = Object.values({ ...exports, ...imports }).flatMap((target) =>
        typeof target === 'string' ? [target] : Object.values(target),
      );
      for (const path of [...targets, ...Object.values(bin)]) {
        // A pattern announces every file it matches, and promises one at least.
        if (globSync(path, { cwd: join(scope, name) }).length === 0) missing.push(`${name}: ${path}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it.each(['@newsletter-kit/core', '@newsletter-kit/core/engine'])(
    '%s loads no dependency when imported',
    async (entry) => {
      const { stdout } = await installed.node(`
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import(${JSON.stringify(entry)});
      console.log(loaded.length > 0, loaded.filter((url) => /node_modules.(zod|ky|oauth4webapi|csv-parse)./.test(url)).join());
    `);
      expect(stdout.trim()).toBe('true');
    },
  );

  it('check calls with one file that contains zod and its licence, also beside the package zod', async () => {
    const { stdout, stderr } = await installed.node(`
      import { registerHooks } from 'node:module';
      import { createClient, InvalidRequestError } from '@newsletter-kit/core';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const found = [];
      const client = createClient({
        baseUrl: 'http://api.test/v2',
        token: 'key',
        publicationId: 'pub_1',
        fetch: async () => Response.json({ data: { id: 'sub_1', email: 'ada@example.com', status: 7, created: 1 } }),
        onDeviation: ({ field }) => found.push(field),
      });
      const { create } = client.subscriptions;
      await create({ email: 'ada@example.com' });
      const refused = await create({ email: 'nobody' }).catch((error) => error instanceof InvalidRequestError);
      const files = loaded.filter((url) => /zod|schema/.test(url)).map((url) => url.split('/core/')[1]);
      const { schemas, tolerant } = await import('@newsletter-kit/core/schema');
      const { error } = tolerant(schemas['authors.get'].answer).safeParse({ data: { id: 7 } });
      await create({ email: 'ada@example.com' });
      console.log(JSON.stringify({ found, refused, files, other: error.issues[0].path }));
    `);
    expect(stderr).toBe('');
    const file = 'dist/schema/validator.js';
    expect(JSON.parse(stdout)).toEqual({ found: ['data.status'], refused: true, files: [file], other: ['data', 'id'] });
    const text = await readFile(join(installed.folder, 'node_modules/@newsletter-kit/core', file), 'utf8');
    expect(text).toContain('Copyright (c) 2025 Colin McDonnell');
  });

  it('contain source maps only with their sources, and no reference to a missing one', async () => {
    const scope = join(installed.folder, 'node_modules', '@newsletter-kit');
    const files = (await readdir(scope, { recursive: true })).filter((path) => !path.includes('node_modules'));
    const problems: string[] = [];
    for (const path of files.filter((each) => each.endsWith('.map'))) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(join(scope, path), 'utf8')) as {
        sources: string[];
        sourcesContent?: (string | null)[];
      };
      for (const [index, source] of sources.entries())
        if (!sourcesContent[index] && !files.includes(join(path, '..', source))) problems.push(`${path}: ${source}`);
    }
    for (const path of files.filter((each) => /\.(js|mjs|cjs|d\.ts)$/.test(each))) {
      const [, map] =
        /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(await readFile(join(scope, path), 'utf8')) ?? [];
      if (map !== undefined && !files.includes(join(path, '..', map))) problems.push(`${path}: ${map}`);
    }
    expect(problems).toEqual([]);
  });

  it('name no package of the scope that is not published', async () => {
    const scope = join(installed.folder, 'node_modules', '@newsletter-kit');
    const published = new Set(publishedPackages.map(({ name }) => `@newsletter-kit/${name}`));
    const files = (await readdir(scope, { recursive: true })).filter(
      (path) => !path.includes('node_modules') && /(\.js|\.d\.ts|package\.json)$/.test(path),
    );
    const problems: string[] = [];
    for (const path of files) {
      const manifest = path.endsWith('package.json');
      const text = await readFile(join(scope, path), 'utf8');
      // What npm installs, and what code and declarations import; a manifest keeps its devDependencies.
      const names = manifest
        ? Object.keys((JSON.parse(text) as { dependencies?: object }).dependencies ?? {})
        : [...text.matchAll(/\b(?:from|import)\s*\(?\s*["'](@newsletter-kit\/[\w-]+)/g)].map(([, name = '']) => name);
      for (const name of names)
        if (name.startsWith('@newsletter-kit/') && !published.has(name)) problems.push(`${path}: ${name}`);
    }
    expect(files.filter((path) => path.endsWith('command-line/index.d.ts'))).toHaveLength(3);
    expect(problems).toEqual([]);
  });

  it('contain neither sources nor tests', async () => {
    const scope = join(installed.folder, 'node_modules', '@newsletter-kit');
    const strays = (await readdir(scope, { recursive: true })).filter(
      (path) => !path.includes('node_modules') && (/(^|\/)(src|test)(\/|$)/.test(path) || /(?<!\.d)\.ts$/.test(path)),
    );
    expect(strays).toEqual([]);
  });

  it('provide a client and a sandbox that work together', async () => {
    const { stdout, stderr } = await installed.node(`
      import { createClient } from '@newsletter-kit/core';
      import { createSandbox } from '@newsletter-kit/sandbox';
      const sandbox = createSandbox();
      const client = createClient({
        baseUrl: 'http://sandbox.test/v2',
        token: 'sandbox-key',
        publicationId: 'pub_00000000-0000-4000-8000-000000000001',
        fetch: sandbox.fetch,
      });
      await client.subscriptions.create({ email: 'ada+packed@example.com', utm_source: 'tarball' });
      const { items } = await client.subscriptions.list({ email: 'ADA+packed@example.com' });
      console.log(JSON.stringify(items.map(({ email, utm_source }) => [email, utm_source])));
      sandbox.close();
    `);
    expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
    expect(stdout.trim()).toBe('[["ada+packed@example.com","tarball"]]');
  });
});

describe('the installed commands', () => {
  it.each([
    ['newsletter-sandbox', '--port'],
    ['newsletter-relay', 'NEWSLETTER_API_URL'],
    ['newsletter', 'export'],
  ])('%s says how it is used', async (name, word) => {
    const { code, stdout, stderr } = await installed.command(name, ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(word);
  });

  it('newsletter-relay lists missing settings and fails', async () => {
    const { code, stderr } = await installed.command('newsletter-relay', ['serve']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('NEWSLETTER_API_KEY is missing');
    expect(stderr).not.toContain('    at ');
  });

  it('newsletter-sandbox refuses an invalid port', async () => {
    const { code, stderr } = await installed.command('newsletter-sandbox', ['--port', 'harbour']);
    expect(code).not.toBe(0);
    expect(stderr).toContain("argument 'harbour' is invalid");
  });
});
