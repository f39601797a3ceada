/**
 * Bundles the validator with the schemas and zod into the one file that a client loads: zod's package would load some
 * 80 files. `…/schema` imports the package zod, so that no schema of the one may be passed to the other.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

await build({
  configFile: false,
  logLevel: 'warn',
  root: fileURLToPath(new URL('..', import.meta.url)),
  build: {
    lib: { entry: 'src/schema/validator.ts', formats: ['es'], fileName: 'validator' },
    outDir: 'dist/schema',
    emptyOutDir: false,
    minify: false,
    target: 'es2022',
    rolldownOptions: {
      // The licence of zod requires its notice in copies.
      output: {
        banner: `/*!\nContains zod:\n\n${readFileSync(new URL('LICENSE', import.meta.resolve('zod')), 'utf8')}*/`,
      },
    },
  },
});
