/** `npm run check` in a fresh clone: it formats, and its first line names the failed check and the file. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { git } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';
import { starter } from './starter.ts';

let clone = '';

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'newsletter-check-'));
  git(['clone', '--quiet', root, clone]);
});
afterEach(() => git(['checkout', '--quiet', '.'], clone));
afterAll(() => rm(clone, { recursive: true, force: true, maxRetries: 5 }));

/** @returns the exit code, and what was printed besides the progress lines of a busy machine */
async function check(env: Readonly<Record<string, string>> = {}): Promise<{ code: number | null; lines: string[] }> {
  // CI asks for colours, and the tools print them then.
  const run = starter(['check'], { FORCE_COLOR: '1', ...env }, clone);
  const code = await run.ended;
  const lines = run.stdout().split('\n');
  return { code, lines: lines.filter((line) => line && !/^ {2}\d+ s: /.test(line)) };
}

const source = 'packages/core/src/hash.ts';
const test = 'packages/core/test/engine/token.test.ts';

it.each([
  ['a syntax error', source, 'const broken = {;\n', /^✗ Format: packages\/core\/src\/hash\.ts:\d+:\d+: Unexpected/],
  ['an unused export', source, 'export const spare = 1;\n', /^✗ Unused code: .*packages\/core\/src\/hash\.ts: spare$/],
  [
    'a type error',
    source,
    "\nconst wrong: number = 'text';\nvoid wrong;\n",
    /^✗ Types: packages\/core\/src\/hash\.ts\(/,
  ],
  [
    'a failing test',
    test,
    "\nit('fails', () => {\n  expect(1).toBe(2);\n});\n",
    /^✗ Tests: packages\/core\/test\/engine\/token\.test\.ts > fails$/,
  ],
])('reports %s', async (_mistake, file, text, line) => {
  await appendFile(join(clone, file), text);
  const { code, lines } = await check();
  expect(lines[0]).toMatch(line);
  expect(code).toBe(1);
});

it('formats a changed file, and passes', async () => {
  await appendFile(join(clone, source), '\n\n\n');
  const { code, lines } = await check();
  expect(lines[0]).toMatch(/^✓ Format .* formatted packages\/core\/src\/hash\.ts$/);
  expect(code).toBe(0);
  expect(git(['status', '--porcelain'], clone)).toBe('');
});

it('reports a fault of the tag by its tests in Chromium', async () => {
  const file = join(clone, 'widget/src/submission.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('{ ...values, ', "{ ...values, email: 'nobody@example.com', "));
  const { code, lines } = await check();
  expect(lines[0]).toMatch(/^✗ Tests of the tag: Chromium > widget\/test\//);
  expect(code).toBe(1);
});

it('reports a tag that cannot be built', async () => {
  await appendFile(join(clone, 'widget/vite.config.ts'), "\nthrow new Error('no build');\n");
  const { code, lines } = await check();
  expect(lines).toContainEqual('✗ Size of the tag: The tag cannot be built.');
  expect(code).toBe(1);
});

it('names code that no test reaches, and does not pass', async () => {
  await appendFile(join(clone, 'examples/relay/bun.js'), '\n// A comment.\n');
  const { code, lines } = await check();
  expect(lines).toContainEqual('Not checked: examples/relay/bun.js (no test reaches it)');
  expect(lines.join('\n')).not.toContain('All passed');
  expect(code).toBe(2);
});

it('needs a Chromium for the tag', async () => {
  await appendFile(join(clone, 'widget/src/submission.ts'), '\n// A comment.\n');
  const { code, lines } = await check({ CHROMIUM: '/nowhere' });
  expect(lines).toContainEqual('✗ Tests of the tag: CHROMIUM is "/nowhere", and there is no program there.');
  expect(code).toBe(1);
});

it('reports an unknown commit', async () => {
  const run = starter(['check', 'nowhere'], {}, clone);
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain('✗ git could not list the changes');
});
