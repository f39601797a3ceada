/**
 * Writes `dist/cjs`: every entry for `require` where it cannot load ES modules, as in Jest. Packages without CommonJS
 * are in it; the types are those of the ES modules.
 */
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Packages without CommonJS, and their licences, which require a notice in copies. */
const bundled = { 'is-network-error': 'license', oauth4webapi: '../LICENSE.md' };

await build({
  configFile: false,
  logLevel: 'warn',
  root,
  build: {
    lib: {
      entry: Object.fromEntries(
        Object.values(manifest.exports).map(({ '@newsletter-kit/source': source }) => [
          source.replaceAll(/^\.\/src\/|\.ts$/g, ''),
          source,
        ]),
      ),
      formats: ['cjs'],
    },
    outDir: 'dist/cjs',
    minify: false,
    target: 'es2022',
    rolldownOptions: {
      external: [/^node:/, /^csv-parse/, /^zod/],
      output: { entryFileNames: '[name].js', chunkFileNames: 'parts/[name].js', banner: noticesOf },
    },
  },
});

for (const path of globSync('**/*.d.ts', { cwd: dist, exclude: ['cjs/**'] })) {
  mkdirSync(join(dist, 'cjs', dirname(path)), { recursive: true });
  copyFileSync(join(dist, path), join(dist, 'cjs', path));
}
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');

function noticesOf({ moduleIds }: { readonly moduleIds: readonly string[] }): string {
  return Object.entries(bundled)
    .filter(([name]) => moduleIds.some((id) => id.includes(`/node_modules/${name}/`)))
    .map(([name, file]) => {
      const licence = readFileSync(new URL(file, import.meta.resolve(name)), 'utf8');
      return `/*!\nContains ${name}:\n\n${licence}*/\n`;
    })
    .join('');
}
