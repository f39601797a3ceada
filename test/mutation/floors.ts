/** The floors under mutation testing: the code that is mutated, and the tests that must notice. */

/** One part of the product that is mutated by itself. */
export interface Floor {
  /** Project of `vitest.config.mts` that the tests belong to. */
  readonly project: string;
  /** Globs of the source files to mutate; `!` in front leaves files out. */
  readonly sources: readonly string[];
  /** Globs of the test files; slow tests are always left out. */
  readonly tests: readonly string[];
}

/** A core floor is tested by the tests of its own folder. */
function coreFloor(name: string, ...tests: readonly string[]): Floor {
  return {
    project: 'core',
    sources: [`packages/core/src/${name}/**/*.ts`, `!packages/core/src/${name}/index.ts`],
    tests: [`packages/core/test/${name}/**/*.test.ts`, ...tests],
  };
}

export const floors: Readonly<Record<string, Floor>> = {
  endpoint: coreFloor('endpoint'),
  engine: coreFloor('engine', 'packages/core/test/client.test.ts'),
  import: coreFloor('import'),
  watch: coreFloor('watch'),
  sync: coreFloor('sync', 'test/proofs/sync/run.test.ts'),
  admission: {
    project: 'relay',
    sources: ['packages/relay/src/admission/**/*.ts'],
    tests: ['packages/relay/test/admission/**/*.test.ts'],
  },
  delivery: {
    project: 'relay',
    sources: ['packages/relay/src/delivery/**/*.ts'],
    tests: ['packages/relay/test/delivery/**/*.test.ts'],
  },
  dispatch: {
    project: 'nodes',
    sources: ['nodes/Newsletter/operations/dispatch.ts'],
    tests: ['test/nodes/dispatch.test.ts'],
  },
  trigger: {
    project: 'nodes',
    sources: ['nodes/Newsletter/NewsletterTrigger.node.ts', 'nodes/Newsletter/trigger/**/*.ts'],
    tests: ['test/nodes/{,units/}trigger*.test.ts'],
  },
  sandbox: {
    project: 'sandbox',
    sources: ['packages/sandbox/src/{api,world}/**/*.ts', '!packages/sandbox/src/**/seeds/**'],
    tests: [
      'packages/sandbox/test/{api,world}/**/*.test.ts',
      'packages/sandbox/test/control/{clock,inbox,profile,subscriptions}.test.ts',
      'packages/sandbox/test/oauth/api.test.ts',
    ],
  },
};

/** Share of mutants that the tests must notice on every floor, in percent. */
export const goal = 85;
