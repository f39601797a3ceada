/** The table of the places where a tag can stand, and the pages that are written from it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placePages } from '../../docs/reference/places.ts';
import { writePage } from '../../docs/reference/page.ts';
import { checks, guides, snippetsFor } from '../../examples/demo/page/places.ts';
import { initialSetup } from '../../examples/demo/page/setup.ts';
import { currentOptions } from '../../examples/demo/playground.ts';
import { root } from '../../scripts/root.ts';

const options = await currentOptions();
const [comparison, ...pages] = placePages(options);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The places that readers name. */
const wanted =
  'WordPress, Webflow, Squarespace, Wix, Shopify, Framer, Ghost, Carrd, Hugo, Jekyll, Eleventy, Astro, Next.js, Nuxt, SvelteKit, Docusaurus, Google Tag Manager';

it('has a page for each place', () => {
  expect(guides.map(({ name }) => name).join(', ')).toBe(wanted);
  expect(pages.map(({ title }) => title)).toEqual(guides.map(({ name }) => `Newsletter form in ${name}`));
});

describe.each(guides)('$name', (place) => {
  const { name, platform, run, like, sources = [] } = place;
  const page = pages.find((each) => each.name === platform);
  const row = comparison?.body.split('\n').find((line) => line.startsWith(`| [${name}]`)) ?? '';

  it('calls run what a test runs there, and assumed the rest, with its source', () => {
    expect(row.match(/\*\*run\*\*/g)?.length ?? 0).toBe(run ? checks.length : 0);
    expect(row.match(/assumed/g)?.length ?? 0).toBe(run ? 0 : checks.length);
    if (run) {
      expect(existsSync(join(root, run.test)), run.test).toBe(true);
      expect(read(run.test).toLowerCase()).toContain(platform);
      expect(row).toContain(run.test);
    } else expect(sources.length).toBeGreaterThan(0);
    for (const link of sources) expect(link).toMatch(/^\[.+\]\(https:\/\/\S+\)$/);
  });

  it('has a drawing, and a picture where the form was seen', () => {
    const file = `examples/pages/${platform}.html`;
    expect(like).toBe(existsSync(join(root, file)) ? `${platform}.html` : undefined);
    expect(page?.body).toContain('<Place ');
    const picture = `examples/pictures/${platform}-light.webp`;
    expect(page?.body.includes(picture)).toBe(Boolean(run ?? like));
    expect(existsSync(join(root, picture))).toBe(Boolean(run ?? like));
  });

  it('has the snippets of the playground, each with the place where it goes', () => {
    for (const { place: where, code } of snippetsFor({ ...initialSetup, platform }, options)) {
      expect(page?.body).toContain(`**${where}:**`);
      expect(page?.body).toContain(`\n${code}\n`);
    }
  });

  it('is found by its name', () => {
    expect(page && writePage(page, 1)).toContain(`keywords: "${name} newsletter form`);
  });
});
