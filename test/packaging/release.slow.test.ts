/** The steps of `npm run release` in a clone: the commit of a version, and the files that npm and the release get. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run, runCaptured, type Ended } from '../../scripts/command.ts';
import { git } from '../../scripts/git.ts';
import { publishedNames, publishedPackages } from '../../scripts/pack.ts';
import { releaseOf } from '../../scripts/release.ts';
import { root } from '../../scripts/root.ts';
import { zipFolder } from '../../scripts/script-zip.ts';
import { chunks } from '../../widget/vite.config.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { pagePath } from '../support/documentation.ts';
import { starter } from '../scripts/starter.ts';

let folder: string;
let clone: string;
const page = pagePath('website/csp');

async function task(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const started = starter(args, {}, clone);
  const code = await started.ended;
  return { code, output: started.output() };
}

const changed = (): string[] => git(['status', '--porcelain'], clone).split('\n').filter(Boolean);
function commit(subject: string): void {
  git(['add', '--all'], clone);
  git(['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', subject], clone);
}

/** The files of the release, by name. */
const files = new Map<string, Uint8Array>();
const text = (name: string): string => new TextDecoder().decode(files.get(name));
const json = <T>(name: string): T => JSON.parse(text(name)) as T;
const version = '0.2.0';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newsletter-release-'));
  clone = join(folder, 'clone');
  git(['clone', '--quiet', root, clone]);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const session = useBrowser();

describe('a change of the script', () => {
  it('changes no other file of git when it is built', async () => {
    await appendFile(join(clone, 'widget', 'src', 'auto.ts'), 'console.log();\n');
    const { code, output } = await task('build');
    expect(code, output).toBe(0);
    expect(changed()).toEqual([' M widget/src/auto.ts']);
  }, 600_000);

  it('asks for a changeset, and a change of tests, documents and tooling for none', async () => {
    const [before = ''] = git(['rev-parse', 'HEAD'], clone).split('\n');
    const changeset = join(clone, 'node_modules', '.bin', 'changeset');
    const status = (): Promise<Ended> => runCaptured(changeset, ['status', `--since=${before}`], { cwd: clone });
    git(['stash', '--quiet'], clone);
    for (const file of ['README.md', 'packages/core/test/client.test.ts', 'scripts/build.ts', 'nodes/README.md'])
      await appendFile(join(clone, file), '\n');
    commit('Change tests, documents and tooling');
    expect(await status()).toMatchObject({ ok: true });
    git(['stash', 'pop', '--quiet'], clone);
    commit('Change the script');
    expect(await status()).toMatchObject({ ok: false, output: expect.stringContaining('no changesets were found') });
    const text = "---\n'@newsletter-kit/signup': minor\n---\n\nThe form greets.\n";
    await writeFile(join(clone, '.changeset', 'greeting.md'), text);
    commit('Describe the change');
    expect(await status()).toMatchObject({ ok: true });
  });
});

describe('npm run release', () => {
  it('version raises all versions and lets the page name the script of the new one', async () => {
    const { code, output } = await task('release', 'version');
    expect(code, output).toBe(0);
    const folders = ['', ...publishedPackages.map(({ path }) => `${path}/`)];
    expect(changed().map((line) => line.slice(3))).toEqual(
      [
        '.changeset/greeting.md',
        page,
        ...folders.flatMap((each) => [`${each}CHANGELOG.md`, `${each}package.json`]),
      ].toSorted(),
    );
    const hashes = JSON.parse(await readFile(join(clone, 'widget/dist/integrity.json'), 'utf8')) as Record<
      string,
      string
    >;
    expect(releaseOf(await readFile(join(clone, page), 'utf8'))).toEqual({
      version,
      hash: hashes['signup-form.js'],
    });
    commit(`Release ${version}`);
  }, 600_000);

  it('files refuses a tag of another version', async () => {
    const { code, output } = await task('release', 'files', join(folder, 'none'), '--tag', 'v9.9.9');
    expect(code).toBe(1);
    expect(output).toContain(`✗ The tag is v9.9.9, and the version ${version}.`);
  }, 600_000);

  it('files makes the same script again, and leaves the tree clean', async () => {
    const made = join(folder, 'release');
    const { code, output } = await task('release', 'files', made, '--tag', `v${version}`);
    expect(code, output).toBe(0);
    expect(changed()).toEqual([]);
    for (const name of await readdir(made)) files.set(name, await readFile(join(made, name)));
  }, 600_000);

  it('files refuses a script that is not the one on the page', async () => {
    const text = await readFile(join(clone, page), 'utf8');
    await writeFile(join(clone, page), text.replace(releaseOf(text)?.hash ?? '', `sha384-${'A'.repeat(64)}`));
    const { code, output } = await task('release', 'files', join(folder, 'none'), '--tag', `v${version}`);
    expect(code).toBe(1);
    expect(output).toMatch(/✗ docs\/src\S+csp\.md names version 0\.2\.0 with sha384-\S+ and built was 0\.2\.0 with/);
  }, 600_000);
});

describe('the files of a release', () => {
  const archives = publishedNames.map((name) => name.replace('@', '').replace('/', '-'));

  it('are the tarball and the components of each package, the script, and the hashes', () => {
    expect([...files.keys()].toSorted()).toEqual(
      [
        'SHA256SUMS',
        'integrity.json',
        `signup-form-${version}.zip`,
        `signup-form-wordpress-${version}.zip`,
        ...archives.flatMap((name) => [`${name}-${version}.tgz`, `${name}-${version}.cdx.json`]),
      ].toSorted(),
    );
  });

  it('stand in SHA256SUMS', () => {
    const sums = [...files]
      .filter(([name]) => name !== 'SHA256SUMS')
      .map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}`);
    expect(text('SHA256SUMS').trim().split('\n').toSorted()).toEqual(sums.toSorted());
  });

  describe.each(archives)('the tarball of %s', (name) => {
    let unpacked: string;
    let manifest: Record<string, unknown> & { readonly dependencies?: Record<string, string> };
    beforeAll(async () => {
      unpacked = join(folder, name);
      await mkdir(unpacked);
      expect(await run('tar', ['xzf', join(folder, 'release', `${name}-${version}.tgz`), '-C', unpacked])).toBe(true);
      manifest = JSON.parse(await readFile(join(unpacked, 'package', 'package.json'), 'utf8')) as typeof manifest;
    });

    it('bundles nothing and depends on published versions', async () => {
      expect(manifest).toMatchObject({ version });
      expect(manifest).not.toHaveProperty('bundleDependencies');
      expect(await readdir(join(unpacked, 'package'))).not.toContain('node_modules');
      for (const range of Object.values(manifest.dependencies ?? {})) expect(range).toMatch(/^\d+\.\d+\.\d+/);
    });

    it('has its production dependencies among its components', () => {
      const sbom = json<{
        readonly bomFormat: string;
        readonly metadata: { readonly component: { readonly purl: string } };
        readonly components: readonly { readonly purl: string }[];
      }>(`${name}-${version}.cdx.json`);
      expect(sbom.bomFormat).toBe('CycloneDX');
      const purl = (packageName: string, of: string): string => `pkg:npm/${packageName.replace('@', '%40')}@${of}`;
      expect(sbom.metadata.component.purl).toBe(purl(String(manifest['name']), version));
      expect(sbom.components.map((component) => component.purl)).toEqual(
        expect.arrayContaining(Object.entries(manifest.dependencies ?? {}).map(([each, of]) => purl(each, of))),
      );
    });
  });

  it('the n8n package names core, which it contains', () => {
    const { components } = json<{ components: { name: string }[] }>(`n8n-nodes-newsletter-kit-${version}.cdx.json`);
    expect(components).toMatchObject([{ type: 'library', version, purl: `pkg:npm/%40newsletter-kit/core@${version}` }]);
  });

  it('the zip works on a website, with every part and language', async () => {
    const zip = Object.entries(unzipSync(files.get(`signup-form-${version}.zip`) ?? new Uint8Array()));
    const unzipped = Object.fromEntries(zip.map(([path, content]) => [path.replace(`${zipFolder}/`, ''), content]));
    const hashes = json<Record<string, string>>('integrity.json');
    expect(Object.keys(unzipped)).toEqual(expect.arrayContaining(chunks.map((name) => `${name}.js`)));
    for (const [name, hash] of Object.entries(hashes))
      expect(
        `sha384-${createHash('sha384')
          .update(unzipped[name] ?? '')
          .digest('base64')}`,
        name,
      ).toBe(hash);

    const requests: string[] = [];
    const server = createServer((request, response) => {
      const path = (request.url ?? '').slice(1);
      requests.push(`${request.method} ${path} ${path in unzipped ? 200 : 404}`);
      if (path === '')
        return void response.setHeader('content-type', 'text/html; charset=utf-8').end(
          `<!doctype html><html lang="de"><title>Zip</title><newsletter-signup endpoint="/signup"></newsletter-signup>
           <script async src="/signup-form.js" integrity="${hashes['signup-form.js']}"></script>
           <script async src="/languages/de.js"></script>`,
        );
      if (request.method === 'POST')
        return void response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
      const content = unzipped[path];
      response.writeHead(content ? 200 : 404, { 'content-type': 'text/javascript' }).end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { page: visitor } = await session.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const input = await visitor.waitForSelector('newsletter-signup >>> #email');
    await input?.type('ada@example.com');
    const posted = visitor.waitForRequest((request) => request.method() === 'POST');
    await input?.press('Enter');
    await posted;
    expect(requests).toEqual(expect.arrayContaining(['GET languages/de.js 200', 'GET signup.js 200']));
    expect(requests.filter((line) => /^GET \S+\.js 404$/.test(line))).toEqual([]);
  });
});
