/** Which tests reach a file, in a small clone. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../scripts/git.ts';
import { isBuiltInto, readImports, relatedTests, type ImportGraph } from '../../scripts/import-graph.ts';

const files: Readonly<Record<string, string>> = {
  'packages/one/package.json': JSON.stringify({
    name: '@newsletter-kit/one',
    exports: { './signup': { '@newsletter-kit/source': './src/signup/index.ts', default: './dist/signup/index.js' } },
    imports: { '#page': './dist/page/files.js' },
  }),
  'packages/one/src/signup/index.ts': "export * from './fields.ts';\nexport type { Kind } from './kinds.ts';\n",
  'packages/one/src/signup/fields.ts': 'export const fields = [];\n',
  'packages/one/src/signup/kinds.ts': 'export type Kind = 1;\n',
  'packages/one/src/lazy.ts':
    "import type * as Part from './part.ts';\nexport const load = (): Promise<typeof Part> => import('./part.ts');\n",
  'packages/one/src/part.ts': 'export const part = 1;\n',
  'packages/one/src/main.ts': "import files from '#page';\n// It never reads './unused.ts'.\nconsole.log(files);\n",
  'packages/one/src/unused.ts': 'export const unused = 1;\n',
  'packages/one/page/vite.config.ts': 'export default {};\n',
  'packages/one/page/index.html': '<script type="module" src="./page.ts"></script>\n',
  'packages/one/page/page.ts': "import './page.css';\n",
  'packages/one/page/page.css': 'p { color: red }\n',
  'packages/one/test/fields.test.ts': "import { fields } from '../src/signup/fields.ts';\nfields;\n",
  'packages/one/test/lazy.test.ts': "import { load } from '../src/lazy.ts';\nload();\n",
  'packages/one/test/process.ts': "export const main = new URL('../src/main.ts', import.meta.url);\n",
  'packages/one/test/main.slow.test.ts': "import { main } from './process.ts';\nmain;\n",
  'tag/package.json': JSON.stringify({ name: '@newsletter-kit/signup', exports: { '.': './dist/index.js' } }),
  'tag/vite.config.ts': 'export default {};\n',
  'tag/src/index.ts': "import { fields } from '@newsletter-kit/one/signup';\nfields;\n",
  'tag/test/form.test.ts': "import '../src/index.ts';\n",
  'site/pages/start.md': '# Start\n',
  'site/logo.svg': '<svg/>\n',
  'test/site/pages.test.ts': "const folder = 'site/pages';\nfolder;\n",
};

let clone: string;
let graph: ImportGraph;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'newsletter-graph-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await writeFile(join(clone, path), text);
  }
  git(['init', '--quiet'], clone);
  graph = readImports(clone);
});
afterAll(() => rm(clone, { recursive: true, force: true }));

const reaching = (file: string): readonly string[] =>
  relatedTests(graph, file).map(({ file: test, distance }) => `${test} ${distance}`);

describe('a file is reached by the tests', () => {
  it.each([
    [
      'that import it, and those that import what imports it, across packages',
      'packages/one/src/signup/fields.ts',
      ['packages/one/test/fields.test.ts 1', 'tag/test/form.test.ts 3'],
    ],
    ['of a file that loads it on demand', 'packages/one/src/part.ts', ['packages/one/test/lazy.test.ts 2']],
    ['that start it as a program', 'packages/one/src/main.ts', ['packages/one/test/main.slow.test.ts 2']],
    [
      'of the program that serves the page it is built into',
      'packages/one/page/page.css',
      ['packages/one/test/main.slow.test.ts 6'],
    ],
    ['that name a folder around it, if it is no module', 'site/pages/start.md', ['test/site/pages.test.ts 1']],
    ['of which it is one', 'packages/one/test/lazy.test.ts', ['packages/one/test/lazy.test.ts 0']],
    ['that do more than mention it in a comment', 'packages/one/src/unused.ts', []],
    ['that name its folder by more than a word', 'site/logo.svg', []],
  ])('%s', (_rule, file, tests) => {
    expect(reaching(file)).toEqual(tests);
  });
});

it('types are reached by no test, and known as types', () => {
  expect(reaching('packages/one/src/signup/kinds.ts')).toEqual([]);
  expect([...graph.typesOnly]).toEqual(['packages/one/src/signup/kinds.ts']);
});

it('a package is built from what its manifest publishes, and from what that imports', () => {
  expect(isBuiltInto(graph, 'packages/one/src/signup/fields.ts', 'tag/vite.config.ts')).toBe(true);
  expect(isBuiltInto(graph, 'packages/one/src/part.ts', 'tag/vite.config.ts')).toBe(false);
});
