/** `npm run check` runs the tests beside the changed files. */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { testsOf } from '../../scripts/quick-check.ts';
import config from '../../vitest.config.mts';

interface Project {
  readonly test: { readonly include: string[] };
}
const { projects } = (config as { test: { projects: Project[] } }).test;

describe('the tests of a changed file', () => {
  it('contain the file, for each fast test of the repository', () => {
    const files = projects.flatMap(({ test: { include } }) =>
      globSync(include, { cwd: root, exclude: ['**/*.slow.test.ts'] }),
    );
    expect(files.length).toBeGreaterThan(90);
    for (const file of files) expect(testsOf([file]).filter((path) => file.startsWith(path))).toHaveLength(1);
  });

  it.each([
    ['packages/relay/src/admission/consent.ts', ['packages/relay/test/admission']],
    ['packages/relay/src/main.ts', ['packages/relay/test']],
    ['packages/cli/src/commands/watch/command.ts', ['packages/cli/test']],
    ['nodes/Newsletter/Newsletter.node.ts', ['test/nodes']],
    ['scripts/start.ts', ['test/scripts', 'test/docs']],
    ['examples/demo/site.ts', ['test/examples']],
  ])('of %s are %j', (file, tests) => {
    expect(testsOf([file])).toEqual(tests);
  });

  it('are those of every room that walks over the contract, for an entry of the contract', () => {
    const tests = testsOf(['packages/core/src/contract/tags.ts', 'packages/sandbox/src/api/tags.ts']);
    expect(tests).toEqual([
      'packages/core/test',
      'packages/sandbox/test/api',
      'packages/sandbox/test/openapi',
      'packages/cli/test/api',
      'test/nodes/contract.test.ts',
      'test/nodes/schemas.test.ts',
    ]);
  });

  it('are named once, the folder alone where it contains the others', () => {
    expect(testsOf(['packages/relay/src/main.ts', 'packages/relay/src/ops/log.ts'])).toEqual(['packages/relay/test']);
  });

  it('do not exist for a document', () => {
    expect(testsOf(['README.md', 'widget/src/index.ts'])).toEqual([]);
  });
});
