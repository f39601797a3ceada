/** What hangs is named: a time-out lists the waits that were open. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCaptured } from '../../scripts/command.ts';
import { root } from '../../scripts/root.ts';
import { reported, reporter } from '../../scripts/test-runs.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { waitUntil } from '../support/waits.ts';

const support = join(root, 'test/support');

/** The failures of these files of tests, by their titles, with the repository's own runner. */
async function failuresOf(
  files: Readonly<Record<string, string>>,
): Promise<readonly (readonly [title: string, error: string])[]> {
  const folder = scratchFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const config = { runner: join(support, 'test-runner.ts'), isolate: false, maxWorkers: 2, testTimeout: 1000 };
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: ${JSON.stringify(config)} };`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { failures } = await reported('tests-that-hang', (file) =>
    runCaptured('vitest', ['run', '--root', folder, `--reporter=${reporter}`], { env: { TEST_REPORT: file } }),
  );
  return failures
    .map(({ test, error }) => [test.split(' > ').at(-1) ?? '', error] as const)
    .toSorted(([one], [other]) => one.localeCompare(other));
}

it('the time-out of a test or of a hook lists the waits that were open, and no others', async () => {
  const head = `import { beforeAll, describe, it } from 'vitest';
    import { waitFor, waitUntil } from ${JSON.stringify(join(support, 'waits.ts'))};
    const never = new Promise(() => {});`;
  const failures = await failuresOf({
    'hangs.test.js': `${head}
    it('test', { timeout: 100 }, async () => {
      await waitFor('the server listens', Promise.resolve());
      await Promise.all([
        waitFor('the store has answered', never),
        waitUntil('the file exists', () => false),
        waitUntil('both are equal', () => { throw new Error('1 is not 2'); }),
      ]);
    });
    it('without a wait', { timeout: 100 }, () => never);`,
    'hangs-too.test.js': `${head}
    describe('suite', () => {
      beforeAll(() => waitFor('the database is ready', never), 100);
      it('does not run', () => {});
    });`,
  });
  expect(failures).toEqual([
    ['suite', 'HookTimeoutError: Hook timed out in 100ms.\nIt waited until:\n- the database is ready'],
    [
      'test',
      'TestTimeoutError: Test timed out in 100ms.\nIt waited until:\n' +
        '- the store has answered\n- the file exists\n- both are equal (1 is not 2)',
    ],
    ['without a wait', expect.stringContaining('Test timed out in 100ms.\nIf this')],
  ]);
});

it('a slow test has four minutes, and a fast one after it the limit of its configuration', async () => {
  const fails = (title: string) =>
    `import { it } from 'vitest'; it('${title}', ({ task }) => { throw new Error(task.timeout < 200_000 ? 'less' : task.timeout); });`;
  // Vitest begins with the longest files, and two processes run the others after them.
  const slow = (title: string) => `${fails(title)} // ${'.'.repeat(1000)}`;
  const files = {
    'a.slow.test.ts': slow('slow'),
    'b.slow.test.ts': slow('slow too'),
    'c.test.ts': fails('fast'),
    'd.test.ts': fails('fast too'),
  };
  expect(new Map(await failuresOf(files))).toEqual(
    new Map([
      ['slow', 'Error: 240000'],
      ['slow too', 'Error: 240000'],
      ['fast', 'Error: less'],
      ['fast too', 'Error: less'],
    ]),
  );
});

it('a condition holds once it neither throws nor returns false or null', async () => {
  const results = [false, null, new Error('not yet'), 0];
  const condition = () => {
    const result = results.shift() ?? null;
    if (result instanceof Error) throw result;
    return result;
  };
  expect(await waitUntil('a value is there', condition)).toBe(0);
  await waitUntil('an assertion holds', () => expect(results).toEqual([]));
});

it('a wait with a limit of its own ends with its name', async () => {
  const error = new Error('the port is closed');
  const wait = waitUntil('the server listens', () => Promise.reject(error), 30);
  await expect(wait).rejects.toMatchObject({
    message: 'This did not happen: the server listens (the port is closed)',
    cause: error,
  });
});
