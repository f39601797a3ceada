/**
 * The playground's snippets in the generators and frameworks that its `places.ts` calls run: Hugo, Jekyll, Eleventy,
 * Astro, Next.js, Nuxt, SvelteKit and Docusaurus. Each builds a site with the snippet. In Chromium its form renders, a
 * signup arrives through a relay with the campaign of the page's address, and the page gets the event of the success.
 * `PICTURES=places npm test -- test/examples/places.slow.test.ts` takes the pictures of the documentation.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { guides, snippetsFor, type Platform } from '../../examples/demo/page/places.ts';
import { initialSetup } from '../../examples/demo/page/setup.ts';
import { currentOptions } from '../../examples/demo/playground.ts';
import { notice, subscribe } from '../e2e/visitor.ts';
import { installOnePacked } from '../packaging/installed.ts';
import { setWorld, takePicture } from './world.ts';

/** A site around the snippet. */
interface Generator {
  /**
   * What is installed besides the tag: the generator, in the version of the table, and more in exact versions. Without
   * any, `command` is a program of the machine.
   */
  readonly packages?: readonly string[];
  readonly command: string;
  readonly args?: readonly string[];
  /** Files of the project, by their paths. @param page - the snippet for the page */
  readonly files: (page: string) => Readonly<Record<string, string>>;
  /** The folder of the finished site. */
  readonly built: string;
}

const document = (body: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Letters</title></head>
<body>
${body}
</body>
</html>
`;

const generators: Readonly<Partial<Record<Platform, Generator>>> = {
  hugo: {
    command: 'hugo',
    files: (page) => ({
      'config.toml': 'baseURL = "/"\ntitle = "Letters"\n',
      'layouts/index.html': document('{{ .Content }}'),
      'content/_index.md': `---\ntitle: Letters\n---\n\n${page}\n`,
    }),
    built: 'public',
  },
  jekyll: {
    command: 'jekyll',
    args: ['build'],
    files: (page) => ({
      '_config.yml': 'title: Letters\n',
      '_layouts/default.html': document('{{ content }}'),
      'index.md': `---\nlayout: default\n---\n\n${page}\n`,
    }),
    built: '_site',
  },
  eleventy: {
    packages: ['@11ty/eleventy'],
    command: 'eleventy',
    files: (page) => ({
      '_includes/page.html': document('{{ content }}'),
      'index.md': `---\nlayout: page.html\n---\n\n${page}\n`,
    }),
    built: '_site',
  },
  astro: {
    packages: ['astro'],
    command: 'astro',
    args: ['build'],
    files: (page) => ({
      'src/pages/index.astro': page.replace('<SignupForm />', document('<SignupForm />')),
    }),
    built: 'dist',
  },
  next: {
    packages: ['next', 'react@19.3.1', 'react-dom@19.3.1'],
    command: 'next',
    args: ['build'],
    files: (page) => ({
      'next.config.mjs': "export default { output: 'export' };\n",
      'app/layout.jsx':
        'export default function Layout({ children }) {\n  return <html lang="en"><body>{children}</body></html>;\n}\n',
      'app/page.jsx': page.replace(/^(<.*)$/m, 'export default function Page() {\n  return $1;\n}\n'),
    }),
    built: 'out',
  },
  nuxt: {
    packages: ['nuxt'],
    command: 'nuxt',
    args: ['generate'],
    files: (page) => ({ 'app/app.vue': `<template>\n  ${page}\n</template>\n` }),
    built: '.output/public',
  },
  sveltekit: {
    packages: ['@sveltejs/kit', '@sveltejs/vite-plugin-svelte@7.3.1', 'svelte@5.57.3', 'vite@8.3.8'],
    command: 'vite',
    args: ['build'],
    files: (page) => ({
      'src/app.html': document('%sveltekit.body%').replace('</head>', '%sveltekit.head%</head>'),
      'src/routes/+page.js': 'export const prerender = true;\n',
      'src/routes/+page.svelte': `${page}\n`,
      // An adapter that writes files: the published one for static sites is a package more.
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';

const adapter = { name: 'files', adapt: (builder) => { builder.writeClient('site'); builder.writePrerendered('site'); } };
export default { plugins: [sveltekit({ adapter })] };
`,
    }),
    built: 'site',
  },
  docusaurus: {
    packages: [
      '@docusaurus/core',
      '@docusaurus/plugin-content-pages@3.10.2',
      '@docusaurus/theme-classic@3.10.2',
      'react@19.3.1',
      'react-dom@19.3.1',
    ],
    command: 'docusaurus',
    args: ['build'],
    files: (page) => ({
      // Without the type “module”, in which webpack leaves the module numbers of Docusaurus out.
      'package.json': '{ "private": true }\n',
      'docusaurus.config.js':
        "export default { title: 'Letters', url: 'https://site.example', baseUrl: '/', plugins: ['@docusaurus/plugin-content-pages'], themes: ['@docusaurus/theme-classic'], themeConfig: { navbar: { title: 'Letters' }, colorMode: { respectPrefersColorScheme: true } } };\n",
      'src/pages/index.mdx': `${page}\n`,
    }),
    built: 'build',
  },
};

const has = async (program: string): Promise<boolean> =>
  promisify(execFile)(program, ['--help']).then(
    () => true,
    () => false,
  );
/** Programs of the machine; where one is missing, its row is skipped, except in CI. */
const missing = new Set<string>();
for (const { packages, command } of Object.values(generators))
  if (!packages && !process.env['CI'] && !(await has(command))) missing.add(command);

const options = await currentOptions();
/** The finished site that the web server has. */
let served: Hono = new Hono();
const world = setWorld(() => ({ fetch: (request) => served.fetch(request) }));

/** What a template would evaluate. It shows after the signup. */
const thanks = 'Grüße {{ vom }} Turm';

/** Builds a site with the snippet in its files. @returns where the finished site is */
async function buildSite(platform: Platform, generator: Generator, endpoint: string, folder: string): Promise<string> {
  const snippets = snippetsFor(
    {
      ...initialSetup,
      platform,
      language: 'de',
      theme: 'harbor',
      values: {
        'attribute.endpoint': endpoint,
        'attribute.layout': 'card',
        'slot.head': 'Briefe vom Turm',
        'slot.thanks': thanks,
      },
      fields: [{ name: 'First Name', label: 'Vorname' }],
    },
    options,
  );
  const page = snippets.find(({ place }) => place.startsWith('The page'))?.code ?? '';
  const files = {
    ...Object.fromEntries(
      snippets.flatMap(({ place, code }) => {
        const [file] = /^[\w./-]+\.\w+/.exec(place) ?? [];
        return file === undefined ? [] : [[file, code] as const];
      }),
    ),
    ...generator.files(page),
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const path = [join(folder, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const { stdout, stderr } = await promisify(execFile)(generator.command, [...(generator.args ?? [])], {
    cwd: folder,
    maxBuffer: 1e8,
    env: {
      PATH: path,
      HOME: folder,
      ASTRO_TELEMETRY_DISABLED: '1',
      NEXT_TELEMETRY_DISABLED: '1',
      NUXT_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
    },
  });
  // Bundlers name the package of a file that they warn about.
  expect(`${stdout}${stderr}`).not.toContain('@newsletter-kit/signup');
  const built = join(folder, generator.built);
  // Browsers ask for it.
  await writeFile(join(built, 'favicon.ico'), '');
  return built;
}

/** Opens the site by an address with a campaign. */
async function open(name: string): Promise<{ page: Page; signsUp: () => Promise<void> }> {
  const before = `heard = []; document.addEventListener('newsletter-success', ({ type }) => heard.push(type));`;
  const { page, complaints } = await world().open(`/?utm_source=${name}&utm_campaign=autumn`, { before });
  const signsUp = async (): Promise<void> => {
    const email = `${name}@example.com`;
    await subscribe(page, { email });
    await notice(page, 'success');
    expect(await page.evaluate('heard')).toEqual(['newsletter-success']);
    expect(await world().arrived(email)).toMatchObject({ email, utm_source: name, utm_campaign: 'autumn' });
    expect(complaints).toEqual([]);
  };
  return { page, signsUp };
}

/** In both schemes, with what nearly every site sets. */
async function takePictures(page: Page, name: string): Promise<void> {
  await page.addStyleTag({
    content:
      ':root { color-scheme: light dark; font-family: system-ui; } newsletter-signup[layout][lang] { margin-block: 1.5rem; }',
  });
  for (const scheme of ['light', 'dark'] as const) await takePicture(page, name, scheme);
}

const ran = guides.filter(({ run }) => run?.test === 'test/examples/places.slow.test.ts');

describe.each(ran)('$name', ({ platform, run, picture }) => {
  const generator = generators[platform];
  it.skipIf(missing.has(platform))(
    'renders the form, signs up with the campaign, and tells the page',
    async () => {
      if (!generator) throw new Error(`There is no site for ${platform}.`);
      const [program, ...more] = generator.packages ?? [];
      const installed =
        program === undefined ? undefined : await installOnePacked('signup', `${program}@${run?.version}`, ...more);
      const folder = installed?.folder ?? (await mkdtemp(join(tmpdir(), `newsletter-${platform}-`)));
      try {
        const built = await buildSite(platform, generator, `${world().servers.relayUrl}/signup`, folder);
        // Without the script, the form in the page is what a visitor has.
        expect(await readFile(join(built, 'index.html'), 'utf8')).toContain(
          `action="${world().servers.relayUrl}/signup"`,
        );
        served = new Hono().use(serveStatic({ root: built }));

        const { page, signsUp } = await open(platform);
        const button = await page.waitForSelector('newsletter-signup >>> [part~=button]', { visible: true });
        expect(await button?.evaluate(({ textContent }) => textContent.trim())).toBe('Abonnieren');
        // The theme's accent: bundlers rewrite style sheets for older browsers.
        await expect
          .poll(() => button?.evaluate((element) => getComputedStyle(element).backgroundColor))
          .toBe('rgb(184, 67, 10)');
        if (process.env['PICTURES'] === 'places' && picture === platform) await takePictures(page, platform);
        await signsUp();
        const shown = await page.waitForSelector('newsletter-signup [slot=thanks]', { visible: true });
        expect(await shown?.evaluate(({ textContent }) => textContent)).toBe(thanks);
      } finally {
        await installed?.remove();
        await rm(folder, { recursive: true, force: true });
      }
    },
    600_000,
  );
});

/** Not the places themselves: a page that runs the script as they do, after the page is there. */
it.each(['wix', 'gtm'] as const)('the script for %s puts the form before the footer, once', async (platform) => {
  const values = { 'attribute.endpoint': `${world().servers.relayUrl}/signup` };
  const [{ code } = { code: '' }] = snippetsFor({ ...initialSetup, platform, values }, options);
  served = new Hono()
    .get('/', (context) => context.html(document(`<main>Letters</main><footer>Imprint</footer>${code}${code}`)))
    .get('/favicon.ico', (context) => context.body(null, 204));
  const { page, signsUp } = await open(platform);
  await page.waitForSelector('newsletter-signup + footer');
  expect(await page.$$('newsletter-signup')).toHaveLength(1);
  await signsUp();
});
