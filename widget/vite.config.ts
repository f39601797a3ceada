/** Builds the two forms of the widget: `--mode script`, one file for a script tag, and `--mode npm`, modules beside Lit. */
import { defaultClientConditions, defineConfig, type BuildOptions, type Plugin } from 'vite';

const script: BuildOptions = {
  emptyOutDir: false,
  // A classic script: works with `async`, with `defer`, with `type="module"` and without any of them.
  lib: { entry: 'src/auto.ts', formats: ['iife'], name: 'newsletterSignup', fileName: () => 'newsletter-signup.js' },
  // Vite leaves white space in library output; the bundler's own minifier does not.
  rolldownOptions: { output: { minify: true } },
};

const npm: BuildOptions = {
  emptyOutDir: false,
  sourcemap: true,
  lib: { entry: { index: 'src/index.ts', define: 'src/define.ts' }, formats: ['es'] },
  rolldownOptions: {
    external: [/^lit(\/|$)/],
    output: { minify: true, chunkFileNames: 'elements.js' },
  },
};

/**
 * Takes the indentation out of our templates; minifiers leave strings alone. Only runs of a line break and spaces are
 * touched, which in our own files stand nowhere but between tags, attributes and CSS declarations.
 */
const dense: Plugin = {
  name: 'dense-templates',
  transform: {
    filter: { id: /\/widget\/src\/.*\.ts$/ },
    handler: (code) => ({
      code: code
        .replace(/css`[^`]*`/g, (sheet) => sheet.replace(/\s*([{};+!`])\s*/g, '$1').replace(/([:,])\s+/g, '$1').replace(/;}/g, '}').replace(/\b0\./g, '.'))
        .replace(/(?<=html`[^`]*)\n +/g, ' '),
      map: null,
    }),
  },
};

export default defineConfig(({ mode }) => ({
  build: { target: 'es2022', ...(mode === 'npm' ? npm : script) },
  plugins: [dense],
  // Our own packages are bundled from their sources, so that no other build has to come first.
  resolve: { conditions: ['source', ...defaultClientConditions] },
}));
