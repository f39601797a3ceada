/** Git in a checkout of another user, as in a container of CI, and `npm run check` in a checkout without history. */
import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, gitEnvironment, listFiles } from '../../scripts/git.ts';
import { root } from '../../scripts/root.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'newsletter-git-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

/** A checkout of two commits that has the scripts of this one. */
function checkout(name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  cpSync(join(root, 'scripts'), join(made, 'scripts'), { recursive: true });
  cpSync(join(root, 'package.json'), join(made, 'package.json'));
  git(['init', '--quiet'], made);
  git([...person, 'commit', '--quiet', '--allow-empty', '--message', 'Begin'], made);
  git(['add', '--all'], made);
  git([...person, 'commit', '--quiet', '--message', 'Add the scripts'], made);
  return made;
}

/** Only root can give files to another user; for others git pretends. */
const isRoot = process.getuid?.() === 0;
const pretended = isRoot ? {} : { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
/** No user of this machine has the number. */
const stranger = 54_321;

/** Runs code with what a script of the checkout exports. */
function run(made: string, script: string, code: string): string {
  const url = pathToFileURL(join(made, script)).href;
  return execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', `const script = await import(${JSON.stringify(url)});\n${code}`],
    { cwd: made, encoding: 'utf8', env: { ...process.env, ...pretended }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

describe('in a checkout of another user', () => {
  let made: string;
  beforeAll(() => {
    made = checkout('strange');
    if (!isRoot) return;
    for (const path of globSync('**', { cwd: made })) chownSync(join(made, path), stranger, stranger);
    for (const path of globSync('.git{,/**}', { cwd: made })) chownSync(join(made, path), stranger, stranger);
  });

  it('git itself refuses', () => {
    const env = { ...process.env, ...pretended, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    expect(() => execFileSync('git', ['status'], { cwd: made, encoding: 'utf8', env, stdio: 'pipe' })).toThrow(
      'dubious ownership',
    );
  });

  it('the scripts and tests list its files', () => {
    expect(run(made, 'scripts/git.ts', "console.log(script.git(['ls-files']));")).toContain('scripts/git.ts');
  });

  it('the scripts and tests clone it', () => {
    const clone = join(folder, 'clone');
    run(
      made,
      'scripts/git.ts',
      `script.git(['clone', '--quiet', script.git(['rev-parse', '--show-toplevel']).trim(), ${JSON.stringify(clone)}]);`,
    );
    expect(readFileSync(join(clone, 'scripts', 'git.ts'), 'utf8')).toContain('gitEnvironment');
  });

  it('a shell clones it with the same environment', () => {
    const clone = join(folder, 'clone-of-shell');
    const env = { PATH: process.env['PATH'], HOME: folder, ...pretended, ...gitEnvironment };
    execFileSync('git', ['clone', '--quiet', made, clone], { env, stdio: 'pipe' });
    expect(readFileSync(join(clone, 'scripts', 'git.ts'), 'utf8')).toContain('gitEnvironment');
  });

  it('npm run check compares with a commit', () => {
    expect(run(made, 'scripts/changes.ts', "console.log(script.findChanges('HEAD~1').files);")).toContain(
      'scripts/git.ts',
    );
  });
});

describe('npm run check says what it needs', () => {
  const check = (made: string): string =>
    run(
      made,
      'scripts/changes.ts',
      'try { script.findChanges() } catch (error) { console.log(error.name, error.message) }',
    );

  it('in a clone without history', () => {
    const shallow = join(folder, 'shallow');
    git(['clone', '--quiet', '--depth', '1', pathToFileURL(checkout('deep')).href, shallow]);
    expect(check(shallow)).toBe(
      'UserError ✗ This clone has no history, so git cannot list what the last commit changed.\n' +
        '  Run "git fetch --unshallow" first, or "npm test", which needs no history.\n',
    );
  });

  it('in a folder that is no clone', () => {
    const plain = checkout('plain');
    rmSync(join(plain, '.git'), { recursive: true });
    expect(check(plain)).toMatch(
      /^UserError ✗ git could not list the changes: [^\n]+\.\n {2}This folder is no clone[^\n]+\.\n$/,
    );
  });
});

describe('every call of git', () => {
  /** A program and arguments, or a command for a shell. */
  const call = /\(\s*(['"`])git\1|\bexec\w*\(\s*['"`]git\s/;
  const clone = /\bgit clone\b(?=.*\$\{)/;
  const sources = listFiles()
    .filter((file) => /\.(m?ts|m?js)$/.test(file) && !/^(test\/)?scripts\/git(\.test)?\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

  it('goes through scripts/git.ts', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter(({ text }) => call.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('of a shell has its environment', () => {
    const cloning = sources.filter(({ text }) => clone.test(text));
    expect(cloning.map(({ file }) => file)).toContain('packages/relay/test/deploy.slow.test.ts');
    expect(cloning.filter(({ text }) => !text.includes('...gitEnvironment')).map(({ file }) => file)).toEqual([]);
  });

  it.each(["spawn('git', ['status'])", 'execSync(`git status`)', "run(\n  'git',\n  [])"])('is found in %j', (text) => {
    expect(text).toMatch(call);
  });
});
