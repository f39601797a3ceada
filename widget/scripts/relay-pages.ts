/** Writes what the pages and mails of the relay take from the form: its words in each language, and its themes. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { english } from '../src/messages.ts';

const widget = new URL('../', import.meta.url);

/** The words of the form that a page has too. */
const shared = [
  'emailLabel',
  'button',
  'optional',
  'thanks',
  'emailInvalid',
  'missing',
  'notTicked',
  'refused',
  'tooLong',
  'limited',
  'unavailable',
  'later',
] as const satisfies readonly (keyof typeof english)[];

/** The text of each generated file, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  return {
    'packages/relay/src/pages/form-words.json': json({ en: of(english), ...byFile('src/languages/*.json', read) }),
    'packages/relay/src/pages/themes.json': json(byFile('themes/*.css', themeOf)),
  };
}

const read = (text: string) => of(JSON.parse(text) as Record<(typeof shared)[number], string>);

const of = (words: Readonly<Record<(typeof shared)[number], string>>) =>
  Object.fromEntries(shared.map((key) => [key, words[key]]));

/** What a theme of the signup form sets, and the variables of a page that follow it. */
const followers: readonly (readonly [theme: string, page: readonly string[]])[] = [
  ['--newsletter-surface', ['--page', '--card']],
  ['--newsletter-field', ['--sunk']],
  ['--newsletter-border', ['--edge']],
  ['--newsletter-text', ['--ink']],
  ['--newsletter-muted', ['--soft']],
  ['--newsletter-accent', ['--accent']],
  ['--newsletter-on-accent', ['--on-accent']],
  ['--newsletter-danger', ['--bad']],
  ['font-family', ['--sans']],
];

function themeOf(css: string): string {
  const [, set = ''] = /newsletter-signup\s*\{(.*?)\}/s.exec(css.replaceAll(/\/\*.*?\*\//gs, '')) ?? [];
  const lines = [...set.matchAll(/([\w-]+)\s*:\s*([^;]*)/g)];
  const values = new Map(lines.map(([, name = '', value = '']) => [name, value.trim().replaceAll(/\s+/g, ' ')]));
  const follow = followers.flatMap(([theme, page]) => {
    const value = values.get(theme);
    return value === undefined ? [] : page.map((name) => `${name}:${value}`);
  });
  return `:root{${follow.join(';')}}`;
}

/** The files by their names without the extension. */
function byFile<Content>(pattern: string, content: (text: string) => Content): Readonly<Record<string, Content>> {
  const files = globSync(pattern, { cwd: widget }).toSorted();
  return Object.fromEntries(
    files.map((file) => [basename(file).replace(/\..*$/, ''), content(readFileSync(new URL(file, widget), 'utf8'))]),
  );
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
