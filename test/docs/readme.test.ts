/** The root README, CONTRIBUTING, the start pages and the help of the n8n nodes: commands exist, snippets run. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '@newsletter-kit/relay';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launch } from '../../scripts/launch.ts';
import { freePorts } from '../support/free-ports.ts';
import { root } from '../../scripts/root.ts';
import { plans } from '../../scripts/servers.ts';
import { section } from '../support/documentation.ts';
import { leadsSomewhere, repository } from './pages.ts';

const execute = promisify(execFile);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = ['README.md', 'CONTRIBUTING.md'] as const;
const readme = read('README.md');
/** What the help links of the n8n nodes lead to. */
const pages = globSync('docs/src/content/docs/n8n/{credentials,newsletter*,signup-trigger}.md', {
  cwd: root,
}).toSorted();

const websitePage = read('docs/src/content/docs/start/website.md');

/** The fenced blocks of a page in this language. */
function snippets(page: string, language: string): string[] {
  return [...page.matchAll(/^( *)```(\w+).*\n([\s\S]*?)^ *```$/gm)].flatMap(([, indent = '', name, text = '']) =>
    name === language ? [text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  );
}

describe.each(documents)('%s', (path) => {
  const text = read(path);

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
      ([, run, short]) => run ?? short ?? '',
    );
    expect(named).not.toEqual([]);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('names only files and folders that exist', () => {
    const paths = [...text.matchAll(/`((?:packages|widget|nodes|scripts|test|examples)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    );
    expect(paths.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('the help of the n8n nodes', () => {
  it('links a page of each node and of the credentials', () => {
    const files = globSync(['nodes/**/*.node.json', 'credentials/*.ts'], { cwd: root });
    const links = files.flatMap((file) =>
      [...read(file).matchAll(/(?:"url": "|documentationUrl = ')([^"']+)/g)].map(([, link = '']) => link),
    );
    expect(links.filter((link) => !repository.test(link) || !leadsSomewhere(link, ''))).toEqual([]);
    expect([...new Set(links.map((link) => link.replace(repository, '').slice(1)))].toSorted()).toEqual(pages);
  });

  it.each(['nodes/README.md', ...section('n8n')])('names the supported services at the top of %s', (path) => {
    const text = read(path).replace(/^---\n[\s\S]*?\n---\n/, '');
    expect(text.split('\n').slice(0, 9).join(' ')).toMatch(/beehiiv.*Newsletter\s+Publishing API/);
  });
});

it('the README is short, without CSS, and names the services and what was never tried on its first screen', () => {
  const lines = readme.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(80);
  expect(lines.slice(0, 12).join('\n')).toMatch(/beehiiv[\s\S]*Newsletter Publishing API[\s\S]*never tried live/);
  expect(readme).not.toMatch(/<style|stylesheet|style=|\{\s*display/);
});

describe('the snippets of the README and of the start pages', () => {
  it.each([
    'widget/README.md',
    'docs/src/content/docs/start/website.md',
    'docs/src/content/docs/website/tag.md',
    'docs/src/content/docs/relay/install.md',
    'examples/site/START-HERE.html',
  ])('have the seven lines of README to copy in %s too; the start page reads them there', (path) => {
    const [lines = ''] = snippets(readme, 'html');
    expect(lines.trimEnd().split('\n')).toHaveLength(7);
    const flat = (text: string): string => text.replaceAll(/^ +/gm, '').replaceAll('&lt;', '<').trimEnd();
    expect(flat(read(path)).replace(/<pre><code>/g, '')).toContain(flat(lines));
  });

  it('read the subscriptions of a sandbox', async () => {
    const sandbox = await launch(plans.sandbox, { ports: await freePorts(), relayStore: '' }, () => undefined);
    onTestFinished(() => sandbox.stop());

    const [snippet = ''] = snippets(read('docs/src/content/docs/start/crm.md'), 'js');
    expect(snippet).toBe(read('examples/crm.mjs'));
    const code = snippet.replace('http://127.0.0.1:4010', sandbox.url);
    const { stdout } = await execute(
      process.execPath,
      ['--conditions=@newsletter-kit/source', '--input-type=module', '--eval', code],
      {
        cwd: root,
      },
    );
    expect(stdout).toContain('ada.lovelace@example.com');
    expect(stdout).toContain('Topics');
  });

  it('configure the relay', () => {
    const settings = snippets(websitePage, 'sh')
      .join('\n')
      .matchAll(/^export (\w+)=(.*)$/gm);
    const config = readConfig(Object.fromEntries([...settings].map(([, name = '', value]) => [name, value])));
    expect(config.api.url).toBe('http://127.0.0.1:4010/v2');
    expect(config.listen.port).toBe(4021);
  });

  it('use existing elements and attributes of the widget', () => {
    const manifest = JSON.parse(read('widget/custom-elements.json')) as {
      modules: { declarations?: { tagName?: string; attributes?: { name: string }[] }[] }[];
    };
    const elements = manifest.modules.flatMap(({ declarations = [] }) => declarations).filter(({ tagName }) => tagName);
    const known = new Map(
      elements.map(({ tagName, attributes = [] }) => [tagName, attributes.map(({ name }) => name)]),
    );
    const tags = [
      ...[...snippets(readme, 'html'), ...snippets(websitePage, 'sh')]
        .join('\n')
        .matchAll(/<(newsletter-[\w-]+)((?:\s+[\w-]+="[^"]*")*)/g),
    ];
    expect(tags.length).toBeGreaterThan(1);
    for (const [, tag, attributes = ''] of tags) {
      const used = [...attributes.matchAll(/([\w-]+)=/g)].map(([, name]) => name);
      expect(known.get(tag), tag).toEqual(expect.arrayContaining(used));
    }
  });
});
