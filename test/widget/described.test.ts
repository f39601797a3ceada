/** Manifest, editor data and hashes describe the elements correctly. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIfStale, widgetScript } from '../../scripts/build.ts';
import { readElements, type Named } from '../../widget/scripts/manifest.ts';
import { page as documentationPage } from '../support/documentation.ts';
import { useBrowser } from '../e2e/use-browser.ts';
import { openSite, type Site } from './site.ts';

await buildIfStale('widget');
const elements = await readElements();
const dist = dirname(widgetScript);
const json = async <Content>(file: string): Promise<Content> =>
  JSON.parse(await readFile(join(dist, file), 'utf8')) as Content;
const names = (list: readonly Named[] = []): string[] => list.map(({ name }) => name).sort();

describe('the manifest', () => {
  it.each(elements.map((element) => [element.tagName, element] as const))(
    'describes all of %s, and nothing that is not public',
    (_, element) => {
      for (const list of [
        element.attributes,
        element.members,
        element.events,
        element.slots,
        element.cssParts,
        element.cssProperties,
        element.cssStates,
      ]) {
        for (const { name, description = '' } of list ?? []) {
          expect(name).not.toMatch(/^[#_]/);
          expect(description, `${element.tagName}: ${name}`).toMatch(/\w{2}/);
        }
      }
      for (const { name, privacy = 'public' } of element.members ?? []) expect(privacy, name).toBe('public');
    },
  );

  it('names existing methods and states, and published modules', async () => {
    const [signup] = elements.filter(({ tagName }) => tagName === 'newsletter-signup');
    expect(names(signup?.members?.filter(({ kind }) => kind === 'method'))).toEqual(
      expect.arrayContaining(['focus', 'grantConsent', 'reset', 'revokeConsent', 'submit']),
    );
    expect(names(signup?.cssStates)).toEqual(expect.arrayContaining(['busy', 'error', 'idle', 'success']));
    const manifest = await readFile(join(dist, '..', 'custom-elements.json'), 'utf8');
    const paths = new Set(Array.from(manifest.matchAll(/"path": "([^"]+)"/g), ([, path = '']) => path));
    for (const path of paths) await readFile(join(dist, '..', path));
  });
});

describe('editor data', () => {
  it('of VS Code has every attribute with its values, every part, property and state', async () => {
    const html = await json<{ tags: { name: string; attributes: { name: string; values?: Named[] }[] }[] }>(
      'vscode.html-custom-data.json',
    );
    for (const element of elements) {
      const tag = html.tags.find(({ name }) => name === element.tagName);
      expect(names(tag?.attributes)).toEqual(names(element.attributes));
      expect(names(tag?.attributes)).not.toContain('text-*');
    }
    const attribution = html.tags.flatMap(({ attributes }) => attributes).find(({ name }) => name === 'attribution');
    expect(names(attribution?.values)).toEqual(['first', 'last', 'none']);
    const css =
      await json<Record<'properties' | 'pseudoElements' | 'pseudoClasses', Named[]>>('vscode.css-custom-data.json');
    const all = (list: 'cssProperties' | 'cssParts' | 'cssStates', before = '', after = ''): string[] =>
      elements.flatMap((element) => names(element[list]).map((name) => before + name + after)).sort();
    expect(names(css.properties)).toEqual(all('cssProperties'));
    expect(names(css.pseudoElements)).toEqual(all('cssParts', '::part(', ')'));
    expect(names(css.pseudoClasses)).toEqual(all('cssStates', ':state(', ')'));
  });

  it('of JetBrains has every attribute, property and event', async () => {
    const { contributions } = await json<{
      contributions: {
        html: { elements: { name: string; attributes: Named[]; js: { properties: Named[]; events: Named[] } }[] };
      };
    }>('web-types.json');
    for (const element of elements) {
      const described = contributions.html.elements.find(({ name }) => name === element.tagName);
      expect(names(described?.attributes)).toEqual(names(element.attributes));
      expect(names(described?.js.properties)).toEqual(names(element.members?.filter(({ kind }) => kind === 'field')));
      expect(names(described?.js.events)).toEqual(names(element.events));
    }
  });
});

describe('the hashes', () => {
  let site: Site;
  const session = useBrowser();
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  it('are those of the files', async () => {
    const hashes = await json<Record<string, string>>('integrity.json');
    expect(Object.keys(hashes)).toEqual(expect.arrayContaining(['signup-form.js', 'languages/de.js', 'signup.js']));
    for (const [file, expected] of Object.entries(hashes))
      expect(`sha384-${hash('sha384', await readFile(join(dist, file)), 'base64')}`, file).toBe(expected);
  });

  it('let the page of the documentation load the script from another origin, and no other script', async () => {
    const documented =
      /<!-- release -->[\s\S]*?```html\n([\s\S]*?)```/.exec(documentationPage('website/csp'))?.[1] ?? '';
    const pinned = (await json<Record<string, string>>('integrity.json'))['signup-form.js'];
    const snippet = documented.replace(/(?<=integrity=")[^"]*/, pinned ?? '');
    const address = /src="([^"]+)"/.exec(snippet)?.[1] ?? '';
    site.script('/changed.js', `${await readFile(widgetScript, 'utf8')}\n`);
    for (const [path, isLoaded] of [
      ['/signup-form.js', true],
      ['/changed.js', false],
    ] as const) {
      const page = await session.browser.newPage();
      // The same server under another host name is another origin.
      const cdn = site.origin.replace('127.0.0.1', 'localhost');
      await page.goto(
        site.page(`/integrity${isLoaded}`, {
          html: `<!doctype html><title>Pinned</title>${snippet.replace(address, cdn + path)}<newsletter-signup></newsletter-signup>`,
        }),
        { waitUntil: 'load' },
      );
      expect(await page.evaluate(`customElements.get('newsletter-signup') !== undefined`)).toBe(isLoaded);
      await page.close();
    }
  });
});
