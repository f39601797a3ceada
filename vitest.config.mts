/** The test projects. Real n8n has a configuration of its own (test/n8n): it takes minutes and two gigabytes. */
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Workspace packages are read as TypeScript sources, so that tests need no build. */
const conditions = ['source', ...defaultServerConditions];
const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions } } };

/** Ends what would never end by itself: no test is about how fast the machine is, and some machines do many things at a time. */
const patient = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    projects: [
      { ...fromSource, test: { ...patient, name: 'core', include: ['packages/core/test/**/*.test.ts'] } },
      { ...fromSource, test: { ...patient, name: 'sandbox', include: ['packages/sandbox/test/**/*.test.ts'] } },
      { ...fromSource, test: { ...patient, name: 'relay', include: ['packages/relay/test/**/*.test.ts'] } },
      { ...fromSource, test: { ...patient, name: 'cli', include: ['packages/cli/test/**/*.test.ts'] } },
      { ...fromSource, test: { ...patient, name: 'nodes', include: ['test/nodes/**/*.test.ts'] } },
      { ...fromSource, test: { ...patient, name: 'scripts', include: ['test/{scripts,docs}/**/*.test.ts'] } },
      {
        ...fromSource,
        test: { ...patient, name: 'chaos', include: ['test/chaos/**/*.test.ts'], fileParallelism: false },
      },
      { ...fromSource, test: { ...patient, name: 'proofs', include: ['test/proofs/**/*.test.ts'] } },
      {
        ...fromSource,
        test: { ...patient, name: 'e2e', include: ['test/e2e/**/*.test.ts'], fileParallelism: false },
      },
      {
        ...fromSource,
        test: { ...patient, name: 'widget', include: ['test/widget/**/*.test.ts'], fileParallelism: false },
      },
      {
        ...fromSource,
        test: { ...patient, name: 'examples', include: ['test/examples/**/*.test.ts'], fileParallelism: false },
      },
      {
        ...fromSource,
        test: { ...patient, name: 'packaging', include: ['test/packaging/**/*.test.ts'], fileParallelism: false },
      },
    ],
  },
});
