import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesConfig } from '@newsletter-kit/pages/vite';
import type { Plugin, UserConfig } from 'vite';

const outDir = join(import.meta.dirname, '../dist/page');

/** Writes the built files as a module too, the one that serves them: a Worker has no files to read. */
const asModule: Plugin = {
  name: 'pages-as-module',
  closeBundle() {
    const names = readdirSync(outDir).filter((name) => name !== 'files.js');
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(outDir, name), 'utf8')]));
    writeFileSync(join(outDir, 'files.js'), `export const files = ${JSON.stringify(files)};\n`);
  },
};

/** The relay serves the page at `/operator`, or below the path of a proxy: its files are named relative to the page. */
const config: UserConfig = {
  ...pagesConfig({ folder: import.meta.dirname, urlPrefix: 'operator/' }),
  plugins: [asModule],
};
export default config;
