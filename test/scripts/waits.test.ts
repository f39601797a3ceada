/** What hangs is named: a time-out lists the waits that were open. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../scripts/command.ts';
import { root } from '../../scripts/root.ts';
import { reported, reporter } from '../../scripts/test-runs.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { waitUntil } from '../support/waits.ts';

it('the time-out of a test or of a hook lists the waits that were open, and no others', async () => {
  const folder = scratchFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const support = (file: string) => JSON.stringify(join(root, 'test/support', file));
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { runner: ${support('test-runner.ts')}, isolate: false } };`,
  );
  writeFileSync(
    join(folder, 'hangs.test.js'),
    `import { beforeAll, describe, it } from 'vitest';
    import { waitFor, waitUntil } from ${support('waits.ts')};
    const never = new Promise(() => {});
    it('test', { timeout: 100 }, async () => {
      await waitFor('the server listens', Promise.resolve());
      await Promise.all([
        waitFor('the store has answered', never),
        waitUntil('the file exists', () => false),
        waitUntil('both are equal', () => { throw new Error('1 is not 2'); }),
      ]);
    });
    describe('suite', () => {
      beforeAll(() => waitFor('the database is ready', never), 100);
      it('does not run', () => {});
    });
    it('without a wait', { timeout: 100 }, () => never);`,
  );
  const { failures } = await reported('tests-that-hang', (file) =>
    run('vitest', ['run', '--root', folder, `--reporter=${reporter}`], { env: { TEST_REPORT: file } }),
  );
  expect(failures.map(({ test, error }) => [test.split('hangs.test.js > ')[1], error])).toEqual([
    [
      'test',
      'TestTimeoutError: Test timed out in 100ms.\nIt waited until:\n' +
        '- the store has answered\n- the file exists\n- both are equal (1 is not 2)',
    ],
    ['without a wait', expect.stringContaining('Test timed out in 100ms.\nIf this')],
    ['suite', 'HookTimeoutError: Hook timed out in 100ms.\nIt waited until:\n- the database is ready'],
  ]);
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
