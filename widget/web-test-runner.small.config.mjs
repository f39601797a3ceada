/** The same tests once more, with the sources on the base class that the script takes in place of Lit's. */
import { join } from 'node:path';
import { withDenseTemplates } from './dense-templates.ts';
import config from './web-test-runner.config.mjs';

/** What the script takes in place of modules, as in vite.config.ts. */
const replaced = { lit: '/widget/src/small-lit.ts', './later.ts': '/widget/src/at-once.ts' };

const smallLit = {
  name: 'small-lit',
  resolveImport: ({ source }) => replaced[source],
  transform: ({ path, body }) => (/\/widget\/src\/.*\.ts$/.test(path) ? withDenseTemplates(body) : undefined),
};

export default {
  ...config,
  // What was built stands on its own base already.
  files: [...config.files, `!${join(import.meta.dirname, 'test/built.test.ts')}`],
  plugins: [smallLit, ...config.plugins],
};
