/** The README says what is true. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readConfig, settings } from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const required = ['NEWSLETTER_API_URL', 'NEWSLETTER_API_KEY', 'NEWSLETTER_PUBLICATION_ID', 'RELAY_ALLOWED_ORIGINS'];

it('lists every setting with its default, as the code has it', () => {
  const rows = settings.map(({ name, about, default: fallback }) => {
    const preset = required.includes(name) ? 'required' : fallback === null ? '–' : `\`${fallback}\``;
    return `| \`${name}\` | ${preset} | ${about} |`;
  });
  expect(readme.split('\n').filter((line) => /^\| `(RELAY|NEWSLETTER)_/.test(line))).toEqual(rows);
});

it('shows a configuration that starts', () => {
  const [, block = ''] = /```sh\n((?:export .*\n)+)/.exec(readme) ?? [];
  const variables = Object.fromEntries(block.trim().split('\n').map((line) => line.replace('export ', '').split(/=(.*)/s).slice(0, 2) as [string, string]));
  expect(Object.keys(variables)).toEqual(required);
  expect(readConfig(variables).forms.default.origins.size).toBeGreaterThan(0);
});
