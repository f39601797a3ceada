/** Every tag of the documentation that has its endpoint, in a form of the page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { openIn, script, signUp } from './outer-form.ts';
import { setStage } from './stage.ts';

const stage = setStage();

/** The tags of the documentation that have their endpoint. */
const documented = globSync(['README.md', 'widget/README.md', 'docs/src/content/docs/**/*.md'], { cwd: root }).flatMap(
  (path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /<newsletter-signup [^>{]*endpoint="(https:[^"]*)"[^>{]*>[^]*?<\/newsletter-signup>/g,
      ),
    ].map(([markup, endpoint = ''], index) => ({ name: `${path}, ${index + 1}`, markup, endpoint })),
);

it('are some', () => expect(documented.length).toBeGreaterThan(5));

it.each(documented)('$name signs up', async ({ name, markup, endpoint }) => {
  const path = `/documented-${documented.findIndex((each) => each.name === name)}`;
  const { page, relay } = await openIn(stage, path, (address) => markup.replaceAll(endpoint, address) + script());
  await signUp(page, 'ada@example.com');
  await relay.subscription('ada@example.com');
  await page.close();
});
