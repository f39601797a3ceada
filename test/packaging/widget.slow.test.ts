/**
 * The installed tag: bundled by Vite and esbuild, loaded with an import map, and rendered on a server.
 * `frameworks.slow.test.ts` has the apps in frameworks.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEndpoint } from '../../widget/test/endpoint.ts';
import { readmeAndPages } from '../support/documentation.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { openSite, type Site } from '../widget/site.ts';
import { installPacked, type Installation } from './installed.ts';

/** What a site has besides the package, exact as everything the project uses. */
const others = ['esbuild@0.28.2'];

let installed: Installation;
let site: Site;
let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
const session = useBrowser();
beforeAll(async () => {
  installed = await installPacked();
  await promisify(execFile)(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--save-exact', ...others],
    { cwd: installed.folder },
  );
  [site, endpoint] = await Promise.all([openSite(), startEndpoint()]);
});
afterAll(async () => {
  await Promise.all([site?.close(), endpoint?.stop(), installed?.remove()]);
});

const inFolder = (path: string): string => join(installed.folder, path);

async function byVite(code: string): Promise<string> {
  await writeFile(inFolder('vite-entry.js'), code);
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: installed.folder,
    build: {
      write: false,
      lib: { entry: inFolder('vite-entry.js'), formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('Vite built nothing.');
  return output.output[0].code;
}

async function byEsbuild(code: string): Promise<string> {
  await writeFile(inFolder('esbuild-entry.js'), code);
  const { code: exit, stderr } = await installed.command('esbuild', [
    'esbuild-entry.js',
    '--bundle',
    '--format=esm',
    '--outfile=esbuild-out.js',
  ]);
  if (exit !== 0) throw new Error(stderr);
  return readFile(inFolder('esbuild-out.js'), 'utf8');
}

/**
 * Every module of the package and of Lit by its own address, and a map that names them, as a page without a bundler has
 * it.
 */
async function byImportMap(): Promise<string> {
  const { stdout } = await installed.node(`
    import { glob, readFile } from 'node:fs/promises';
    const files = {};
    for await (const file of glob('node_modules/{lit,lit-html,lit-element,@lit/reactive-element,@newsletter-kit/signup/dist}/**/*.js', { exclude: (path) => /\\/(node|development)(\\/|$)/.test(path) })) files['/' + file] = await readFile(file, 'utf8');
    process.stdout.write(JSON.stringify(files));
  `);
  for (const [path, code] of Object.entries(JSON.parse(stdout) as Record<string, string>)) site.script(path, code);
  const imports = {
    lit: '/node_modules/lit/index.js',
    'lit/': '/node_modules/lit/',
    'lit-html': '/node_modules/lit-html/lit-html.js',
    'lit-html/': '/node_modules/lit-html/',
    'lit-element/': '/node_modules/lit-element/',
    '@lit/reactive-element': '/node_modules/@lit/reactive-element/reactive-element.js',
    '@lit/reactive-element/': '/node_modules/@lit/reactive-element/',
    '@newsletter-kit/signup/define': '/node_modules/@newsletter-kit/signup/dist/define.js',
  };
  return `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module">import '@newsletter-kit/signup/define';</script>`;
}

const ways: Readonly<Record<string, () => Promise<string>>> = {
  Vite: async () => scripted('/by-vite.js', await byVite(`import '@newsletter-kit/signup/define';`)),
  esbuild: async () => scripted('/by-esbuild.js', await byEsbuild(`import '@newsletter-kit/signup/define';`)),
  'an import map': byImportMap,
};

function scripted(path: string, code: string): string {
  site.script(path, code);
  return `<script type="module" src="${path}"></script>`;
}

/**
 * Opens a page with this markup, types an address and sends the form; gives what the endpoint received, and what the
 * page complained of.
 */
async function signUp(box: string, markup: string): Promise<{ bodies: unknown[]; complaints: string[] }> {
  const page = await session.browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(
    site.page(`/${box}`, {
      html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title>${markup}</html>`,
    }),
  );
  const input = await page.waitForSelector('newsletter-signup >>> input[name=email]', { visible: true });
  await input?.type('ada@example.com');
  await page.click('newsletter-signup >>> button');
  await page.waitForSelector('newsletter-signup:state(success)');
  await page.close();
  const received = await fetch(`${endpoint.origin}/received/${box}`).then(
    (response) => response.json() as Promise<{ body: string }[]>,
  );
  return { bodies: received.map(({ body }): unknown => JSON.parse(body)), complaints };
}

describe('the installed tag', () => {
  it.each(Object.entries(ways))('signs up when loaded by %s', async (name, bring) => {
    const box = name.replaceAll(' ', '-');
    const tag = `<newsletter-signup endpoint="${endpoint.origin}/signup/${box}/accepted"></newsletter-signup>`;
    expect(await signUp(box, `${await bring()}${tag}`)).toMatchObject({
      bodies: [{ email: 'ada@example.com' }],
      complaints: [],
    });
  });

  it.each([
    '@newsletter-kit/signup',
    '@newsletter-kit/signup/define',
    '@newsletter-kit/signup/react',
    '@newsletter-kit/signup/languages/de',
  ])('can be imported on a server: %s', async (entry) => {
    const { code, stderr } = await installed.node(`await import(${JSON.stringify(entry)});`);
    expect({ code, stderr: stderr.replace(/^.*(dev mode|lit\.dev).*$/gm, '').trim() }).toEqual({ code: 0, stderr: '' });
  });

  describe('the installed tag, used as documented', () => {
    const snippet = (word: string): string => {
      const documentation = readmeAndPages('widget/README.md', 'website');
      const found = Array.from(documentation.matchAll(/```\w+\n([\s\S]*?)```/g), ([, code = '']) => code).filter(
        (code) => code.includes(word),
      );
      expect(found, word).toHaveLength(1);
      return found[0] ?? '';
    };

    it('refers VS Code to its custom data', async () => {
      const settings = JSON.parse(snippet('.customData"')) as Record<string, string[]>;
      for (const path of Object.values(settings).flat())
        expect(JSON.parse(await readFile(inFolder(path), 'utf8'))).toHaveProperty('version', 1.1);
    });
  });
});
