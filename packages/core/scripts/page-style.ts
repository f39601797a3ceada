/** Writes the stylesheet of pages without a script: they carry it inline, because they load nothing. */
import { readFileSync } from 'node:fs';

/** The text of `src/endpoint/page-style.ts`. */
export function writePageStyle(): string {
  const css = ['palette', 'document'].map(read).map(compact).join('');
  return [
    '/** The looks of the pages without a script. Generated from `packages/pages/src`: run `npm run generate`. */',
    `export const pageStyle = ${JSON.stringify(css)};`,
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
