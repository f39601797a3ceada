/**
 * Bundles the n8n package. n8n requires each file that package.json names and gives it nothing but `n8n-workflow`, so every
 * entry becomes one CommonJS file that holds all else it needs.
 */
import { copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig, defaultServerConditions, type EnvironmentOptions, type Plugin } from 'vite';

const root = import.meta.dirname;
const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  n8n: { nodes: string[]; credentials: string[] };
};

/** `nodes/Newsletter/Newsletter.node` and the like: what package.json announces is what is built. */
const entries = [...n8n.nodes, ...n8n.credentials].map((path) => path.replace(/^dist\//, '').replace(/\.js$/, ''));

const nameOf = (entry: string): string => entry.replace(/\W/g, '_');

/** One environment an entry: entries that are bundled together would share chunks. */
function environment(entry: string): EnvironmentOptions {
  return {
    resolve: { conditions: ['source', ...defaultServerConditions], noExternal: true, external: ['n8n-workflow'] },
    consumer: 'server',
    build: {
      target: 'node20',
      minify: false,
      emptyOutDir: false,
      lib: { entry: { [entry]: join(root, `${entry}.ts`) }, formats: ['cjs'] },
      rolldownOptions: { external: ['n8n-workflow'], output: { entryFileNames: '[name].js', comments: false } },
    },
  };
}

/** Icons and codex files stand beside the entries. */
function copyAssets(): Plugin {
  return {
    name: 'copy-n8n-assets',
    apply: 'build',
    closeBundle() {
      const { outDir } = this.environment.config.build;
      for (const asset of globSync('{nodes,credentials}/**/*.{svg,node.json}', { cwd: root })) {
        const target = resolve(root, outDir, asset);
        mkdirSync(dirname(target), { recursive: true });
        copyFileSync(join(root, asset), target);
      }
    },
  };
}

export default defineConfig({
  root,
  publicDir: false,
  builder: {
    async buildApp(builder) {
      for (const entry of entries) {
        const target = builder.environments[nameOf(entry)];
        if (target) await builder.build(target);
      }
    },
  },
  plugins: [copyAssets()],
  environments: Object.fromEntries(entries.map((entry) => [nameOf(entry), environment(entry)])),
});
