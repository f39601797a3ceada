/**
 * Builds the two forms of the widget: `--mode script`, one file for a script tag, and `--mode npm`, modules beside Lit.
 * The parts few visitors need are built by `--mode parts`: one file each, the same for both forms.
 */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { minify } from 'terser';
import { defaultClientConditions, defineConfig, parseAst, type BuildOptions, type Plugin } from 'vite';
import { withDenseTemplates } from './dense-templates.ts';

const script: BuildOptions = {
  emptyOutDir: false,
  // A classic script: works with `async`, with `defer`, with `type="module"` and without any of them.
  lib: { entry: 'src/auto.ts', formats: ['iife'], name: 'newsletterSignup', fileName: () => 'newsletter-signup.js' },
  rolldownOptions: { output: { minify: true } },
};

const npm: BuildOptions = {
  emptyOutDir: false,
  lib: {
    entry: {
      index: 'src/index.ts',
      define: 'src/define.ts',
      'define-server': 'src/define-server.ts',
      hydrate: 'src/hydrate.ts',
      server: 'src/server.ts',
    },
    formats: ['es'],
  },
  rolldownOptions: {
    external: [/^lit(\/|$)/, /^@lit-labs\//],
    output: { chunkFileNames: '[name].js', minify: true },
    // What both halves need stands in index.js, under a few letters that no type tells of, rather than in a third file.
    preserveEntrySignatures: 'allow-extension',
  },
};

const parts: BuildOptions = {
  emptyOutDir: false,
  lib: { entry: { ask: 'src/ask.ts', doctor: 'src/doctor.ts', proof: 'src/proof.ts' }, formats: ['es'] },
  rolldownOptions: { output: { minify: true } },
};

const others: Readonly<Record<string, BuildOptions>> = { npm, parts };

const dense: Plugin = {
  name: 'dense-templates',
  transform: {
    filter: { id: /\/widget\/src\/.*\.ts$/ },
    handler: (code) => ({ code: withDenseTemplates(code), map: null }),
  },
};

/** Lets the entries load `index.js` instead of all of them loading a further file. */
const onTopOfIndex: Plugin = {
  name: 'on-top-of-index',
  enforce: 'pre',
  resolveId: (source, importer) => (source === './index.ts' && importer ? { id: './index.js', external: true } : null),
};

/** Leaves the parts in their own files. */
const partsBeside: Plugin = {
  name: 'parts-beside',
  enforce: 'pre',
  resolveId: (source, importer) => {
    const [, name] = /^\.\/(ask|doctor)\.ts$/.exec(source) ?? [];
    return name && importer ? { id: `./${name}.js`, external: true } : null;
  },
};

/**
 * Lets Chromium compile the whole script while it arrives, beside the page. Else the page's own thread would compile
 * each function when it is first called, which is a fifth of all the time the script takes from a page. Others see a
 * comment.
 */
const compileHint = '//# allFunctionsCalledOnLoad';

/** The last step: what the bundler's own minifier leaves, a second one makes a hundredth smaller still. */
function smallest(mode: string): Plugin {
  return {
    name: 'smallest',
    generateBundle: async (_, bundle) => {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const format = { comments: false, ...(mode in others ? {} : { preamble: compileHint }) };
        const { code = '' } = await minify(chunk.code, {
          ecma: 2020,
          module: mode in others,
          compress: { passes: 3 },
          format,
        });
        chunk.code = mode in others ? code : functionsLast(code);
      }
    },
  };
}

const brotliBytes = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/**
 * Functions are there before any code runs, wherever they stand: behind everything else they are told shorter by
 * brotli, and shorter still in another order. Each is tried in three other places, and stays where that helps.
 */
function functionsLast(code: string): string {
  const [whole] = parseAst(code).body;
  // The script is one function that is called at once.
  const call =
    whole?.type === 'ExpressionStatement' && whole.expression.type === 'UnaryExpression'
      ? whole.expression.argument
      : undefined;
  const body =
    call?.type === 'CallExpression' && call.callee.type === 'FunctionExpression' ? call.callee.body : undefined;
  if (!body) return code;
  const functions = body.body
    .filter(({ type }) => type === 'FunctionDeclaration')
    .map(({ start, end }) => code.slice(start, end));
  const others = body.body
    .filter(({ type }) => type !== 'FunctionDeclaration')
    .map(({ start, end }) => code.slice(start, end));
  const inOrder = (order: readonly string[]): string =>
    [code.slice(0, body.start + 1), ...others, ';', ...order, code.slice(body.end - 1)].join('');
  let shortest = inOrder(functions);
  let bytes = brotliBytes(shortest);
  let best: readonly string[] = functions;
  let place = 0;
  for (const moved of [...functions, ...functions, ...functions]) {
    const rest = best.filter((each) => each !== moved);
    place = (place + 11) % functions.length;
    const order = [...rest.slice(0, place), moved, ...rest.slice(place)];
    const text = inOrder(order);
    if (brotliBytes(text) < bytes) [shortest, best, bytes] = [text, order, brotliBytes(text)];
  }
  return shortest;
}

/**
 * Writes each language into a file of its own that works as a classic script, as a module, and before or after the
 * form. It knows nothing of the form: two versions of it on one page share the texts.
 */
const languages: Plugin = {
  name: 'languages',
  async generateBundle() {
    for (const file of await readdir(new URL('src/languages/', import.meta.url))) {
      const tag = file.replace('.json', '');
      const texts = await readFile(new URL(`src/languages/${file}`, import.meta.url), 'utf8');
      const { code = '' } = await minify(
        `(globalThis.newsletterMessages ??= {}).${tag} = ${texts};globalThis.dispatchEvent?.(new Event('newsletter-messages'))`,
        { ecma: 2020 },
      );
      this.emitFile({ type: 'asset', fileName: `languages/${tag}.js`, source: code });
      this.emitFile({ type: 'asset', fileName: `languages/${tag}.d.ts`, source: 'export {};\n' });
    }
  },
};

/** What the script takes in place of what is imported. */
const inPlaceOf = [
  { find: /^lit$/, replacement: fileURLToPath(new URL('src/small-lit.ts', import.meta.url)) },
  { find: /^\.\/later\.ts$/, replacement: fileURLToPath(new URL('src/at-once.ts', import.meta.url)) },
  { find: /^\.\/parts\.ts$/, replacement: fileURLToPath(new URL('src/parts-beside.ts', import.meta.url)) },
];

export default defineConfig(({ mode }) => ({
  build: { target: 'es2022', ...(others[mode] ?? script) },
  plugins: [
    dense,
    smallest(mode),
    ...(mode === 'npm' ? [onTopOfIndex, partsBeside] : []),
    ...(mode in others ? [] : [languages]),
  ],
  // Our own packages are bundled from their sources, so that no other build has to come first.
  resolve: {
    conditions: ['source', ...defaultClientConditions],
    alias: mode in others ? [] : inPlaceOf,
  },
}));
