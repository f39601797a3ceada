/** The zip for owners of websites: the script with its parts, the themes, a page with a form, and what to do. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zipSync, type Zippable } from 'fflate';
import { root } from './root.ts';

const dist = join(root, 'widget', 'dist');

/** The folder in the zip, so that unpacking it at the root of a website replaces no page there. */
export const zipFolder = 'signup-form';

/** Packs what is built, each file at the place where the script looks for it. */
export async function zipScript(): Promise<Uint8Array> {
  const hashes = JSON.parse(await readFile(join(dist, 'integrity.json'), 'utf8')) as Readonly<Record<string, string>>;
  const places: Readonly<Record<string, string>> = {
    LICENSE: join(root, 'LICENSE'),
    ...Object.fromEntries(['integrity.json', ...Object.keys(hashes)].map((name) => [name, join(dist, name)])),
    ...Object.fromEntries(
      globSync(join(root, 'widget', 'themes', '*.css')).map((path) => [`themes/${basename(path)}`, path]),
    ),
    ...Object.fromEntries(globSync(join(root, 'examples', 'site', '*.html')).map((path) => [basename(path), path])),
  };
  const files: Zippable = {};
  for (const [name, path] of Object.entries(places)) files[`${zipFolder}/${name}`] = await readFile(path);
  // The same files give the same archive.
  return zipSync(files, { level: 9, mtime: '1980-01-01T00:00:00' });
}
