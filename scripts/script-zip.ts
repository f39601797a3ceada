/**
 * The zips for owners of websites: the script with its parts, the themes, a page with a form, and what to do; and the
 * plugin for WordPress.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zipSync, type Zippable } from 'fflate';
import { root } from './root.ts';

const dist = join(root, 'widget', 'dist');

/**
 * The folder in each zip, so that unpacking it at the root of a website replaces no page there. It is the plugin's name
 * in WordPress, too: block lists have no rule for it.
 */
export const zipFolder = 'signup-form';

/** Packs what is built, each file at the place where the script looks for it. */
export async function zipScript(): Promise<Uint8Array> {
  const hashes = JSON.parse(await readFile(join(dist, 'integrity.json'), 'utf8')) as Readonly<Record<string, string>>;
  return zip({
    ...Object.fromEntries(['integrity.json', ...Object.keys(hashes)].map((name) => [name, join(dist, name)])),
    ...filesOf('', 'examples/site/*.html'),
  });
}

/** Packs the plugin for WordPress with the script in one file, which it serves from its own folder. */
export async function zipPlugin(): Promise<Uint8Array> {
  return zip({
    'signup-form-complete.js': join(dist, 'signup-form-complete.js'),
    ...filesOf('languages/', 'widget/dist/languages/*.js'),
    ...filesOf('languages/', 'widget/src/languages/*.json'),
    ...filesOf('', 'examples/wordpress/*.php'),
  });
}

/** What the zips are called. */
export const zips = { 'signup-form.zip': zipScript, 'signup-form-wordpress.zip': zipPlugin } as const;

const filesOf = (folder: string, pattern: string): Readonly<Record<string, string>> =>
  Object.fromEntries(globSync(pattern, { cwd: root }).map((path) => [folder + basename(path), join(root, path)]));

/** @param places - names in the folder of the zip, and the files that they are */
async function zip(places: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const styles = { ...filesOf('', 'widget/dist/signup-form.css'), ...filesOf('themes/', 'widget/themes/*.css') };
  const all = { LICENSE: join(root, 'LICENSE'), ...styles, ...places };
  const { version } = JSON.parse(await readFile(join(root, 'widget', 'package.json'), 'utf8')) as { version: string };
  const files: Zippable = {};
  for (const [name, path] of Object.entries(all)) {
    const content = await readFile(path);
    files[`${zipFolder}/${name}`] = name.endsWith('.php')
      ? Buffer.from(String(content).replace(/(?<=\* Version: +)\S+/, version))
      : content;
  }
  // The same files give the same archive.
  return zipSync(files, { level: 9, mtime: '1980-01-01T00:00:00' });
}
