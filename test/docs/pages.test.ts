/** Every page: its blocks can be judged, its links lead somewhere. `newcomer.slow.test.ts` runs the commands. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { missingCommand, readPage } from './page.ts';
import { documentationPages, leadsSomewhere } from './pages.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const others = ['*.md', 'docs/n8n/*.md', 'packages/*/*.md'];

describe.each(documentationPages())('%s', (path) => {
  const { commands, problems } = readPage(read(path));

  it('has blocks of supported languages and attributes only', () => {
    expect(problems).toEqual([]);
  });

  it('names the tests that run the commands which cannot run in a clone', () => {
    const wrong = commands.flatMap(({ text, elsewhere }) => {
      if (!elsewhere) return [];
      if (!existsSync(join(root, elsewhere.file))) return [`There is no ${elsewhere.file}.`];
      const missing = missingCommand(read(elsewhere.file), path, text);
      return missing === undefined ? [] : [`${elsewhere.file} does not run: ${missing}`];
    });
    expect(wrong).toEqual([]);
  });
});

it.each([...new Set([...documentationPages(), ...globSync(others, { cwd: root })])])(
  'the links of %s have existing targets',
  (path) => {
    expect(readPage(read(path)).links.filter((link) => !leadsSomewhere(link, path))).toEqual([]);
  },
);

it.each([
  ['https://n8n.io', true],
  ['http://n8n.io', false],
  ['https://signup.example.com/thanks', false],
  ['https://relay.example', false],
  ['https://relay', false],
  ['http://127.0.0.1:4010', true],
  ['https://127.0.0.1:4010', false],
  ['mailto:name@example.com', true],
  ['https://www.npmjs.com/package/@newsletter-kit/core', true],
  ['https://www.npmjs.com/package/@newsletter-kit/client', false],
  ['https://newsletter-kit.github.io/newsletter-kit/', true],
  ['https://newsletter-kit.github.io/newsletter-kit/start/website/', true],
  ['https://newsletter-kit.github.io/newsletter-kit/start/gone/', false],
  ['https://newsletter-kit.github.io/newsletter-kit/reference/element/', true],
  ['https://newsletter-kit.github.io/newsletter-kit/reference/gone/', false],
  ['https://newsletter-kit.github.io/start/website/', false],
  ['https://github.com/newsletter-kit/newsletter-kit/blob/main/gone.md', false],
])('an address outside of the repository is judged by its form: %s', (link, isGood) => {
  expect(leadsSomewhere(link, 'README.md')).toBe(isGood);
});
