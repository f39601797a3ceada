/** What contributors read names files and code that exist. */
import { readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { git, listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

const files = listFiles();
const folders = files.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)));
const paths = [...new Set([...files, ...folders])];
const pages = files.filter((path) =>
  /^(CONTRIBUTING|docs\/README|packages\/.*\/README|docs\/src\/content\/docs\/(tests|contributing\/.*))\.md$/.test(
    path,
  ),
);

/** The words that stand as code in the text of a page, outside of its blocks. */
function codeIn(page: string): readonly string[] {
  const codes = page.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').matchAll(/(?<!`)`([^`\n]+)`(?!`)/g);
  return [...codes].flatMap(([, code = '']) => code.split(' '));
}

/** Whether a word is a path: of several parts, or a file by its ending. One that begins with a slash is of a URL. */
function isPath(word: string): boolean {
  return /^(\.?[\w*{][\w.*{},-]*\/)+([\w.*{},-]+)?$|^\.?[\w*-][\w.*-]*\.([mc]?[jt]s|json|mdx?|yaml)$/.test(word);
}

/** Whether a path exists, from the root or in a folder that the text speaks of, or a command writes it. */
function exists(path: string, page: string): boolean {
  const bare = path.replace(/\/$/, '');
  return (
    paths.some((each) => each === bare || each.endsWith(`/${bare}`)) ||
    files.some((each) => matchesGlob(each, bare) || matchesGlob(each, `**/${bare}`)) ||
    isIgnored(bare) ||
    isIgnored(join(dirname(page), bare))
  );
}

function isIgnored(path: string): boolean {
  try {
    return git(['check-ignore', path, `${path}/`]) !== '';
  } catch {
    // Git ends with 1 where it ignores none of them.
    return false;
  }
}

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

it.each(pages)('%s names paths that exist', (page) => {
  expect(
    codeIn(read(page))
      .filter(isPath)
      .filter((path) => !exists(path, page)),
  ).toEqual([]);
});

it('CONTRIBUTING.md names functions and types that exist', () => {
  const names = codeIn(read('CONTRIBUTING.md'))
    .flatMap((word) => word.split('.'))
    .filter((word) => /^[a-z]+[A-Z]\w*$|^[A-Z][a-z]+[A-Z]\w*$/.test(word));
  const code = files.filter((path) => /^(packages|widget|nodes|test)\/.*\.ts$/.test(path)).map(read);
  const missing = [...new Set(names)].filter((name) => !code.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  expect(missing).toEqual([]);
});

it('finds the paths that do not exist', () => {
  const words = codeIn(
    '`gone/file.ts`, `POST /signup`, `a.b`, `run.mjs`, `**/gone-*.ts`, `npm test -- test/docs dist/x`',
  );
  const named = words.filter(isPath);
  expect(named).toEqual(['gone/file.ts', 'run.mjs', '**/gone-*.ts', 'test/docs', 'dist/x']);
  expect(named.filter((path) => !exists(path, 'README.md'))).toEqual(['gone/file.ts', '**/gone-*.ts']);
});
