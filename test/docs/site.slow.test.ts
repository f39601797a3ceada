/** The documentation site as `npm run docs -- build` writes it: links, reference, search and live examples. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { operations } from '@newsletter-kit/core/contract';
import { settings } from '@newsletter-kit/relay';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resolveLink } from '../../docs/repository-links.ts';
import { base, content, repository } from '../../docs/site.ts';
import { alertConditions } from '../../packages/relay/src/ops/alerts.ts';
import { gaps } from '../../packages/sandbox/src/gaps.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { root } from '../../scripts/root.ts';
import { hosted, type Hosted } from '../e2e/hosted.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { blocks, hides, namesIn } from '../support/block-lists.ts';
import { leadsSomewhere } from './pages.ts';

const built = join(root, 'docs', 'dist');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

let session: BrowserSession;
let site: Hosted;
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  const build = [
    '--conditions=@newsletter-kit/source',
    '--disable-warning=ExperimentalWarning',
    'scripts/tasks.ts',
    'docs',
    'build',
  ];
  // Vitest sets variables that Astro reads too, such as BASE_URL.
  const { PATH, HOME } = process.env;
  await promisify(execFile)(process.execPath, build, { cwd: root, env: { PATH, HOME }, maxBuffer: 64 * 1024 * 1024 });
  pages = new Map(
    globSync('**/*.html', { cwd: built }).map((file) => [
      `${base}/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`,
      readFileSync(join(built, file), 'utf8'),
    ]),
  );
  site = await hosted({ fetch: answer });
  session = await openBrowser();
});
afterEach(() => session?.closePages());
afterAll(async () => {
  await session?.close();
  site?.close();
});

/** Serves the built files as GitHub Pages does. */
function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  const path = decodeURI(pathname).slice(base.length);
  const file = join(built, path.endsWith('/') ? `${path}index.html` : path);
  if (!pathname.startsWith(`${base}/`) || !existsSync(file))
    return new Response(readFileSync(join(built, '404.html')), {
      status: 404,
      headers: { 'content-type': 'text/html' },
    });
  return new Response(readFileSync(file), {
    headers: { 'content-type': types[extname(file)] ?? 'application/octet-stream' },
  });
}

const hrefs = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
const ids = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id));

/** Every page and link that does not meet the condition. */
const linksThat = (fail: (href: string, page: string) => boolean): string[] =>
  [...pages].flatMap(([page, html]) =>
    hrefs(html)
      .filter((href) => fail(href, page))
      .map((href) => `${page}: ${href}`),
  );

it('has no address, class or id that block lists of newsletter forms match', () => {
  const addresses = globSync('**/*.*', { cwd: built }).map(
    (file) => `https://site.example${base}/${file.replaceAll('\\', '/')}`,
  );
  expect(addresses).toContain(`https://site.example${base}/signup/signup-form.js`);
  expect(addresses.flatMap((address) => blocks(address, 'document') ?? [])).toEqual([]);
  expect(hides([...pages.values()].flatMap(namesIn))).toBe('');
});

describe('links', () => {
  it('lead from page to page, and to a heading of it', () => {
    expect(pages.size).toBeGreaterThan(30);
    const broken = linksThat((href, page) => {
      // The element of the playground renders the target of its skip link.
      if (/^[a-z]+:/.test(href) || (page === `${base}/playground/` && href === '#preview')) return false;
      const { pathname, hash } = new URL(href, `http://site${page}`);
      const target = pages.get(pathname);
      if (target === undefined) return !existsSync(join(built, pathname.slice(base.length)));
      return hash !== '' && !ids(target).has(decodeURIComponent(hash.slice(1)));
    });
    expect(broken).toEqual([]);
  });

  it('lead to files of the repository and to headings in them', () => {
    const inRepository = linksThat((href) => href.startsWith(repository));
    expect(inRepository.length).toBeGreaterThan(100);
    expect(
      linksThat((href) => href.startsWith(repository) && !leadsSomewhere(href.replace('/edit/', '/blob/'), '')),
    ).toEqual([]);
  });

  it('are made from relative paths, and must have a target', () => {
    const page = join(content, 'n8n', 'newsletter.md');
    expect(resolveLink('../decisions/0001-sync-before-202.md#context', page)).toBe(
      `${base}/decisions/0001-sync-before-202/#context`,
    );
    expect(resolveLink('../decisions', page)).toBe(`${base}/decisions/`);
    expect(resolveLink('../index.mdx', page)).toBe(`${base}/`);
    expect(resolveLink('../../../../../nodes/README.md', page)).toBe(`${repository}/blob/main/nodes/README.md`);
    expect(resolveLink('../../../../../nodes', page)).toBe(`${repository}/tree/main/nodes`);
    expect(resolveLink('https://example.com/a.md', page)).toBe('https://example.com/a.md');
    expect(() => resolveLink('gone.md', page)).toThrow('docs/src/content/docs/n8n/newsletter.md links to gone.md');
    expect(() => resolveLink('../../../../../../outside.md', page)).toThrow('which does not exist');
  });
});

describe('the reference', () => {
  /** The text of a page below `reference/`, without tags. */
  const textOf = (name: string): string =>
    (pages.get(`${base}/reference/${name}/`) ?? '').replaceAll(/<[^>]*>/g, ' ').replaceAll('&lt;', '<');
  const missing = (name: string, words: readonly string[]): readonly string[] => {
    expect(words.length).toBeGreaterThan(5);
    return words.filter((word) => !textOf(name).includes(word));
  };

  it('lists every operation with its client method, its command and its n8n operations', () => {
    const words = operations.flatMap(({ id, path }) => [id, path, `client.${id}()`, `newsletter api ${id}`]);
    expect(missing('operations', words)).toEqual([]);
    expect(missing('client', [...new Set(operations.map(({ id }) => `client.${id.split('.')[0]}.`))])).toEqual([]);
    expect(textOf('operations')).toContain('Enroll a subscriber into an automation');
  });

  it('lists every setting of the relay, and which ones are required', () => {
    const names = settings.map(({ name }) => name);
    expect(missing('relay-settings', names)).toEqual([]);
    const rows = (pages.get(`${base}/reference/relay-settings/`) ?? '').split('<tr>');
    const required = rows
      .filter((row) => row.includes('<strong>required</strong>'))
      .map((row) => /<code[^>]*>(\w+)/.exec(row)?.[1] ?? '');
    expect(required.toSorted()).toEqual([
      'NEWSLETTER_API_KEY',
      'NEWSLETTER_API_URL',
      'NEWSLETTER_PUBLICATION_ID',
      'RELAY_ALLOWED_ORIGINS',
    ]);
  });

  it('lists every metric and alert', () => {
    const source = (path: string): string => readFileSync(join(root, 'packages/relay', path), 'utf8');
    const metrics = [...source('src/ops/metrics.ts').matchAll(/'(newsletter_relay_\w+)'/g)].map(
      ([, name = '']) => name,
    );
    const rules = [...source('deploy/prometheus/rules.yml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
    expect(missing('metrics', metrics)).toEqual([]);
    expect(missing('metrics', rules)).toEqual([]);
    expect(
      missing(
        'metrics',
        Object.entries(alertConditions).flatMap(([name, { end }]) => [name, end]),
      ),
    ).toEqual([]);
  });

  it('lists every assumption', () => {
    expect(missing('assumptions', Object.keys(gaps))).toEqual([]);
  });

  it('lists every attribute, slot, part and custom property of the elements', () => {
    const manifest = readFileSync(join(root, 'widget/custom-elements.json'), 'utf8');
    const { modules } = JSON.parse(manifest) as { modules: { declarations?: Record<string, unknown>[] }[] };
    const elements = modules.flatMap(({ declarations = [] }) => declarations).filter((each) => 'tagName' in each);
    const names = elements.flatMap((element) =>
      ['attributes', 'slots', 'cssProperties', 'cssParts', 'cssStates', 'events'].flatMap((kind) =>
        ((element[kind] ?? []) as { name: string }[]).map(({ name }) => name),
      ),
    );
    expect(missing('element', names)).toEqual([]);
  });
});

describe('in the browser', () => {
  it('finds a word by the search', async () => {
    const page = await session.browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${site.origin}${base}/`);
    await page.locator('button[data-open-modal]').click();
    await page.waitForSelector('dialog[open]');
    await page.locator('#starlight__search input').fill('RELAY_LIMIT_ADDRESS');
    const found = await page.waitForSelector('#starlight__search .pagefind-ui__result-link');
    expect(await found?.evaluate((link) => link.getAttribute('href'))).toMatch(`${base}/`);
  });

  it.each([
    ['/', 1280, 'light'],
    ['/', 1280, 'dark'],
    ['/', 390, 'light'],
    ['/', 390, 'dark'],
    ['/reference/metrics/', 390, 'light'],
    ['/nowhere/', 390, 'dark'],
  ] as const)('%s has no axe violation and fits into %i pixels, %s', async (path, width, scheme) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(`${site.origin}${base}${path}`, { waitUntil: 'networkidle0' });
    expect(await page.$eval('html', ({ dataset }) => dataset['theme'])).toBe(scheme);
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  it('shows the whole picture of the start page on a phone', async () => {
    const page = await session.browser.newPage();
    await page.setViewport({ width: 360, height: 800 });
    await page.goto(`${site.origin}${base}/`, { waitUntil: 'networkidle0' });
    const picture = await page.$eval('.hero img', (image) => ({
      natural: image.naturalHeight / image.naturalWidth,
      shown: image.clientHeight / image.clientWidth,
      right: image.getBoundingClientRect().right,
    }));
    // The six themes are higher than wide: 1400 × 1860 pixels.
    expect(picture.natural).toBeCloseTo(1860 / 1400, 2);
    expect(picture.shown).toBeCloseTo(picture.natural, 1);
    expect(picture.right).toBeLessThanOrEqual(360);
  });

  it('shows what a live example posted, without a server', async () => {
    const page = await session.browser.newPage();
    await page.goto(`${site.origin}${base}/reference/element/`, { waitUntil: 'networkidle0' });
    // The first example is a form of the page, which the script enhances.
    await page.waitForSelector('.example newsletter-signup >>> [part=surface]');
    const address = await page.$('.example newsletter-signup input[name=email]');
    await address?.type('ada@example.com\n');
    await page.waitForFunction(() => document.querySelector('.example output')?.textContent?.includes('success'));
    expect(await page.$eval('.example output', ({ textContent }) => textContent)).toMatch(
      /newsletter-submit\nPosted: \{\n {2}"email": "ada@example\.com",\n {2}"audit": \{/,
    );
  });

  it('has the playground, with an answer for each state', async () => {
    const page = await session.browser.newPage();
    await page.goto(`${site.origin}${base}/playground/?state=refused&language=de&theme=harbor`);
    const frame = await (await page.waitForSelector('.frame:not([hidden]) iframe'))?.contentFrame();
    const notice = await frame?.waitForSelector('newsletter-signup:state(error) >>> [part~=notice]');
    expect(await notice?.evaluate(({ textContent }) => textContent)).toContain('We cannot take signups');
    const button = await frame?.waitForSelector('newsletter-signup >>> [part~=button]');
    expect(await button?.evaluate(({ textContent }) => textContent)).toContain('Abonnieren');
    expect(
      await frame?.$eval('link[data-theme]', (link) => link instanceof HTMLLinkElement && link.sheet !== null),
    ).toBe(true);
  });
});
