/**
 * `prepack`: puts what is published as n8n-nodes-newsletter-kit into the folder that pnpm packs (`publishConfig`), or
 * into the folder of its argument. The root of the repository is that package, except for its README, which is the
 * project's. Plain JavaScript, because it runs with the Node of whoever packs.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The published files and their sources. */
const sources = { dist: 'dist', 'README.md': 'nodes/README.md', 'CHANGELOG.md': 'CHANGELOG.md', LICENSE: 'LICENSE' };

// `npm run pack` runs this as well, before it builds; it then packs with pnpm, which runs it again.
if (process.env['npm_command']?.startsWith('run')) process.exit();
if (!existsSync(join(root, sources.dist))) {
  console.error('There is no dist to pack. Run npm run build first.');
  process.exit(1);
}

const manifest = /** @type {Record<string, unknown> & { publishConfig: { directory: string } }} */ (
  JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
);
/** Fields that the published manifest leaves out. */
const leftOut = new Set(['scripts', 'devDependencies', 'packageManager', 'publishConfig']);

const [, , folder = join(root, manifest.publishConfig.directory)] = process.argv;
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [target, source] of Object.entries(sources))
  await cp(join(root, source), join(folder, target), { recursive: true });
const published = Object.fromEntries(Object.entries(manifest).filter(([name]) => !leftOut.has(name)));
await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
