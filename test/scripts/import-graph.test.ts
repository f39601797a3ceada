/** Which tests reach a file, in a small clone. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../scripts/git.ts';
import { isBuiltInto, readImports, relatedTests, type ImportGraph } from '../../scripts/import-graph.ts';

const files: Readonly<Record<string, string>> = {
  'packages/core/package.json': JSON.stringify({
    name: '@newsletter-kit/core',
    exports: { './signup': { '@newsletter-kit/source': './src/signup/index.ts', default: './dist/signup/index.js' } },
    imports: { '#page': './dist/page/files.js' },
  }),
  'packages/core/src/signup/index.ts': "export * from './fields.ts';\nexport type { Kind } from './kinds.ts';\n",
  'packages/core/src/signup/fields.ts': 'export const fields = [];\n',
  'packages/core/src/signup/kinds.ts': 'export type Kind = 1;\n',
  'packages/core/src/lazy.ts':
    "import type * as Part from './part.ts';\nexport const load = (): Promise<typeof Part> => import('./part.ts');\n",
  'packages/core/src/part.ts': 'export const part = 1;\n',
  'packages/core/src/main.ts': "import files from '#page';\n// It never reads './unused.ts'.\nconsole.log(files);\n",
  'packages/core/src/unused.ts': 'export const unused = 1;\n',
  'packages/core/page/vite.config.ts': 'export default {};\n',
  'packages/core/page/index.html': '<script type="module" src="./page.ts"></script>\n',
  'packages/core/page/page.ts': "import './page.css';\n",
  'packages/core/page/page.css': 'p { color: red }\n',
  'packages/core/test/fields.test.ts': "import { fields } from '../src/signup/fields.ts';\nfields;\n",
  'packages/core/test/lazy.test.ts': "import { load } from '../src/lazy.ts';\nload();\n",
  'packages/core/test/process.ts': "export const main = new URL('../src/main.ts', import.meta.url);\n",
  'packages/core/test/main.slow.test.ts': "import { main } from './process.ts';\nmain;\n",
  'widget/package.json': JSON.stringify({ name: '@newsletter-kit/signup', exports: { '.': './dist/index.js' } }),
  'widget/vite.config.ts': 'export default {};\n',
  'widget/src/index.ts': "import { fields } from '@newsletter-kit/core/signup';\nfields;\n",
  'widget/test/form.test.ts': "import '../src/index.ts';\n",
  'docs/pages/start.md': '# Start\n',
  'docs/logo.svg': '<svg/>\n',
  'test/docs/pages.test.ts': "const folder = 'docs/pages';\nfolder;\n",
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
      'packages/core/src/signup/fields.ts',
      ['packages/core/test/fields.test.ts 1', 'widget/test/form.test.ts 3'],
    ],
    ['of a file that loads it on demand', 'packages/core/src/part.ts', ['packages/core/test/lazy.test.ts 2']],
    ['that start it as a program', 'packages/core/src/main.ts', ['packages/core/test/main.slow.test.ts 2']],
    [
      'of the program that serves the page it is built into',
      'packages/core/page/page.css',
      ['packages/core/test/main.slow.test.ts 6'],
    ],
    ['that name a folder around it, if it is no module', 'docs/pages/start.md', ['test/docs/pages.test.ts 1']],
    ['of which it is one', 'packages/core/test/lazy.test.ts', ['packages/core/test/lazy.test.ts 0']],
    ['that do more than mention it in a comment', 'packages/core/src/unused.ts', []],
    ['that name its folder by more than a word', 'docs/logo.svg', []],
  ])('%s', (_rule, file, tests) => {
    expect(reaching(file)).toEqual(tests);
  });
});

it('types are reached by no test, and known as types', () => {
  expect(reaching('packages/core/src/signup/kinds.ts')).toEqual([]);
  expect([...graph.typesOnly]).toEqual(['packages/core/src/signup/kinds.ts']);
});

it('a package is built from what its manifest publishes, and from what that imports', () => {
  expect(isBuiltInto(graph, 'packages/core/src/signup/fields.ts', 'widget/vite.config.ts')).toBe(true);
  expect(isBuiltInto(graph, 'packages/core/src/part.ts', 'widget/vite.config.ts')).toBe(false);
});
