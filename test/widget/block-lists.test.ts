/** Block lists that hide newsletter forms match nothing that we publish, or tell others to write into a page. */
import { globSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { build } from 'vite';
import { copyTag } from '../../packages/relay/scripts/tag.ts';
import { describe, expect, it } from 'vitest';
import { exampleSetups } from '../../examples/demo/page/examples.ts';
import { platforms, snippetsFor } from '../../examples/demo/page/places.ts';
import { currentOptions } from '../../examples/demo/playground.ts';
import { root } from '../../scripts/root.ts';
import { blocks, hides, namesIn, readRules, rules } from '../support/block-lists.ts';
import { page } from '../support/documentation.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { layouts, languages, pageToWalk, tags } from './pages-to-walk.ts';
import { setStage } from './stage.ts';

const stage = setStage();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const typeOf = (address: string): 'script' | 'stylesheet' | 'fetch' =>
  /\.css\b/.test(address) ? 'stylesheet' : /\.js\b/.test(address) ? 'script' : 'fetch';
const blocked = (addresses: Iterable<string>): string[] =>
  [...addresses].flatMap((address) => blocks(address, typeOf(address)) ?? []);

/** Where websites and content networks have the files of the package. */
const hosts = [
  'https://site.example/',
  'https://site.example/assets/',
  'https://site.example/wp-content/themes/mine/',
  'https://cdn.jsdelivr.net/npm/@newsletter-kit/signup@0.1.0/dist/',
  'https://unpkg.com/@newsletter-kit/signup@0.1.0/',
];

/** What readers copy: fenced blocks of the documentation, example pages and snippets of the playground. */
async function copied(): Promise<ReadonlyMap<string, string>> {
  const examples = globSync('examples/{pages,site}/**/*.{html,vue,svelte,jsx,js}', { cwd: root });
  const pages = globSync(['{.,widget}/README.md', 'docs/src/content/docs/**/*.md'], { cwd: root });
  const fenced = (page: string): string => (read(page).match(/^ *```.*?^ *```$/gms) ?? []).join('\n');
  const options = await currentOptions();
  const snippets = exampleSetups.flatMap(({ title, setup }) =>
    options.themes.flatMap((theme) =>
      platforms.map((platform): [string, string] => [
        `${title} for ${platform} with ${theme}`,
        snippetsFor({ ...setup, platform, language: 'de', theme }, options)
          .map(({ code }) => code)
          .join('\n'),
      ]),
    ),
  );
  return new Map([
    ...examples.map((file): [string, string] => [file, read(file)]),
    ...pages.map((page): [string, string] => [page, fenced(page)]),
    ...snippets,
  ]);
}

/** Addresses in a text: whole ones, and those from the root of a site. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/https?:\/\/[^\s"'`<>()|]+|(?<=["'`(;])\/[\w./?=@-]+/g)].map(([address]) =>
    address.startsWith('/') ? `https://site.example${address}` : address,
  );

/** WordPress makes ids of the handles of scripts and styles. */
const handlesIn = (text: string): string[] =>
  [...text.matchAll(/wp_enqueue_(script|style)\('([^']+)'/g)].map(
    ([, kind, handle]) => `${handle}-${kind === 'script' ? 'js' : 'css'}`,
  );

describe('the rules of block lists', () => {
  it('match the names that they are about', () => {
    expect(readRules()).toBe(rules.length);
    expect(
      blocked([
        'https://site.example/newsletter-signup.js',
        'https://cdn.jsdelivr.net/npm/newsletter-signup-tag@1/index.js',
        'https://site.example/assets/Newsletter-4f3c2b1a.js',
      ]),
    ).toHaveLength(3);
    const hidden = hides(namesIn('<div class="card newsletter-card"><form id="newsletter-signup-form"></form></div>'));
    expect(hidden).toContain('.newsletter-card');
    expect(hidden).toContain('#newsletter-signup-form');
  });

  it('contain those that the documentation names', () => {
    const [, section = ''] = /^## Block lists\n(.*?)(?=^## )/ms.exec(page('website/files')) ?? [];
    const named = [...section.matchAll(/`([/#.][\w./-]*newsletter-[\w-]*\.?)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(rules.map(([rule]) => rule)).toContain(name.replace(/^[#.]/, '##$&'));
  });

  it('match no file of the package on any host', () => {
    const files = ['custom-elements.json', ...globSync('{dist,themes}/**/*.*', { cwd: join(root, 'widget') })];
    expect(files).toEqual(expect.arrayContaining(['dist/signup-form.js', 'dist/languages/de.js', 'themes/ink.css']));
    expect(blocked(hosts.flatMap((host) => files.map((file) => host + file.replace(/^dist\//, ''))))).toEqual([]);
  });

  it('match no address of a relay', () => {
    const folder = scratchFolder();
    copyTag(join(root, 'widget'), folder);
    const files = globSync('**/*.{js,css}', { cwd: folder });
    expect(files).toEqual(expect.arrayContaining(['signup-form.js', 'languages/de.js', 'themes/ink.css']));
    expect(files.filter((file) => file.startsWith('parts/')).length).toBeGreaterThan(5);
    const paths = ['signup', 'signup/letters', 'thanks', 'confirm/1234', 'confirm/not-me/1234', ...files];
    expect(blocked(paths.map((path) => `https://signup.example.com/${path}`))).toEqual([]);
  });

  it('match no file and no page of the demo site', () => {
    const files = globSync('**/*.*', { cwd: join(root, 'examples/demo/dist/page') });
    expect(files).toContain('playground.js');
    expect(blocked(files.map((file) => `https://site.example/${file}`))).toEqual([]);
    expect(
      hides(
        files
          .filter((file) => /\.(html|js)$/.test(file))
          .flatMap((file) => namesIn(read(`examples/demo/dist/page/${file}`))),
      ),
    ).toBe('');
  });

  it('match no address, class or id that readers copy', async () => {
    const texts = await copied();
    expect(texts.size).toBeGreaterThan(300);
    for (const [title, text] of texts) {
      expect(blocked(addressesIn(text)), title).toEqual([]);
      expect(hides([...namesIn(text), ...handlesIn(text)]), title).toBe('');
    }
  });

  it('match no class or id in the form', async () => {
    const { site, session, origin } = stage();
    const forms = [
      ...Object.values(tags).flatMap((tag) => layouts.map((layout) => tag(languages.en, origin, layout))),
      ...['joined', 'cover'].map((layout) => `<newsletter-signup endpoint="/" layout="${layout}"></newsletter-signup>`),
    ];
    const tab = await session.browser.newPage();
    await tab.goto(site.page('/forms', { html: pageToWalk(languages.en, 'script', forms.join('')) }));
    await tab.waitForSelector('newsletter-signup[layout=dialog] >>> [part~=surface]');
    const names = await tab.evaluate(() => {
      const all = (place: ParentNode): Element[] =>
        [...place.querySelectorAll('*')].flatMap((element) => [
          element,
          ...(element.shadowRoot ? all(element.shadowRoot) : []),
        ]);
      return all(document).flatMap(({ id, classList, shadowRoot }) => [
        id,
        ...classList,
        ...(shadowRoot ? ['has a shadow root'] : []),
      ]);
    });
    expect(names).toEqual(expect.arrayContaining(['head', 'email', 'has a shadow root']));
    expect(hides(names)).toBe('');
  });

  it('match no file that a bundler makes of the package and of the example components', async () => {
    const components = globSync('examples/pages/*/*.{vue,svelte,jsx}', { cwd: root }).map((file) => parse(file).name);
    const files = [...(await bundle()), ...components.map((name) => `assets/${name}-4f3c2b1a.js`)];
    expect(files).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^assets\/define-.*\.js$/),
        expect.stringMatching(/^assets\/signup-.*\.js$/),
      ]),
    );
    expect(blocked(files.map((file) => `https://site.example/${file}`))).toEqual([]);
  });
});

/** Names of the files that Vite writes for an application that loads the form, a language and a theme on demand. */
async function bundle(): Promise<readonly string[]> {
  const entry = 'application.js';
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: join(root, 'test'),
    plugins: [
      {
        name: 'application',
        enforce: 'pre',
        resolveId: (id) => (id.endsWith(entry) ? entry : null),
        load: (id) =>
          id === entry
            ? ['define', 'languages/de', 'themes/ink.css']
                .map((file) => `import('@newsletter-kit/signup/${file}');`)
                .join('\n')
            : null,
      },
    ],
    build: { write: false, rolldownOptions: { input: entry } },
  });
  return (Array.isArray(built) ? built : [built]).flatMap((each) =>
    'output' in each ? each.output.map(({ fileName }) => fileName) : [],
  );
}
