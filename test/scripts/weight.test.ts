/** The weight of the repository stays within the budgets of `docs/weight.md`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { git, listFiles } from '../../scripts/git.ts';
import { linesOfCode } from '../../scripts/lines-and-words.ts';
import { root } from '../../scripts/root.ts';
import { exceededBudgets, generate } from '../../scripts/weight-ledger.ts';
import { describeWeightChange, generated, rooms } from '../../scripts/weight.ts';

// Without a clone, as in a tarball, git cannot tell the repository's files from those that commands wrote.
describe.skipIf(!existsSync(join(root, '.git')))('the repository', () => {
  it('exceeds no budget', () => {
    expect(exceededBudgets()).toEqual([]);
  });

  it('has each file in exactly one room', () => {
    const lost = listFiles().filter((path) => Object.values(rooms).filter((paths) => paths.test(path)).length !== 1);
    expect(lost, 'Give their folder a room in scripts/weight.ts').toEqual([]);
  });

  it('has every generated file that the list names', () => {
    const files = listFiles();
    expect(generated.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)))).toEqual([]);
  });

  it('lists every file that says that a command writes it', () => {
    const saying = listFiles().filter(
      (path) => /\.(ts|md)$/.test(path) && /^(\/\*\*|#)[^`]*\bGenerated\b/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(saying.length).toBeGreaterThan(3);
    expect(saying.filter((path) => !generated.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
  });
});

describe('a line of code', () => {
  it.each([
    ['is neither blank nor a comment', 'a.ts', '// one\n\n/**\n * two\n */\nrun(); // three\n\nstop();\n', 2],
    ['may contain the signs of a comment', 'a.ts', "glob('**/*.ts');\nget('https://a.example');\nglob('*/**');\n", 3],
    ['may belong to a text of several lines', 'a.ts', 'say(`\n// a line\n\n/* another */\n`);\n', 4],
    ['may contain an expression in a text', 'a.ts', 'say(`${a /* no\n// code\n*/}`);\n', 2],
    ['may end a regular expression', 'a.mjs', 'const slashes = /[/*]/;\n// no code\nconst next = 1; /* */\n', 2],
    ['may be markup in a script', 'a.tsx', 'const a = (\n  <p>\n    // text\n  </p>\n);\n', 5],
    ['is counted after letters of any size', 'a.ts', "say('😀 é');\n// é\nsay('😀');\n", 2],
    ['may be a style', 'a.css', "/* a\n b */\na::after {\n  content: '/*';\n}\n/* c */\n", 3],
    [
      'may be in a page, its style or its script',
      'a.html',
      '<!-- a\n-->\n<style>\n/* b */\na {}\n</style>\n<script type="module">\n// c\nrun();\n</script>\n<p>// d</p>\n',
      7,
    ],
    ['may be in a component', 'a.astro', '---\n// a\nconst b = 1;\n---\n<p>{b}</p>\n', 4],
    ['may be in PHP', 'a.php', "<?php\n# a\n// b\n/* c\n*/\n$a = 'image/*';\n#[D]\n$b = '// e';\n?>\n<p>It's</p>\n", 6],
    ['may be in a shell script', 'run', '#!/bin/sh\n# a\necho "# b"\n', 1],
  ])('%s', (_, name, text, lines) => {
    expect(linesOfCode(name, text)).toBe(lines);
  });

  it.each(['package.json', 'ci.yml', 'LICENSE', 'photo.png'])('is none in %s', (name) => {
    expect(linesOfCode(name, 'a\n')).toBeUndefined();
  });
});

describe('a clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'newsletter-weight-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ledger = join(folder, 'docs/weight.md');
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const code = (lines: number) => 'run();\n'.repeat(lines);
  const rowOf = (start: string) =>
    readFileSync(ledger, 'utf8')
      .split('\n')
      .find((line) => line.startsWith(start));

  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    write({
      'docs/weight.md': '<!-- weight -->\n\n\n\n<!-- /weight -->\n',
      'packages/core/src/a.ts': code(1000),
      'packages/core/src/b.ts': code(8),
      'packages/core/test/a.test.ts': code(100),
      'packages/core/README.md': 'Four words stand here.\n',
      'test/n8n/host/pnpm-lock.yaml': 'a: 1\n\nb: 2\n',
    });
    git(['init', '--quiet'], folder);
    git(['add', '--all'], folder);
    git(['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', 'Begin'], folder);
    write(generate(folder));
  });

  it('gets a table with a budget 3 % above each figure, and 20 above small ones', () => {
    expect(readFileSync(ledger, 'utf8').split('\n').slice(4, -3)).toEqual([
      '| core | product | 1,008 | 1,039 |  |',
      '| core | tests | 100 | 120 |  |',
      '| core | words | 4 | 24 |  |',
      '| test | generated | 2 | – |  |',
      '| all | product | 1,008 | – |  |',
      '| all | tests | 100 | – |  |',
      '| all | words | 4 | – |  |',
      '| all | generated | 2 | – |  |',
    ]);
    expect(exceededBudgets(folder)).toEqual([]);
  });

  it('exceeds no budget with the last line that it allows, and names room, figure and remedy with the next', () => {
    write({ 'packages/core/src/b.ts': code(39) });
    expect(exceededBudgets(folder)).toEqual([]);
    write({ 'packages/core/src/b.ts': code(40) });
    expect(exceededBudgets(folder)).toEqual([
      'core has 1,040 lines of product, 1 above the budget of 1,039. Remove some, or write "up to 1,072: " and one sentence with the reason into the last cell of its row in docs/weight.md.',
    ]);
  });

  it('may exceed a budget as far as a sentence says', () => {
    write({ 'packages/core/src/b.ts': code(40) });
    write({ 'docs/weight.md': readFileSync(ledger, 'utf8').replace('1,039 |  |', '1,039 | up to 1,050: It plans. |') });
    expect(exceededBudgets(folder)).toEqual([]);
    write({ 'packages/core/src/b.ts': code(51) });
    expect(exceededBudgets(folder)).toEqual([expect.stringContaining('1 above the budget of 1,050')]);
  });

  it('keeps budget and sentence of a room above it, and lowers the budget of one that shrank', () => {
    write({ 'packages/core/src/b.ts': code(40) });
    write({ 'docs/weight.md': readFileSync(ledger, 'utf8').replace('1,039 |  |', '1,039 | up to 1,050: It plans. |') });
    write(generate(folder));
    expect(rowOf('| core | product')).toBe('| core | product | 1,040 | 1,039 | up to 1,050: It plans. |');
    write({ 'packages/core/src/b.ts': '' });
    write(generate(folder));
    expect(rowOf('| core | product')).toBe('| core | product | 1,000 | 1,030 |  |');
  });

  it.each(['| core | product | 1 | 1 | It plans. |', '| core | product | 1 | many |  |', '| core | product |'])(
    'has no row such as %s',
    (row) => {
      write({ 'docs/weight.md': readFileSync(ledger, 'utf8').replace(rowOf('| core | product') ?? '', row) });
      expect(() => exceededBudgets(folder)).toThrow(`docs/weight.md has a row that cannot be read: ${row}`);
    },
  );

  it('exceeds its budgets with code that has no room', () => {
    write({ 'attic/old.ts': code(3) });
    expect(exceededBudgets(folder)).toEqual([expect.stringMatching(/^no room has 3 lines of product, and no budget/)]);
  });

  it('describes what changed since a commit, deleted files and those that git does not know yet included', () => {
    git(['checkout', '--quiet', '--', '.'], folder);
    expect(describeWeightChange('HEAD', folder)).toBe('no change');
    rmSync(join(folder, 'packages/core/src/b.ts'));
    write({
      'packages/core/test/a.test.ts': code(104),
      'packages/core/test/a new.test.ts': `// why\n${code(1)}`,
      'docs/page.md': 'Two words.\n\n```sh\nnpm start\n```\n',
      'test/n8n/host/pnpm-lock.yaml': '',
    });
    expect(describeWeightChange('HEAD', folder)).toBe('core −8 product, +5 tests · docs +2 words · test −2 generated');
  });

  it('has the same weight with the line endings of Windows', () => {
    write({
      'packages/core/src/a.ts': code(1000).replaceAll('\n', '\r\n'),
      'docs/page.md': '---\r\na: b\r\n---\r\nOne.\r\n',
    });
    expect(describeWeightChange('HEAD', folder)).toBe('docs +1 words');
    write({ 'docs/weight.md': readFileSync(ledger, 'utf8').replaceAll('\n', '\r\n') });
    expect(exceededBudgets(folder)).toEqual([expect.stringMatching(/^docs has 1 words/)]);
  });

  it('may have a link to a folder', () => {
    symlinkSync(join(folder, 'docs'), join(folder, 'pages'), 'junction');
    expect(exceededBudgets(folder)).toEqual([]);
    expect(describeWeightChange('HEAD', folder)).not.toContain('no room');
  });

  it('is needed for the list of files: without .git the error says so', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    expect(() => exceededBudgets(folder)).toThrow('This folder is no clone');
  });
});
