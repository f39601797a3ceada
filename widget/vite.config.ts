/**
 * Builds the package, one `--mode` each: `script`, one file for a script tag with Lit in it; `complete`, the same with
 * every part in it; `npm`, modules that import Lit; and a mode for each part, loaded on demand by `script` and `npm`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { defaultClientConditions, defineConfig, type BuildOptions, type Plugin } from 'vite';

const entries = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));

/** Each is built separately: otherwise modules that two of them import would become a further file to load. */
export const chunks = [
  'answer',
  'dialog',
  'doctor',
  'proof',
  'protection',
  'remember',
  'rules',
  'signup',
  'typed-numbers',
];

/** A classic script: works with `async`, with `defer`, with `type="module"` and without any of them. */
const classic = (file: string, entry = 'src/auto.ts'): BuildOptions => ({
  lib: { entry, formats: ['iife'], name: 'newsletterSignup', fileName: () => file },
});

const builds: Readonly<Record<string, BuildOptions>> = {
  script: classic('signup-form.js'),
  complete: classic('signup-form-complete.js'),
  landing: classic('signup-landing.js', 'src/landing.ts'),
  npm: {
    lib: { entry: entries('index', 'define'), formats: ['es'] },
    rolldownOptions: {
      external: [/^lit(\/|$)/],
      // Shared modules are in index.js instead of a further file.
      preserveEntrySignatures: 'allow-extension',
    },
  },
  ...Object.fromEntries(chunks.map((chunk) => [chunk, { lib: { entry: entries(chunk), formats: ['es'] } }])),
};

/** The modes of all builds. They share no output. */
export const modes = Object.keys(builds);

/**
 * Lets Chromium compile the whole script in the background while it loads: nearly all of it runs when a page starts,
 * and the main thread would compile each function at its first call. Other engines ignore the comment.
 */
const compileHint = '//# allFunctionsCalledOnLoad';

/** Keeps the chunks as separate files. */
const chunksBeside: Plugin = {
  name: 'chunks-beside',
  enforce: 'pre',
  resolveId: (source, importer) => {
    const name = chunks.find((chunk) => source === `./${chunk}.ts`);
    return name && importer ? { id: `./${name}.js`, external: true } : null;
  },
};

/**
 * Minifies style sheets, the templates that begin with a line end: white space, and `0` before a point. In minified
 * code only templates have indentation: of attributes, and of elements that are blocks.
 */
const plainTemplates: Plugin = {
  name: 'plain-templates',
  enforce: 'pre',
  transform: (code) =>
    code.replace(/`\n[^`$]*`/g, (sheet) => sheet.replace(/;(?=\s*})|\s*([{};,])\s+|(?<=:) |\b0(?=\.\d)/g, '$1')),
  generateBundle(_, files) {
    for (const file of Object.values(files))
      if ('code' in file) file.code = file.code.replaceAll(/\n +(?=<)/g, '').replaceAll(/\n +/g, ' ');
  },
};

/**
 * Writes each language into a file that works as a classic script, as a module, and before or after the form's script.
 * It does not depend on the form: two versions of it on one page share the texts.
 */
const languages: Plugin = {
  name: 'languages',
  async generateBundle() {
    const folder = new URL('src/languages/', import.meta.url);
    for (const file of await readdir(folder)) {
      const tag = file.replace('.json', '');
      const texts = JSON.stringify(JSON.parse(await readFile(new URL(file, folder), 'utf8')));
      const source = `(globalThis.newsletterMessages??={}).${tag}=${texts};globalThis.dispatchEvent?.(new Event("newsletter-messages"))\n`;
      this.emitFile({ type: 'asset', fileName: `languages/${tag}.js`, source });
      this.emitFile({ type: 'asset', fileName: `languages/${tag}.d.ts`, source: 'export {};\n' });
    }
  },
};

/** Adds the style sheet of the form that stands in for the element's own until the script has come. */
const fallbackSheet: Plugin = {
  name: 'fallback-sheet',
  async generateBundle() {
    const source = await readFile(new URL('src/signup-form.css', import.meta.url), 'utf8');
    this.emitFile({ type: 'asset', fileName: 'signup-form.css', source: source.replaceAll(/\/\*[^]*?\*\/\s*/g, '') });
  },
};

export default defineConfig(({ mode }) => ({
  build: {
    target: 'es2022',
    emptyOutDir: false,
    ...builds[mode],
    rolldownOptions: {
      ...builds[mode]?.rolldownOptions,
      // Vite's library mode does not remove white space from modules.
      output: {
        chunkFileNames: '[name].js',
        minify: true,
        ...(mode === 'script' && { postBanner: compileHint }),
      },
    },
  },
  plugins: [plainTemplates, mode !== 'complete' && chunksBeside, mode === 'script' && [languages, fallbackSheet]],
  // Our own packages are bundled from their sources, so that no other build is needed before.
  resolve: { conditions: ['@newsletter-kit/source', ...defaultClientConditions] },
}));
