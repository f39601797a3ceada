/**
 * Configures vitest for the mutation tests of one floor, which `MUTATION_FLOOR` names, or for those of them that
 * `MUTATION_TESTS` matches. `test/mutation/run.ts` starts Stryker with it.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import base from '../../vitest.config.mts';
import { floors } from './floors.ts';

// Stryker copies the repository and runs vitest in the root of the copy.
const root = process.cwd();
const floor = floors[process.env['MUTATION_FLOOR'] ?? ''];
if (!floor) throw new Error(`Set MUTATION_FLOOR to one of ${Object.keys(floors).join(', ')}.`);

const project = (base.test?.projects ?? []).find(
  (known): known is TestProjectInlineConfiguration =>
    typeof known === 'object' && 'test' in known && known.test?.name === floor.project,
);
if (!project) throw new Error(`vitest.config.mts has no project "${floor.project}".`);

export default defineConfig({
  root,
  test: {
    ...base.test,
    projects: [
      {
        ...project,
        root,
        test: {
          ...project.test,
          include: process.env['MUTATION_TESTS'] === undefined ? [...floor.tests] : [process.env['MUTATION_TESTS']],
          exclude: ['**/*.slow.test.ts'],
          // Stryker ends tests that hang.
          expect: { poll: { timeout: 2000 } },
        },
      },
    ],
  },
});
