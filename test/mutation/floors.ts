/** The floors under mutation testing: the code that is mutated, and the tests that must notice. */

/** One part of the product that is mutated by itself. */
export interface Floor {
  /** Project of `vitest.config.mts` that the tests belong to. */
  readonly project: string;
  /** Globs of the source files to mutate; `!` in front leaves files out. */
  readonly sources: readonly string[];
  /** Globs of the test files; slow tests are always left out. */
  readonly tests: readonly string[];
  /** Milliseconds after which a test counts as hanging; several times as long as the longest test on a busy machine. */
  readonly hangMs: number;
}

/** A core floor is tested by the tests of its own folder. */
function coreFloor(name: string, ...tests: readonly string[]): Floor {
  return {
    project: 'core',
    sources: [`packages/core/src/${name}/**/*.ts`, `!packages/core/src/${name}/index.ts`],
    tests: [`packages/core/test/${name}/**/*.test.ts`, ...tests],
    hangMs: 10_000,
  };
}

export const floors: Readonly<Record<string, Floor>> = {
  endpoint: coreFloor('endpoint'),
  engine: coreFloor('engine', 'packages/core/test/client.test.ts', 'packages/core/test/hosts/fetch.test.ts'),
  import: coreFloor('import'),
  watch: coreFloor('watch'),
  report: coreFloor('report'),
  sync: coreFloor('sync', 'test/proofs/sync/run.test.ts'),
  admission: {
    project: 'relay',
    sources: ['packages/relay/src/admission/**/*.ts'],
    // Confirmation has the limit of mails per hour.
    tests: ['packages/relay/test/{admission,confirmation}/**/*.test.ts'],
    hangMs: 60_000,
  },
  delivery: {
    project: 'relay',
    sources: ['packages/relay/src/{delivery,queue}/**/*.ts'],
    tests: ['packages/relay/test/{delivery,queue}/**/*.test.ts'],
    hangMs: 10_000,
  },
  webhooks: {
    project: 'relay',
    sources: ['packages/relay/src/webhooks/**/*.ts'],
    tests: ['packages/relay/test/webhooks/**/*.test.ts'],
    hangMs: 60_000,
  },
  dispatch: {
    project: 'nodes',
    sources: ['nodes/Newsletter/operations/dispatch.ts'],
    tests: ['test/nodes/dispatch.test.ts'],
    hangMs: 30_000,
  },
  trigger: {
    project: 'nodes',
    sources: ['nodes/Newsletter/NewsletterTrigger.node.ts', 'nodes/Newsletter/trigger/**/*.ts'],
    tests: ['test/nodes/{,units/}trigger*.test.ts'],
    hangMs: 30_000,
  },
  sandbox: {
    project: 'sandbox',
    sources: [
      'packages/sandbox/src/{api,http,world}/**/*.ts',
      'packages/sandbox/src/control/rate-limit.ts',
      '!packages/sandbox/src/**/seeds/**',
    ],
    tests: [
      'packages/sandbox/test/{api,world}/**/*.test.ts',
      'packages/sandbox/test/control/{assumptions,faults,inbox,profile,requests,subscriptions}.test.ts',
      'packages/sandbox/test/oauth/api.test.ts',
    ],
    hangMs: 60_000,
  },
};

/** Share of mutants that the tests must notice on every floor, in percent. */
export const goal = 85;
