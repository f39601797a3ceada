/**
 * Builds the package: the script, the modules for npm and the files both load; types, manifest, and the files derived
 * from them. With `--bundles`, only what a page loads.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { modes } from '../vite.config.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);
// On Windows the commands of node_modules/.bin are started by the shell alone.
const options = { cwd: root, shell: process.platform === 'win32' };

// A test runner sets another value, with which Lit's development build would be bundled.
process.env['NODE_ENV'] = 'production';

const bundles = modes.map((mode) => build({ root, configFile: `${root}vite.config.ts`, mode, logLevel: 'warn' }));

if (process.argv.includes('--bundles')) {
  await Promise.all(bundles);
} else {
  await Promise.all([
    ...bundles,
    run('tsc', ['-p', 'tsconfig.types.json'], options),
    run(process.execPath, ['--run', 'manifest'], { cwd: root }),
  ]);
  await import('./derived.ts');
}
