/** The summary of a test run, which CI reads: the counts, never "0 failed" after a failure, and the failures. */
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../../scripts/root.ts';
import { runCaptured } from '../../scripts/command.ts';
import { git } from '../../scripts/git.ts';
import { check, runSteps, type StepOutcome } from '../../scripts/run-steps.ts';
import { reported, reporter, runVitest } from '../../scripts/test-runs.ts';
import { forgetIfChanged, stateOfRepository } from '../support/passed-files.ts';

const printed: string[] = [];
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(...line.split('\n')));
});
afterEach(() => {
  printed.length = 0;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const tests = (title: string, outcome: StepOutcome) => ({ title, run: () => Promise.resolve(outcome) });
const holds = check('Lint', () => Promise.resolve(true));
const fails = check('Lint', () => Promise.resolve(false));

describe('the last line of a test run', () => {
  it.each([
    [
      'adds the counts of all runners',
      [holds, tests('A', { ok: true, passed: 3, failed: 0 }), tests('B', { ok: true, passed: 4, failed: 0 })],
      '7 passed, 0 failed',
      true,
    ],
    ['counts failed tests', [tests('A', { ok: false, passed: 3, failed: 2 })], '3 passed, 2 failed', false],
    [
      'counts a failed check once',
      [fails, tests('A', { ok: true, passed: 3, failed: 0 })],
      '3 passed, 1 failed',
      false,
    ],
    [
      'counts a runner that failed without a failed test',
      [tests('A', { ok: false, passed: 0, failed: 0 })],
      '0 passed, 1 failed',
      false,
    ],
  ])('%s', async (_name, steps, line, passed) => {
    expect(await runSteps(steps)).toBe(passed);
    expect(printed.at(-1)).toBe(line);
  });

  it('is left out where no tests ran', async () => {
    expect(await runSteps([holds])).toBe(true);
    expect(printed.join('\n')).not.toContain('passed,');
  });
});

it('steps run side by side, and in order within a sequence', async () => {
  const events: string[] = [];
  const step = (title: string, waits: () => Promise<unknown>) =>
    check(title, async () => {
      events.push(`${title} begins`);
      await waits();
      events.push(`${title} ends`);
      return true;
    });
  const { promise: lastBegins, resolve } = Promise.withResolvers<void>();
  // "slow" ends only once the sequence beside it has reached its last step.
  const slow = step('slow', () => lastBegins);
  const first = step('first', () => Promise.resolve());
  const last = step('last', async () => resolve());
  const after = step('after', () => Promise.resolve());
  expect(await runSteps([[slow, [first, last]], after])).toBe(true);
  expect(events.indexOf('first ends')).toBeLessThan(events.indexOf('last begins'));
  expect(events.indexOf('slow begins')).toBeLessThan(events.indexOf('last begins'));
  expect(events.slice(-2)).toEqual(['after begins', 'after ends']);
});

describe('the summary', () => {
  const failures = (count: number, error = 'AssertionError: 1 is not 2') =>
    Array.from({ length: count }, (_, index) => ({ test: `a.test.ts > case ${index}`, error }));

  it('lists failures after the steps and before the last line', async () => {
    await runSteps([
      tests('A', { ok: false, passed: 3, failed: 1, failures: failures(1) }),
      tests('B', { ok: true, passed: 4, failed: 0 }),
    ]);
    const summary = printed.slice(printed.indexOf('━━ Summary') + 1).filter(Boolean);
    expect(summary).toEqual([
      expect.stringMatching(/^✗ A /),
      expect.stringMatching(/^✓ B /),
      '✗ a.test.ts > case 0',
      '    AssertionError: 1 is not 2',
      '7 passed, 1 failed',
    ]);
  });

  it('is limited in length, and counts the failures it leaves out', async () => {
    const long = Array.from({ length: 50 }, (_, line) => `line ${line} ${'x'.repeat(2000)}`).join('\n');
    await runSteps([tests('A', { ok: false, passed: 0, failed: 30, failures: failures(30, long) })]);
    const summary = printed.slice(printed.indexOf('━━ Summary'));
    expect(summary.length).toBeLessThan(300);
    expect(Math.max(...summary.map((line) => line.length))).toBeLessThan(300);
    expect(summary).toContain('… and 10 more');
    expect(printed.at(-1)).toBe('0 passed, 30 failed');
  });
});

it('a part that hangs is ended by the time limit, and the summary names what ran and what did not', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const hangs = check(
    'Hangs',
    async () => (await runCaptured(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])).ok,
  );
  const minutes = 0.01;
  expect(await runSteps([tests('A', { ok: true, passed: 3, failed: 0 }), [[hangs, holds]], holds], minutes)).toBe(
    false,
  );
  expect(printed.slice(printed.indexOf('━━ Summary') + 1).filter(Boolean)).toEqual([
    expect.stringMatching(/^✓ A /),
    expect.stringMatching(/^✗ Hangs .*ended by the time limit of 0\.01 minutes$/),
    '✗ Lint: not begun before the time limit of 0.01 minutes',
    '✗ Lint: not begun before the time limit of 0.01 minutes',
    '3 passed, 3 failed',
  ]);
});

describe('what passed before counts', () => {
  it('until a file, or a variable that tests read, is another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    git(['init', '--quiet'], folder);
    await mkdir(join(folder, 'test'));
    await writeFile(join(folder, 'test', 'a.test.ts'), "Number(process.env['STORM_SIZE'])");
    const state = (variables = {}) => stateOfRepository(folder, variables);
    const before = state();
    expect([state(), state({ STORM_COLOUR: 'green' })]).toEqual([before, before]);
    const larger = state({ STORM_SIZE: '7' });
    const given = stateOfRepository(folder);
    // As a step does that finds a browser for those after it.
    vi.stubEnv('STORM_SIZE', '7');
    expect(stateOfRepository(folder)).toBe(given);
    await writeFile(join(folder, 'test', 'b.txt'), '');
    expect(new Set([before, larger, state()]).size).toBe(3);
  });
});

describe('vitest', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reported-'));
    // An error outside of tests makes a run forget what passed: not what the run around this one keeps.
    vi.stubEnv('TEST_PASSED', '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  }

  const start = (name: string) =>
    reported(name, (file) =>
      runCaptured('vitest', ['run', '--root', folder, `--reporter=${reporter}`], { env: { TEST_REPORT: file } }),
    );

  it('leaves out the files that passed before on the same files of the repository', async () => {
    const test = 'test/scripts/typed-tables.test.ts';
    const passed = join(root, '.cache', 'reports', stateOfRepository());
    onTestFinished(() => rm(passed, { force: true }));
    vi.stubEnv('TEST_PASSED', passed);
    const first = await runVitest('resumed', [test]);
    expect(first.passed).toBeGreaterThan(0);
    expect(await readFile(passed, 'utf8')).toBe(`${test}\n`);
    expect(await runVitest('resumed', [test])).toMatchObject({ ok: true, passed: 0 });

    await rename(passed, `${passed}-of-other-files`);
    vi.stubEnv('TEST_PASSED', `${passed}-of-other-files`);
    forgetIfChanged();
    await expect(readFile(`${passed}-of-other-files`)).rejects.toThrow('ENOENT');
  });

  it('reports failed tests and errors outside of tests', async () => {
    await write({
      'fails.test.js':
        "import { expect, it } from 'vitest'; it('adds up', () => expect(1 + 1).toBe(3)); it('holds', () => {}); it.skip('waits', () => {});",
      'hook.test.js':
        "import { afterAll, describe, it } from 'vitest'; describe('a server', () => { afterAll(() => { throw new Error('does not stop'); }); it('answers', () => {}); });",
      'unloaded.test.js': "throw new Error('not today');",
      'late.test.js':
        "import { it } from 'vitest'; it('ends too early', async () => { void Promise.reject(new Error('nobody waited')); await new Promise(setImmediate); });",
    });
    const { ok, passed, failed, failures } = await start('tests-that-fail');
    expect({ ok, passed, failed }).toEqual({ ok: false, passed: 3, failed: 4 });
    const messages = failures.map(({ test, error }) => `${test}: ${error}`);
    for (const part of [
      /fails\.test\.js > adds up: AssertionError: expected 2 to be 3/,
      /hook\.test\.js.*: Error: does not stop/,
      /unloaded\.test\.js: Error: not today/,
      /late\.test\.js, outside of its tests: Error: nobody waited/,
    ]) {
      expect(messages).toContainEqual(expect.stringMatching(part));
    }
    expect(messages).toHaveLength(4);
  });
});
