/** The package in a real n8n. One n8n and one chain of servers serve all files, so they run one after the other. */
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Workspace packages are read as TypeScript sources, so that the harness needs no build. */
const conditions = ['@newsletter-kit/source', ...defaultServerConditions];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: 'n8n',
    include: ['**/*.test.ts'],
    globalSetup: ['../support/global-setup.ts', './harness/setup.ts'],
    runner: '../support/test-runner.ts',
    setupFiles: ['./harness/oldest.ts'],
    fileParallelism: false,
    // Limits for a test that hangs: no test is about how fast the machine is.
    testTimeout: 600_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
