/**
 * Writes the stylesheet of pages without a script, and the themes of the signup form for it: core's pages carry both
 * inline, because they load nothing.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The text of `src/endpoint/page-style.ts`. */
export function writePageStyle(): string {
  const css = ['palette', 'document'].map(read).map(compact).join('');
  return [
    '/** The looks of the pages without a script. Generated from `packages/pages/src`: run `npm run generate`. */',
    `export const pageStyle = ${JSON.stringify(css)};`,
    '',
  ].join('\n');
}

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

const themes = new URL('../../../widget/themes/', import.meta.url);

/** The text of `src/endpoint/page-themes.ts`. */
export function writePageThemes(): string {
  const written = globSync('*.css', { cwd: themes })
    .toSorted()
    .map((file) => {
      const css = compact(readFileSync(new URL(file, themes), 'utf8'));
      const [, set = ''] = /^newsletter-signup\{(.*?)\}/.exec(css) ?? [];
      const values = new Map(set.split(';').map((each) => [each.slice(0, each.indexOf(':')), each] as const));
      const follow = followers.flatMap(([theme, page]) => {
        const value = values.get(theme)?.slice(theme.length + 1);
        return value === undefined ? [] : page.map((name) => `${name}:${value}`);
      });
      return `  ${basename(file, '.css')}: ${JSON.stringify(`:root{${follow.join(';')}}`)},`;
    });
  return [
    '/** The themes of the form for pages without a script. Generated from `widget/themes`: run `npm run generate`. */',
    'export const pageThemes = {',
    ...written,
    '} as const;',
    '',
  ].join('\n');
}

function read(name: string): string {
  return readFileSync(new URL(`../../pages/src/${name}.css`, import.meta.url), 'utf8');
}

/** Removes comments and needless white space. No string of these stylesheets holds either. */
function compact(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
    .trim();
}
