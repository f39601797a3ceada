/**
 * Configures vitest for the mutation tests of one floor, which `MUTATION_FLOOR` names, or for those of them that
 * `MUTATION_TESTS` matches. `test/mutation/run.ts` starts Stryker with it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

/** The sources of core in the copy: tests outside of its folder would resolve its name to the original, unmutated. */
const core = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8')) as {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly '@newsletter-kit/source': string }>>;
};
const alias = Object.entries(core.exports).map(([entry, { '@newsletter-kit/source': source }]) => ({
  find: new RegExp(`^${core.name}${entry.slice(1)}$`),
  replacement: join(root, 'packages/core', source),
}));

/**
 * Runs the test file first that noticed the previous mutant, which lies close to this one, then the short files. Vitest
 * alone would run the longest file first.
 */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const results = new Map(files.map((file) => [file, this.ctx.cache.getTestSpecificationResult(file)]));
    const rank = (file: TestSpecification): number => {
      const result = results.get(file);
      return result?.failed ? -1 : (result?.duration ?? 0);
    };
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  root,
  test: {
    ...base.test,
    sequence: { sequencer: QuickestFirst },
    projects: [
      {
        ...project,
        root,
        resolve: { ...project.resolve, alias },
        test: {
          ...project.test,
          include: process.env['MUTATION_TESTS'] === undefined ? [...floor.tests] : [process.env['MUTATION_TESTS']],
          exclude: ['**/*.slow.test.ts'],
          setupFiles: ['test/support/setup-file.ts', 'test/mutation/setup-file.ts'],
          // Fewer random examples for each mutant, and a smaller table.
          env: { PROPERTY_RUNS: '100', TABLE_SIZE: '20000' },
          // A test that hangs fails here. Stryker would end it too, but then has to start the test process again.
          testTimeout: floor.hangMs,
          expect: { poll: { timeout: 2000 } },
        },
      },
    ],
  },
});
