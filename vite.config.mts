/**
 * Bundles the n8n package. n8n requires each file that package.json names and gives it nothing but `n8n-workflow`:
 * every entry becomes a CommonJS file, and what the entries share of core becomes one file beside them, so that n8n
 * loads it once.
 */
import { copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig, defaultServerConditions, type Plugin } from 'vite';

const root = import.meta.dirname;
const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  n8n: { nodes: string[]; credentials: string[] };
};

/** `nodes/Newsletter/Newsletter.node` and the like: what package.json announces is what is built. */
const entries = [...n8n.nodes, ...n8n.credentials].map((path) => path.replace(/^dist\//, '').replace(/\.js$/, ''));

/** Icons, codex files and the schemas of what operations give stand beside the entries. */
function copyAssets(): Plugin {
  return {
    name: 'copy-n8n-assets',
    apply: 'build',
    closeBundle() {
      const { outDir } = this.environment.config.build;
      for (const asset of globSync('{nodes,credentials}/**/{*.svg,*.node.json,__schema__/**/*.json}', { cwd: root })) {
        const target = resolve(root, outDir, asset);
        mkdirSync(dirname(target), { recursive: true });
        copyFileSync(join(root, asset), target);
      }
    },
  };
}

/**
 * White space and code that can never run are taken out, and variables within functions are renamed. The names of
 * functions, classes and their members stay, for stack traces.
 */
const minify = { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: true } } as const;

export default defineConfig({
  root,
  publicDir: false,
  plugins: [copyAssets()],
  build: {
    ssr: true,
    target: 'node20',
    minify: false,
    emptyOutDir: false,
    rolldownOptions: {
      external: ['n8n-workflow'],
      input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
      output: {
        format: 'cjs',
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        comments: false,
        minify,
        codeSplitting: {
          groups: [
            // A file for each floor of core, and one for the operations on subscriptions, so that none grows beyond
            // what a reviewer reads. A group takes along what its modules import: the lower floors have priority.
            { name: 'nodes/core-contract', test: /packages[\\/]core[\\/]src[\\/]contract[\\/]/, priority: 3 },
            { name: 'nodes/core-signup', test: /packages[\\/]core[\\/]src[\\/]signup[\\/]/, priority: 3 },
            {
              name: 'nodes/core-errors',
              test: /packages[\\/]core[\\/]src[\\/]engine[\\/]errors\.ts/,
              minShareCount: 2,
              priority: 3,
            },
            {
              name: 'nodes/core-engine',
              test: /packages[\\/]core[\\/]src[\\/]engine[\\/]/,
              minShareCount: 2,
              priority: 3,
            },
            {
              name: 'nodes/core',
              test: /packages[\\/]core[\\/]src[\\/](?!contract[\\/]|import[\\/]|report[\\/]|sync[\\/]|watch[\\/])/,
              minShareCount: 2,
              priority: 2,
            },
            { name: 'nodes/core-import', test: /packages[\\/]core[\\/]src[\\/]import[\\/]/, priority: 1 },
            { name: 'nodes/core-report', test: /packages[\\/]core[\\/]src[\\/]report[\\/]/, priority: 1 },
            // A pair of the sync by itself, and what a CRM answered: the planner is the third file.
            {
              name: 'nodes/core-sync-pair',
              test: /src[\\/]sync[\\/]\w+[\\/](?:at-rest|canonical-value|contact-id|echo|mapping|plan-\w+|prepare-mapping|token)\.ts/,
              priority: 2,
            },
            { name: 'nodes/core-sync-answer', test: /src[\\/]sync[\\/]report[\\/]crm-answer\.ts/, priority: 2 },
            { name: 'nodes/core-sync', test: /packages[\\/]core[\\/]src[\\/]sync[\\/]/, priority: 1 },
            { name: 'nodes/core-watch', test: /packages[\\/]core[\\/]src[\\/]watch[\\/]/, priority: 1 },
            { name: 'nodes/Newsletter/shared', test: /nodes[\\/]Newsletter[\\/]/, minShareCount: 2, priority: 1 },
            {
              name: 'nodes/Newsletter/bulk',
              test: /subscription[\\/](?:bulkImport(?:Consent|Options|Outcomes)|jobs|updateStatus)\.ts/,
              priority: 1,
            },
            {
              name: 'nodes/Newsletter/subscriptions',
              test: /nodes[\\/]Newsletter[\\/]operations[\\/]subscription[\\/]/,
            },
          ],
        },
      },
    },
  },
  ssr: { noExternal: true, resolve: { conditions: ['@newsletter-kit/source', ...defaultServerConditions] } },
  resolve: { conditions: ['@newsletter-kit/source', ...defaultServerConditions] },
});
