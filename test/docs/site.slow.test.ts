/** The documentation site as `npm run docs` builds and serves it: links, reference, search and live examples. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@newsletter-kit/core/contract';
import { describe, expect, it } from 'vitest';
import { resolveLink } from '../../docs/repository-links.ts';
import { base, content, repository } from '../../docs/site.ts';
import { findings } from '../../packages/sandbox/test/ui/findings.ts';
import { root } from '../../scripts/root.ts';
import { blocks, hides, namesIn } from '../support/block-lists.ts';
import { built, moved, origin, pages, session, useBuiltSite } from './built-site.ts';
import { leadsSomewhere } from './pages.ts';

useBuiltSite();

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

  it('of old addresses lead to the page that has what theirs had', () => {
    expect(moved.size).toBeGreaterThan(5);
    const broken = [...moved].filter(([, html]) => {
      const { pathname, hash } = new URL(/url=([^"]+)/.exec(html)?.[1] ?? '', origin);
      const target = pages.get(pathname);
      return target === undefined || (hash !== '' && !ids(target).has(hash.slice(1)));
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
    expect(resolveLink('../decisions.md#one-version', page)).toBe(`${base}/decisions/#one-version`);
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
  const textOf = (name: string): string => withoutTags(pages.get(`${base}/reference/${name}/`) ?? '');
  const withoutTags = (html: string): string =>
    html
      .replaceAll(/<wbr>|<\/?nobr>/g, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('&lt;', '<');
  const missing = (name: string, words: readonly string[]): readonly string[] => {
    expect(words.length).toBeGreaterThan(5);
    return words.filter((word) => !textOf(name).includes(word));
  };

  it('lists every operation with its client method, its command and its n8n operations', () => {
    expect(
      missing(
        'operations',
        operations.flatMap(({ id, path }) => [id, path]),
      ),
    ).toEqual([]);
    const each = [...pages]
      .filter(([path]) => path.startsWith(`${base}/operations/`))
      .map(([, html]) => withoutTags(html));
    expect(each).toHaveLength(operations.length);
    const undescribed = operations.filter(
      ({ id }) => !each.some((text) => [`client.${id}()`, `newsletter api ${id}`].every((word) => text.includes(word))),
    );
    expect(undescribed).toEqual([]);
    expect(missing('client', [...new Set(operations.map(({ id }) => `client.${id.split('.')[0]}.`))])).toEqual([]);
    expect(each.join()).toContain('Enroll a subscriber into an automation');
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

/**
 * Rounds of questions as people ask them. Each has the pages that answer it, which were named before the first run of
 * its round, and the thread where it was asked; `firstScore` is what that run found.
 */
interface Round {
  readonly name: string;
  readonly firstScore?: number;
  readonly least: number;
  readonly questions: readonly (readonly [asked: string, pages: string, source: string])[];
}

const rounds = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8')) as readonly Round[];

describe('the search', () => {
  /** Opens the search of the start page; resolves to a function that returns the addresses it finds. */
  async function openSearch(): Promise<(words: string) => Promise<readonly string[]>> {
    const page = await session.browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${origin}${base}/`);
    await page.locator('button[data-open-modal]').click();
    return async (words) => {
      await page.locator('#starlight__search input').fill(words);
      // The first three have come, and are not those of the words before.
      await page.waitForFunction(
        (asked) => {
          const message = document.querySelector('.pagefind-ui__message')?.textContent?.trim() ?? '';
          const results = [...document.querySelectorAll('.pagefind-ui__result')].slice(0, 3);
          return (
            /^(?:\d+|No) results? for /.test(message) &&
            message.endsWith(` for ${asked}`) &&
            results.every((each) => each.querySelector('a'))
          );
        },
        {},
        words,
      );
      return page.$$eval('.pagefind-ui__result-inner > .pagefind-ui__result-title > a', (links) =>
        links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
      );
    };
  }

  it('finds a word', async () => {
    const find = await openSearch();
    expect((await find('RELAY_LIMIT_ADDRESS'))[0]).toMatch(`${base}/`);
  });

  it.each(rounds)('answers most of the $name by one of the first three pages', async ({ least, questions: rows }) => {
    const named = rows.flatMap(([, names]) => names.split(' '));
    expect(named.filter((page) => !pages.has(`${base}/${page}/`))).toEqual([]);
    const find = await openSearch();
    const unanswered: string[] = [];
    for (const [asked, names] of rows) {
      const found = (await find(asked)).slice(0, 3).map((path) => path.slice(base.length + 1, -1));
      if (!names.split(' ').some((page) => found.includes(page)))
        unanswered.push(`${asked} | ${names} | ${found.join(', ') || 'nothing'}`);
    }
    const table = ['Question | Page | Found instead', ...unanswered].join('\n');
    expect(rows.length - unanswered.length, table).toBeGreaterThanOrEqual(least);
  });

  it('shows the nearest pages for words in any order or number, a typo, and a question that no page answers', async () => {
    const find = await openSearch();
    const top = async (words: string) => (await find(words)).slice(0, 3).map((path) => path.slice(base.length, -1));
    expect(await top('resize height iframe')).toContain('/relay/hosted-form');
    expect(await top('beehiiv rate limit per minute')).toContain('/concepts/pacing');
    expect(await top('polls the trigger how often')).toContain('/n8n/newsletter-trigger');
    expect(await top('webhok signatures')).toContain('/relay/webhooks');
    for (const odd of ['a', 'Wie kann ich Abonnenten importieren?', 'weather in Lisbon tomorrow'])
      expect(await top(odd), odd).not.toEqual([]);
  });

  it('has no page for contributors', () => {
    const searched = [...pages].flatMap(([page, html]) => (html.includes('data-pagefind-body') ? page : []));
    expect(searched.length).toBeGreaterThan(30);
    const contributors = ['benchmarks', 'tests', 'releases', 'contributing', 'decisions'].map(
      (name) => `${base}/${name}/`,
    );
    expect(searched.filter((page) => contributors.some((path) => page.startsWith(path)))).toEqual([]);
  });
});

describe('in the browser', () => {
  it.each([
    ['/', 1280, 'light'],
    ['/', 1280, 'dark'],
    ['/', 390, 'light'],
    ['/', 390, 'dark'],
    ['/reference/metrics/', 390, 'light'],
    ['/places/', 320, 'light'],
    ['/places/webflow/', 320, 'dark'],
    ['/places/hugo/', 1280, 'light'],
    ['/nowhere/', 390, 'dark'],
  ] as const)('%s has no axe violation and fits into %i pixels, %s', async (path, width, scheme) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(`${origin}${base}${path}`, { waitUntil: 'networkidle0' });
    expect(await page.$eval('html', ({ dataset }) => dataset['theme'])).toBe(scheme);
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  it.each([
    [1280, 800],
    [390, 844],
  ])('the start page shows a form that works above the fold of %i × %i pixels', async (width, height) => {
    const page = await session.browser.newPage();
    await page.setViewport({ width, height });
    await page.goto(`${origin}${base}/`, { waitUntil: 'networkidle0' });
    const button = await page.waitForSelector('.example newsletter-signup >>> [part~=button]');
    const box = await button?.boundingBox();
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    const address = await page.$('.example newsletter-signup >>> input[name=email]');
    await address?.type('ada@example.com\n');
    await page.waitForSelector('.example newsletter-signup:state(success)');
  });

  it('leads to every page from a menu on a phone', async () => {
    const page = await session.browser.newPage();
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(`${origin}${base}/`, { waitUntil: 'networkidle0' });
    await page.locator('button[popovertarget=starlight__sidebar]').click();
    await page.waitForFunction(() =>
      document.querySelector('#starlight__sidebar a[href$="/start/website/"]')?.checkVisibility(),
    );
    const listed = new Set(await page.$$eval('#starlight__sidebar a', (links) => links.map((link) => link.pathname)));
    expect(listed.size).toBeGreaterThan(30);
    const missing = [...pages.keys()].filter((path) => !listed.has(path));
    const contributors = [
      '/benchmarks/',
      '/contributing/not-testable/',
      '/contributing/tour/',
      '/releases/',
      '/tests/',
    ];
    // The start page is behind the name of the site, and the preview is a frame of the playground.
    const unlisted = ['/', '/404.html', '/playground/preview/', ...contributors];
    expect(missing.toSorted()).toEqual(unlisted.map((path) => base + path).toSorted());
  });

  it('has llms.txt with the pages for readers', async () => {
    const text = await (await fetch(`${origin}${base}/llms.txt`)).text();
    expect(text).toContain(`[Is it for me?](https://newsletter-kit.github.io${base}/about/fit/)`);
    expect(text).not.toContain('/decisions/');
  });

  it('shows what a live example posted, without a server', async () => {
    const page = await session.browser.newPage();
    await page.goto(`${origin}${base}/reference/element-layouts/`, { waitUntil: 'networkidle0' });
    // The form that the script renders: a part of it, unlike that in the slot.
    const address = await page.waitForSelector('.example newsletter-signup >>> input[part][name=email]');
    await address?.type('ada@example.com\n');
    await page.waitForFunction(() => document.querySelector('.example output')?.textContent?.includes('success'));
    expect(await page.$eval('.example output', ({ textContent }) => textContent)).toMatch(
      /newsletter-submit\nPosted: \{\n {2}"email": "ada@example\.com",\n {2}"audit": \{/,
    );
  });

  it('has the playground, with an answer for each state', async () => {
    const page = await session.browser.newPage();
    await page.goto(`${origin}${base}/playground/?state=refused&language=de&theme=harbor`);
    const frame = await (await page.waitForSelector('.frame iframe'))?.contentFrame();
    const notice = await frame?.waitForSelector('newsletter-signup:state(error) >>> [part~=notice]');
    expect(await notice?.evaluate(({ textContent }) => textContent)).toContain('We cannot take signups');
    const button = await frame?.waitForSelector('newsletter-signup >>> [part~=button]');
    expect(await button?.evaluate(({ textContent }) => textContent)).toContain('Abonnieren');
    expect(
      await frame?.$eval('link[data-theme]', (link) => link instanceof HTMLLinkElement && link.sheet !== null),
    ).toBe(true);
  });
});
