/** `npm test -- PATH` sends each path to the runner that owns it. */
import { describe, expect, it } from 'vitest';
import { readSelection, runnerOf } from '../../scripts/test-runners.ts';
import { testFiles } from '../rings.ts';

const none = { vitest: [], widget: [], n8n: [] };

describe('the arguments of npm test', () => {
  it.each([
    ['a file of vitest', ['test/scripts/git.test.ts'], { vitest: ['test/scripts/git.test.ts'] }, []],
    ['a file of the tag', ['widget/test/attribution.test.ts'], { widget: ['widget/test/attribution.test.ts'] }, []],
    ['a file of a real n8n', ['./test/n8n/lists.test.ts'], { n8n: ['test/n8n/lists.test.ts'] }, []],
    ['options alone', ['--project', 'proofs'], {}, ['--project', 'proofs']],
    [
      'a file after an option',
      ['-u', 'packages/cli/test/readme.test.ts'],
      { vitest: ['packages/cli/test/readme.test.ts'] },
      ['-u'],
    ],
    [
      'a value with a slash',
      ['test/scripts/git.test.ts', '-t', 'a/b'],
      { vitest: ['test/scripts/git.test.ts'] },
      ['-t', 'a/b'],
    ],
  ])('are %s', async (_kind, args, files, options) => {
    expect(await readSelection(args)).toEqual({ files: { ...none, ...files }, options });
  });

  it('are a folder, of which each file goes to its runner', async () => {
    const { files } = await readSelection(['widget/test', 'test/n8n/']);
    expect(files.vitest).toEqual([]);
    expect([...files.widget, ...files.n8n]).toEqual(
      testFiles()
        .filter((path) => runnerOf(path) !== 'vitest')
        .toSorted((a, b) => Number(runnerOf(a) === 'n8n') - Number(runnerOf(b) === 'n8n')),
    );
  });

  it.each([
    [
      'widget/test/atribution.test.ts',
      /No file of tests has "widget\/test\/atribution\.test\.ts".*\n.*Did you mean widget\/test\/attribution\.test\.ts\?/,
    ],
    ['packages/nothing', /No file of tests has "packages\/nothing" in its path\.\n.*Name a file or folder of tests/],
    ['-u widget/test/nothing-like-it.test.ts', /No file of tests has/],
  ])('are refused where no runner has the path: %s', async (args, message) => {
    await expect(readSelection(args.split(' '))).rejects.toThrow(message);
  });
});
